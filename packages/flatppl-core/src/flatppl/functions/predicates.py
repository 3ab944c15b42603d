"""Scalar predicates; integers are always finite."""

from __future__ import annotations

from collections.abc import Callable

from flatppl.functions.common import real, scalar
from flatppl.tensor.ops import equal, isfinite, isnan, logical_not
from flatppl.tensor.program import Node
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor

__all__ = ["FUNCTIONS"]


def _predicate(name: str, rule: Callable[[Node], Node], whole: bool | None) -> Function:
    """A predicate with the answer ``whole`` for integers, where it is known."""

    def apply(x: object) -> Tensor:
        node = scalar(x, name)
        known = whole is not None and node.kind != "real"
        return Tensor(node.builder.constant(whole) if known else rule(real(node)))

    return Function(name, ("x",), apply)


FUNCTIONS = (
    _predicate("isfinite", isfinite, True),
    _predicate("isinf", lambda x: logical_not(isfinite(x)) & logical_not(isnan(x)), False),
    _predicate("isnan", isnan, False),
    _predicate("iszero", lambda x: equal(x, 0.0), None),
)
