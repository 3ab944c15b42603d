"""Two-body kinematics and angular functions of decays."""

from __future__ import annotations

import math
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.common import check_range, real, scalar
from flatppl.tensor.intervals import NONNEGATIVE, POSITIVE, Interval
from flatppl.tensor.ops import select, sqrt, square
from flatppl.tensor.program import Node
from flatppl.values.callables import Function, fixed_integer
from flatppl.values.forms import Tensor
from flatppl_distributions.numerics import Number

__all__ = ["FUNCTIONS"]

#: Coefficients of 1, z, z^2, ... of the Blatt-Weisskopf denominators, by l.
_BARRIERS = (
    (1.0,),
    (1.0, 1.0),
    (9.0, 3.0, 1.0),
    (225.0, 45.0, 6.0, 1.0),
    (11025.0, 1575.0, 135.0, 10.0, 1.0),
    (893025.0, 99225.0, 6300.0, 315.0, 15.0, 1.0),
    (108056025.0, 9823275.0, 496125.0, 18900.0, 630.0, 21.0, 1.0),
    (18261468225.0, 1404728325.0, 58939650.0, 1819125.0, 47250.0, 1134.0, 28.0, 1.0),
)


def _number(value: Any, name: str, parameter: str, domain: Interval, where: str) -> Node:
    """Node of a real scalar; a value provably outside the domain is refused."""
    node = scalar(value, name)
    check_range(node, domain, f"the argument {parameter} of {name}", where)
    return real(node)


def _kallen(x: Any, y: Any, z: Any) -> Tensor:
    a, b, c = (real(scalar(value, "kallen")) for value in (x, y, z))
    return Tensor(square(a - b - c) - 4.0 * b * c)


def _breakup_momentum(m: Any, ma: Any, mb: Any) -> Tensor:
    """Momentum of either daughter in the rest frame of the parent; NaN below threshold."""
    name = "breakup_momentum"
    mass = _number(m, name, "m", POSITIVE, "positive")
    a, b = (_number(value, name, key, NONNEGATIVE, "at least 0") for key, value in (("ma", ma), ("mb", mb)))
    total, difference = a + b, a - b
    threshold = sqrt((mass - total) * (mass + total))
    return Tensor(threshold * sqrt((mass - difference) * (mass + difference)) / (2.0 * mass))


def _polynomial(coefficients: tuple[float, ...], x: Node) -> Number:
    total: Number = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def _power(x: Node, exponent: int) -> Node:
    return x.builder.apply("integer_pow", x, exponent=exponent)


def _blatt_weisskopf(l: Any, p: Any, d: Any) -> Tensor:  # noqa: E741
    """``sqrt(z^l / chi_l(z))`` with z = (d p)^2; for large z in powers of 1/z."""
    name = "blatt_weisskopf"
    order = fixed_integer(l, "the argument l of blatt_weisskopf")
    if not 0 <= order < len(_BARRIERS):
        refuse("domain", f"{name} takes an l from 0 to {len(_BARRIERS) - 1}, got {order}")
    momentum = _number(p, name, "p", NONNEGATIVE, "at least 0")
    x = momentum * _number(d, name, "d", POSITIVE, "positive")
    if order == 0:
        return Tensor(x * 0.0 + 1.0)
    large = x > 1.0
    low, high = select(large, 1.0, x), select(large, x, 1.0)
    near = _power(low, order) / sqrt(_polynomial(_BARRIERS[order], square(low)))
    far = 1.0 / sqrt(_polynomial(_BARRIERS[order][::-1], square(1.0 / high)))
    return Tensor(select(large, far, near))


def _jacobi(k: int, a: int, b: int, x: Node) -> Number:
    """Jacobi polynomial ``P_k^(a, b)(x)`` by its three-term recurrence."""
    before: Number = 0.0
    now: Number = 1.0
    for n in range(1, k + 1):
        if n == 1:
            before, now = now, (a + 1.0) + (0.5 * (a + b + 2)) * (x - 1.0)
            continue
        s = 2 * n + a + b
        slope, shift = (s - 1.0) * s * (s - 2), (s - 1.0) * (a * a - b * b)
        past, scale = 2.0 * (n + a - 1) * (n + b - 1) * s, 2.0 * n * (n + a + b) * (s - 2)
        before, now = now, ((slope / scale) * x + shift / scale) * now - (past / scale) * before
    return now


def _half_power(x: Node, exponent: int) -> Number:
    """``x^(exponent/2)``, with a root only for odd exponents."""
    whole = _power(x, exponent // 2)
    return whole * sqrt(x) if exponent % 2 else whole


def _wignerd_of(name: str, doubled: tuple[int, int, int], cosbeta: Any) -> Tensor:
    """Wigner's d by Jacobi polynomials, which stay accurate for large j (Biedenharn and Louck 1981)."""
    j, m1, m2 = doubled
    if max(abs(m1), abs(m2)) > j or (j - m1) % 2 or (j - m2) % 2:
        refuse("domain", f"{name}: m1 and m2 must lie between -j and j in whole steps")
    x = _number(cosbeta, name, "cosbeta", Interval(-1.0, 1.0), "between -1 and 1")
    k = min(j + m1, j - m1, j + m2, j - m2) // 2
    a, b = abs(m1 - m2) // 2, abs(m1 + m2) // 2
    sign = -1.0 if m1 > m2 and a % 2 else 1.0
    scale = sign * math.sqrt(math.comb(j - k, k + a) / math.comb(k + b, b))
    return Tensor(scale * _half_power(0.5 * (1.0 - x), a) * _half_power(0.5 * (1.0 + x), b) * _jacobi(k, a, b, x))


def _wignerd(j: Any, m1: Any, m2: Any, cosbeta: Any) -> Tensor:
    named = (("j", j), ("m1", m1), ("m2", m2))
    spin, first, second = (fixed_integer(value, f"the argument {key} of wignerd") for key, value in named)
    return _wignerd_of("wignerd", (2 * spin, 2 * first, 2 * second), cosbeta)


def _wignerd_doublearg(two_j: Any, two_m1: Any, two_m2: Any, cosbeta: Any) -> Tensor:
    named = (("two_j", two_j), ("two_m1", two_m1), ("two_m2", two_m2))
    spin, first, second = (fixed_integer(value, f"the argument {key} of wignerd_doublearg") for key, value in named)
    return _wignerd_of("wignerd_doublearg", (spin, first, second), cosbeta)


FUNCTIONS = (
    Function("kallen", ("x", "y", "z"), _kallen),
    Function("breakup_momentum", ("m", "ma", "mb"), _breakup_momentum),
    Function("blatt_weisskopf", ("l", "p", "d"), _blatt_weisskopf),
    Function("wignerd", ("j", "m1", "m2", "cosbeta"), _wignerd),
    Function("wignerd_doublearg", ("two_j", "two_m1", "two_m2", "cosbeta"), _wignerd_doublearg),
)
