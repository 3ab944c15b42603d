"""Invert a traced function: solve ``y = f(x)`` for a leaf of a finished program, with the log volume.

The spelling never changes the answer: what is inverted is the program, not the source.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flatppl.errors import refuse
from flatppl.tensor.intervals import REALS, Interval
from flatppl.tensor.ops import (
    abs_,
    asinh,
    atanh,
    broadcast,
    cosh,
    exp,
    expm1,
    log,
    log1p,
    logistic,
    ndtr,
    ndtri,
    power,
    sinh,
    square,
    sum_,
    tan,
)
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.ranges import range_of

__all__ = ["Inverse", "invert"]

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
LOG10 = math.log(10.0)


@dataclass(frozen=True, slots=True)
class Inverse:
    """Solution of ``y = f(x)``.

    Attributes
    ----------
    x : Node
        The preimage of y.
    log_volume : Node
        Scalar: log of the absolute Jacobian determinant of f at the preimage, written in y.
    image : Interval
        Range of f over the leaf's support.
    """

    x: Node
    log_volume: Node
    image: Interval


def invert(root: Node, leaf: Node, y: Node) -> Inverse:
    """Solve ``root = y`` for ``leaf``; refuses what is not provably a bijection on the leaf's range.

    Parameters
    ----------
    root : Node
        A program that depends on the leaf along one path.
    leaf : Node
        Real scalar or array; its ``interval`` param is the support.
    y : Node
        Value of ``root``.
    """
    image = range_of(root)
    volume: Any = y.builder.constant(0.0)
    dependent = _dependent(root, leaf)
    while root is not leaf:
        if root.primitive.name == "guard":
            root = root.operands[0]
            continue
        if root.primitive.name == "annotated":
            y, term = root.params["inverse"](y)
            volume, root = volume + term, root.operands[1]
            continue
        place = _only_operand(root, dependent)
        rule = _RULES.get(root.primitive.name)
        if rule is None:
            refuse(
                "density",
                f"{root.primitive.name} has no inverse that is known; annotate the function with bijection(f, f_inv, logvolume)",
            )
        y, term = rule(root, place, y)
        volume = volume + _summed(term, root.operands[place])
        root = root.operands[place]
    return Inverse(y, volume, image)


def _dependent(root: Node, leaf: Node) -> set[int]:
    found = {leaf.number}
    for node in ancestors([root], lambda node: node is leaf):
        if any(operand.number in found for operand in node.operands):
            found.add(node.number)
    return found


def _only_operand(node: Node, dependent: set[int]) -> int:
    places = [index for index, operand in enumerate(node.operands) if operand.number in dependent]
    if len(places) != 1:
        refuse(
            "density",
            "the variable is used more than once, so the function has no inverse that is known; annotate it with "
            "bijection(f, f_inv, logvolume)",
        )
    return places[0]


def _summed(term: Any, x: Node) -> Any:
    """Log volume of an elementwise map over all entries of x."""
    if not x.shape or isinstance(term, _Total):
        return term.value if isinstance(term, _Total) else term
    node = x.builder.convert(x.builder.lift(term), "real")
    return sum_(node if node.shape == x.shape else broadcast(node, x.shape, ()))


@dataclass(frozen=True, slots=True)
class _Total:
    """A log volume that is summed already."""

    value: Any


def _needs(x: Node, domain: Interval, name: str) -> None:
    if not range_of(x).inside(domain):
        refuse(
            "density",
            f"{name} needs an argument that is provably inside its domain; truncate or transform the base measure",
        )


def _monotone(inverse: Callable[[Node], Any], volume: Callable[[Node], Any], domain: Interval = REALS) -> Any:
    def rule(node: Node, place: int, y: Node) -> tuple[Node, Any]:
        _needs(node.operands[0], domain, node.primitive.name)
        return inverse(y), volume(y)

    return rule


def _add(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    return y - node.operands[1 - place], 0.0


def _sub(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    return (y + node.operands[1] if place == 0 else node.operands[0] - y), 0.0


def _mul(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    factor = node.operands[1 - place]
    if not node.operands[place].shape and factor.shape:
        refuse("density", "a scalar variable is spread over an array: the result is singular and has no density")
    _nonzero(factor)
    return y / factor, log(abs_(factor))


def _nonzero(factor: Node) -> None:
    value = factor.constant
    if value is not None and (value == 0).any():
        refuse("density", "the function multiplies by zero, so it is no bijection")


def _div(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    if place == 0:
        _nonzero(node.operands[1])
        return y * node.operands[1], -log(abs_(node.operands[1]))
    x = node.operands[1]
    if range_of(x).contains(0.0):
        refuse("density", "division by a variable whose support contains zero is no bijection")
    numerator = node.operands[0]
    return numerator / y, 2.0 * log(abs_(y)) - log(abs_(numerator))


def _power(node: Node, exponent: float, y: Node) -> tuple[Node, Any]:
    x = node.operands[0]
    if exponent == 0:
        refuse("density", "the power zero is no bijection")
    _needs(x, Interval(0.0, math.inf, lo_open=exponent < 0), "a power")
    k = float(exponent)
    return power(y, 1.0 / k), math.log(abs(k)) + ((k - 1.0) / k) * log(y)


def _pow(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    exponent = node.operands[1].constant
    if place == 1 or exponent is None or exponent.shape:
        refuse("density", "only powers with a fixed exponent have an inverse that is known")
    return _power(node, float(exponent), y)


def _dot(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    matrix = node.operands[0]
    if place == 0 or len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1] or len(y.shape) != 1:
        refuse("density", "only a square matrix times the variable has an inverse that is known")
    builder = y.builder
    if matrix.primitive.name == "cholesky":
        solved = builder.apply("triangular_solve", matrix, y, lower=True, transposed=False)
    else:
        solved = builder.apply("solve", matrix, y)
    return solved, _Total(builder.apply("logabsdet", matrix))


def _reshape(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    return y.builder.apply("reshape", y, shape=node.operands[0].shape), 0.0


def _transpose(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    axes = node.params["axes"]
    return y.builder.apply("transpose", y, axes=tuple(axes.index(k) for k in range(len(axes)))), 0.0


def _broadcast(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    refuse("density", "a variable is repeated over an array: the result is singular and has no density")


def _log_image(y: Node) -> Node:
    return -y


#: Preimage of y, and the log volume at the preimage, by primitive.
_RULES: dict[str, Callable[[Node, int, Node], tuple[Node, Any]]] = {
    "exp": _monotone(log, log),
    "log": _monotone(exp, _log_image, Interval(0.0)),
    "log1p": _monotone(expm1, _log_image, Interval(-1.0)),
    "expm1": _monotone(log1p, log1p),
    "sqrt": _monotone(square, lambda y: -math.log(2.0) - log(y), Interval(0.0)),
    "logistic": _monotone(lambda y: log(y) - log1p(-y), lambda y: log(y) + log1p(-y)),
    "ndtr": _monotone(ndtri, lambda y: -HALF_LOG_2PI - 0.5 * square(ndtri(y))),
    "ndtri": _monotone(ndtr, lambda y: HALF_LOG_2PI + 0.5 * square(y), Interval(0.0, 1.0)),
    "atan": _monotone(tan, lambda y: -log1p(square(tan(y)))),
    "tanh": _monotone(atanh, lambda y: log1p(-square(y))),
    "sinh": _monotone(asinh, lambda y: log(cosh(asinh(y)))),
    "asinh": _monotone(sinh, lambda y: -log(cosh(y))),
    "logit": _monotone(logistic, lambda y: abs_(y) + 2.0 * log1p(exp(-abs_(y))), Interval(0.0, 1.0)),
    "neg": lambda node, place, y: (-y, 0.0),
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "pow": _pow,
    "integer_pow": lambda node, place, y: _power(node, node.params["exponent"], y),
    "dot": _dot,
    "reshape": _reshape,
    "transpose": _transpose,
    "broadcast": _broadcast,
    "convert": lambda node, place, y: (y, 0.0),
}
