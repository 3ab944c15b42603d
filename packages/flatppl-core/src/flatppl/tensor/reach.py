"""Where a point is no value of a function, for functions that are not affine."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable

from flatppl.tensor.intervals import NONNEGATIVE, POSITIVE, REALS, Interval
from flatppl.tensor.ops import equal
from flatppl.tensor.program import Node
from flatppl.tensor.ranges import range_of

__all__ = ["Reach", "beyond", "exponent_of", "reach_of"]

#: ``reach(node, y, almost_sure)``: where y is no value of the node, or None for nowhere; ``almost_sure`` closes the ends.
Reach = Callable[[Node, Node, bool], Node | None]


def exponent_of(node: Node) -> float | None:
    """The fixed exponent of a power; None for other nodes."""
    match node.primitive.name:
        case "sqrt":
            return 0.5
        case "integer_pow":
            return float(node.params["exponent"])
        case "pow":
            value = node.operands[1].constant
            return None if value is None or value.shape else float(value)
    return None


def _within(image: Interval = REALS) -> Reach:
    """Where y is beyond what a function reaches for real arguments, or beyond the range of the node."""
    return lambda node, y, almost_sure: beyond(y, range_of(node).meet(image), almost_sure)


def beyond(y: Node, image: Interval, almost_sure: bool) -> Node | None:
    """Where y lies outside an interval."""
    bounds = []
    if image.lo > -math.inf:
        bounds.append(y <= image.lo if image.lo_open and not almost_sure else y < image.lo)
    if image.hi < math.inf:
        bounds.append(y >= image.hi if image.hi_open and not almost_sure else y > image.hi)
    return functools.reduce(operator.or_, bounds) if bounds else None


def _power_reach(node: Node, y: Node, almost_sure: bool) -> Node | None:
    exponent = exponent_of(node)
    image = POSITIVE if exponent is not None and exponent < 0.0 else NONNEGATIVE
    return _within(image)(node, y, almost_sure)


def _div_reach(node: Node, y: Node, almost_sure: bool) -> Node | None:
    """The quotient of a number by the variable is not zero."""
    return None if almost_sure else equal(y, 0.0)


def reach_of(node: Node, place: int) -> Reach | None:
    """The rule of a node that is not affine in its operand at a place."""
    affine = node.primitive.name == "div" and place == 0
    return None if affine else _REACH.get(node.primitive.name)


#: Where y is no value of a node, for all functions that are not affine. An end that is reached only at infinity is
#: open here, whatever a range says: ranges bound rounded values.
_REACH: dict[str, Reach] = {
    "exp": _within(POSITIVE),
    "log": _within(),
    "log1p": _within(),
    "expm1": _within(Interval(-1.0, lo_open=True)),
    "sqrt": _power_reach,
    "logistic": _within(Interval(0.0, 1.0, True, True)),
    "ndtr": _within(Interval(0.0, 1.0, True, True)),
    "ndtri": _within(),
    "atan": _within(),
    "tanh": _within(Interval(-1.0, 1.0, True, True)),
    "sinh": _within(),
    "asinh": _within(),
    "logit": _within(),
    "div": _div_reach,
    "pow": _power_reach,
    "integer_pow": _power_reach,
    "annotated": _within(),
}
