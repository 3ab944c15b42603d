"""Norms of vectors and normalization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flatppl.functions.common import check, real, vector
from flatppl.tensor.ops import abs_, equal, logical_not, logsumexp, max_, select, softmax, sqrt, square, sum_
from flatppl.tensor.program import Node
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor

__all__ = ["FUNCTIONS"]


def _l1(v: Node) -> Node:
    return sum_(abs_(v))


def _l2(v: Node) -> Node:
    """Root of the sum of squares, with derivative 0 at the zero vector."""
    total = sum_(square(v))
    zero = equal(total, 0.0)
    root: Node = select(zero, 0.0, sqrt(select(zero, 1.0, total)))
    return root


def _linf(v: Node) -> Node:
    return max_(abs_(v)) if v.shape[0] else v.builder.constant(0.0)


def _unit(name: str, norm: Callable[[Node], Node]) -> Callable[[Node], Node]:
    def rule(v: Node) -> Node:
        length = norm(v)
        return v / check(length, logical_not(equal(length, 0.0)), f"{name}(v): v is a zero vector")

    return rule


def _logsoftmax(v: Node) -> Node:
    return v - logsumexp(v)


def _norm(name: str, rule: Callable[[Node], Node]) -> Function:
    return Function(name, ("v",), lambda v: Tensor(rule(real(vector(v, name, row=True)))))


def _normalized(name: str, rule: Callable[[Node], Node]) -> Function:
    """A vector of the same orientation; an empty one is left as it is."""

    def apply(v: Any) -> Tensor:
        node = real(vector(v, name, row=True))
        return Tensor(rule(node) if node.shape[0] else node, (1,), v.row)

    return Function(name, ("v",), apply)


FUNCTIONS = (
    _norm("l1norm", _l1),
    _norm("l2norm", _l2),
    _norm("linfnorm", _linf),
    _normalized("l1unit", _unit("l1unit", _l1)),
    _normalized("l2unit", _unit("l2unit", _l2)),
    _norm("logsumexp", logsumexp),
    _normalized("softmax", softmax),
    _normalized("logsoftmax", _logsoftmax),
)
