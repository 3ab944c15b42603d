"""Functions that several distributions share, accurate where the textbook expression cancels or overflows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from flatppl.tensor.mapping import cells, finish_map
from flatppl.tensor.ops import (
    abs_,
    builder_of,
    element,
    equal,
    exp,
    expm1,
    lgamma,
    log,
    log1p,
    maximum,
    minimum,
    select,
    square,
    stack,
    xlogy,
)
from flatppl.tensor.program import Region

__all__ = [
    "HALF_LOG_2PI", "Number", "at_both", "log1p_minus", "log1p_square", "log_chance", "log_complement", "log_difference",
    "log_kernel", "log_peak", "stirling_error", "symmetric_log_mass",
]  # fmt: skip

#: A node, or a Python number.
Number = Any

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)

#: Coefficients of 1/a, 1/a^3, ... of the Stirling series.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def _horner(coefficients: tuple[float, ...], x: Number) -> Number:
    total: Number = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def log1p_square(z: Number) -> Number:
    """``log(1 + z^2)`` where ``z^2`` may overflow."""
    size = abs_(z)
    large = maximum(size, 1.0)
    return 2.0 * log(large) + log1p(square(minimum(size, 1.0) / large))


def log1p_minus(t: Number) -> Number:
    """``log(1 + t) - t`` for ``abs(t) <= 0.2``, from the series of the inverse hyperbolic tangent."""
    y = t / (2.0 + t)
    series = _horner(tuple(1.0 / (2 * j + 3) for j in range(8)), square(y))
    return y * (2.0 * square(y) * series - t)


def log_chance(p: Number) -> Number:
    """``log(p)``, -inf at 0 with derivative 0."""
    none = equal(p, 0.0)
    return select(none, -math.inf, log(select(none, 1.0, p)))


def log_complement(p: Number) -> Number:
    """``log(1 - p)``, -inf at 1 with derivative 0."""
    sure = equal(p, 1.0)
    return select(sure, -math.inf, log1p(-select(sure, 0.0, p)))


def stirling_error(a: Number) -> Number:
    """``lgamma(a) - ((a - 1/2) log(a) - a + log(2 pi)/2)`` for positive a."""
    large = a > 10.0
    far, near = select(large, a, 10.0), select(large, 1.0, a)
    series = _horner(_STIRLING, square(1.0 / far)) / far
    return select(large, series, lgamma(near) - (near - 0.5) * log(near) + near - HALF_LOG_2PI)


def log_peak(a: Number) -> Number:
    """``log(a^a exp(-a) / Gamma(a + 1))`` for positive a: the Poisson mass of a at rate a."""
    return -HALF_LOG_2PI - 0.5 * log(a) - stirling_error(a)


def log_kernel(a: Number, y: Number, gap: Number, shift: float = 0.0) -> Number:
    """``log((y/a)^(a + shift) exp(a - y))`` for positive a.

    The peak near ``y = a``, where a large a cancels, is a series in ``gap``, the difference ``y - a`` as accurately
    as the caller knows it.
    """
    ratio, t = y / a, gap / a
    near, vast = abs_(t) < 0.2, equal(ratio, math.inf)
    close = select(near, t, 0.0)
    peak = a * log1p_minus(close) + shift * log1p(close)
    tail = xlogy(a + shift, select(near | vast, 1.0, ratio)) - select(vast, math.inf, gap)
    return select(near, peak, tail)


def log_difference(high: Number, low: Number) -> Number:
    """``log(exp(high) - exp(low))``; -inf where nothing remains."""
    nothing = equal(high, -math.inf)
    d = select(nothing, -1.0, minimum(low - select(nothing, 0.0, high), 0.0))
    near = d > -0.7
    return high + select(near, log(-expm1(select(near, d, -1.0))), log1p(-exp(select(near, -1.0, d))))


def symmetric_log_mass(log_cdf: Callable[[Number], Number], lo: Number, hi: Number) -> Number:
    """Log mass of [lo, hi] under a law that is symmetric about 0, from its smaller tail."""
    flip = lo + hi > 0.0
    (below,), (above,) = at_both(lambda x: (log_cdf(x),), select(flip, -hi, lo), select(flip, -lo, hi))
    return log_difference(above, below)


def at_both(f: Callable[[Number], Sequence[Number]], lo: Number, hi: Number) -> tuple[Sequence[Any], Sequence[Any]]:
    """``f(lo)`` and ``f(hi)``: one program over both ends, unless one of them folds to numbers."""
    low, high = f(lo), f(hi)
    builder = builder_of(*low, *high)
    if builder is None:
        return low, high
    low, high = (tuple(map(builder.lift, nodes)) for nodes in (low, high))
    if any(all(node.constant is not None for node in nodes) for nodes in (low, high)):
        return low, high
    ends = [stack(builder.lift(lo), hi)]
    region = Region(max((*low, *high), key=lambda node: node.region.depth).region)
    variables = cells(builder, ends, (2,), region)
    pairs = finish_map(builder, ends, (2,), region, variables, [builder.lift(x) for x in f(variables[0])])
    return [element(pair, 0) for pair in pairs], [element(pair, 1) for pair in pairs]
