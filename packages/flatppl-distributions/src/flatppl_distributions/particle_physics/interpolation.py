"""Interpolation between three anchors, at alpha = -1, 0 and +1, as in HistFactory models.

The anchors and alpha are scalars or vectors of one length; a vector makes the result a vector.
Source: K. Cranmer et al., CERN-OPEN-2012-016; CMS combine for the sixth-degree polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.common import check_range, got, real, tensor
from flatppl.tensor.intervals import POSITIVE
from flatppl.tensor.ops import abs_, exp, log, select, square
from flatppl.tensor.program import Node
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor
from flatppl_distributions.numerics import Number

__all__ = ["FUNCTIONS"]

#: Sixteen times the coefficients of alpha, alpha^2, ... over the six conditions of :func:`_poly6_exp`.
_CONDITIONS = (
    (15, -15, -7, -7, 1, -1),
    (24, 24, -9, 9, 1, 1),
    (-10, 10, 10, 10, -2, 2),
    (-24, -24, 14, -14, -2, -2),
    (3, -3, -3, -3, 1, -1),
    (8, 8, -5, 5, 1, 1),
)


def _pwlin(left: Node, center: Node, right: Node, a: Node) -> Number:
    return center + a * select(a >= 0.0, right - center, center - left)


def _pwexp(left: Node, center: Node, right: Node, a: Node) -> Number:
    return center * exp(a * select(a >= 0.0, log(right / center), -log(left / center)))


def _poly2_lin(left: Node, center: Node, right: Node, a: Node) -> Number:
    """A parabola through the anchors, continued by its tangents."""
    slope, bend = 0.5 * (right - left), 0.5 * (right + left) - center
    inside = abs_(a) <= 1.0
    t = select(inside, a, 0.0)
    above = right + (a - 1.0) * (slope + 2.0 * bend)
    below = left + (a + 1.0) * (slope - 2.0 * bend)
    return select(inside, center + t * (slope + bend * t), select(a > 0.0, above, below))


def _poly6_lin(left: Node, center: Node, right: Node, a: Node) -> Number:
    """The polynomial that meets the lines beyond the anchors with two derivatives."""
    slope, bend = 0.5 * (right - left), (right + left - 2.0 * center) / 16.0
    inside = abs_(a) <= 1.0
    t = select(inside, a, 0.0)
    u = square(t)
    polynomial = center + t * (slope + t * bend * (15.0 + u * (3.0 * u - 10.0)))
    return select(inside, polynomial, _pwlin(left, center, right, a))


def _poly6_exp(left: Node, center: Node, right: Node, a: Node) -> Number:
    """The polynomial that meets the exponentials beyond the anchors with two derivatives."""
    up, down = right / center, left / center
    log_up, log_down = log(up), log(down)
    conditions = (up - 1.0, down - 1.0, up * log_up, -down * log_down, up * square(log_up), down * square(log_down))
    inside = abs_(a) <= 1.0
    t = select(inside, a, 0.0)
    total: Number = 0.0
    for row in reversed(_CONDITIONS):
        coefficient = sum((weight / 16.0 * condition for weight, condition in zip(row, conditions, strict=True)), 0.0)
        total = (total + coefficient) * t
    return select(inside, center + center * total, _pwexp(left, center, right, a))


def _nodes(name: str, values: tuple[Any, ...]) -> list[Node]:
    """Reals of scalars and of vectors of one length."""
    found = [tensor(value, name) for value in values]
    for value in found:
        if value.levels not in ((), (1,)) or value.row:
            refuse("shape", f"{name} takes scalars or vectors, got {got(value)}")
    lengths = {value.node.shape[0] for value in found if value.levels}
    if len(lengths) > 1:
        refuse("shape", f"{name} takes vectors of one length, got lengths {', '.join(map(str, sorted(lengths)))}")
    return [real(value.node) for value in found]


def _interpolation(name: str, rule: Callable[..., Number], positive: bool = False) -> Function:
    """A function of the anchors and alpha; some rules need positive anchors."""

    def apply(*values: Any) -> Tensor:
        nodes = _nodes(name, values)
        if positive:
            for anchor, node in zip(("left", "center", "right"), nodes, strict=False):
                check_range(node, POSITIVE, f"the argument {anchor} of {name}", "positive")
        result = rule(*nodes)
        return Tensor(result, (len(result.shape),) if result.shape else ())

    return Function(name, ("left", "center", "right", "alpha"), apply)


FUNCTIONS = (
    _interpolation("interp_pwlin", _pwlin),
    _interpolation("interp_pwexp", _pwexp, positive=True),
    _interpolation("interp_poly2_lin", _poly2_lin),
    _interpolation("interp_poly6_lin", _poly6_lin),
    _interpolation("interp_poly6_exp", _poly6_exp, positive=True),
)
