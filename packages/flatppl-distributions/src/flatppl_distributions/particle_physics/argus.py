"""Argus(resonance, slope, power): density proportional to ``x u^p exp(c u)``, u = 1 - (x/m0)^2, at 0 < x < m0.

The integrals are taken in s = -log u, in which ``exp(-q s + c (exp(-s) - 1))``, q = p + 1, is entire and decays: one
Gauss-Legendre rule on each side of its peak, on the window that holds all but exp(-40) of it, serves every slope and
power, with derivatives of any order. Source: H. Albrecht et al., Phys. Lett. B 241 (1990) 278.
"""

from __future__ import annotations

import math

import numpy as np

from flatppl.distribution import Case, Distribution
from flatppl.tensor.ops import (
    exp,
    expm1,
    gammainc,
    gammaincinv,
    log,
    log1p,
    maximum,
    minimum,
    select,
    sqrt,
    square,
    sum_,
)
from flatppl.tensor.program import Node
from flatppl.values.sets import RealSet, posreals, reals
from flatppl_distributions.numerics import Number, log_kernel

_DEPTH = 40.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


def _window(slope: Node, q: Node) -> tuple[Node, Node, Node]:
    """The peak in s, and how far to its left and right the integrand falls by exp(-40) at most."""
    falling = maximum(-slope, 0.0)
    peak = log(maximum(falling / q, 1.0))
    lead = _DEPTH - 2.0 * (q - minimum(falling, q))
    right = (lead + sqrt(square(lead) + 8.0 * q * _DEPTH)) / (2.0 * q)
    rising = maximum(slope, 0.0)
    lead = _DEPTH - q - rising
    steep = 2.0 * _DEPTH / (sqrt(square(lead) + 4.0 * q * _DEPTH) - lead)
    return peak, sqrt(2.0 * _DEPTH / q), select(slope > 0.0, steep, right)


def _integral(slope: Node, q: Node, end: Number = math.inf) -> tuple[Node, Node]:
    """The integral from 0 to ``end``: log of the integrand's maximum there, and the integral relative to that."""
    peak, left, right = _window(slope, q)
    highest = minimum(peak, end)
    rate = slope * exp(-highest)
    nodes, weights = q.builder.constant(0.5 + 0.5 * _NODES), q.builder.constant(0.5 * _WEIGHTS)
    total: Number = 0.0
    for sign, width in ((-1.0, minimum(highest, left)), (1.0, maximum(minimum(end - peak, right), 0.0))):
        step = sign * width * nodes
        total = total + width * sum_(weights * exp(rate * expm1(-step) - q * step))
    return slope * expm1(-highest) - q * highest, total


def _log_integral(slope: Node, q: Node, end: Number = math.inf) -> Node:
    """Log of the integral from 0 to ``end``."""
    top, total = _integral(slope, q, end)
    return log(total) + top


def log_density(x: Number, resonance: Number, slope: Number, power: Number) -> Number:
    """Log density; for slopes that put the peak of s above 0, a gamma kernel in -c u about its peak q."""
    y, q = x / resonance, power + 1.0
    u, s = _descent(x, resonance)
    steep = -slope > q
    rate = select(steep, -slope, q)
    kernel = log_kernel(q, rate * u, rate * u - q, -1.0) + log(rate / q)
    shape = select(steep, kernel, -power * s - slope * square(y))
    return log(y) + log(2.0 / resonance) + shape - log(_integral(slope, q)[1])


def _descent(x: Number, resonance: Number) -> tuple[Number, Number]:
    """The u and s of x: ``1 - (x/m0)^2`` and minus its logarithm."""
    inner = minimum(maximum(x, 0.0), resonance)
    y, rest = inner / resonance, (resonance - inner) / resonance
    u, small = rest * (1.0 + y), y < 0.5
    return u, -select(small, log1p(-square(select(small, y, 0.0))), log(u))


def _log_above(s: Number, slope: Number, q: Number) -> Number:
    """Log of the integral from s to infinity, the whole integral at the slope that is left."""
    return slope * expm1(-s) - q * s + _log_integral(slope * exp(-s), q)


def cdf(x: Number, resonance: Number, slope: Number, power: Number) -> Number:
    """Distribution function, accurate in the lower tail."""
    q = power + 1.0
    return exp(minimum(_log_integral(slope, q, _descent(x, resonance)[1]) - _log_integral(slope, q), 0.0))


def survival(x: Number, resonance: Number, slope: Number, power: Number) -> Number:
    """Upper tail."""
    q = power + 1.0
    return exp(minimum(_log_above(_descent(x, resonance)[1], slope, q) - _log_integral(slope, q), 0.0))


def _start(q: Number, log_q: Number, slope: Number, order: Number) -> Number:
    """An s from which Newton's method converges: from the incomplete gamma function for negative slopes."""
    negative = slope < -1.0
    fall = select(negative, -slope, 1.0)
    share = gammaincinv(order, q * gammainc(order, fall)) / fall
    return select(negative, -log(maximum(share, 1e-30)), -log_q / (order + maximum(slope, 0.0)))


def _inverse(u: Number, q: Number, log_q: Number, resonance: Number, slope: Number, power: Number) -> Number:
    """The point with probability u below it and q above it.

    Newton's method in s on the log of the upper tail, and last on the cdf where that is the smaller one.
    """
    order = power + 1.0
    whole = _log_integral(slope, order)
    s = _start(q, log_q, slope, order)
    for _ in range(7):
        # The logarithm of the upper tail falls at the rate exp(-log of the integral at the slope that is left).
        s = s + (_log_above(s, slope, order) - whole - log_q) * exp(_log_integral(slope * exp(-s), order))
        s = maximum(s, 1e-30)
    mass = exp(_log_integral(slope, order, s) - whole)
    s = s - select(u < 0.5, (mass - u) * exp(whole + order * s - slope * expm1(-s)), 0.0)
    return resonance * sqrt(maximum(-expm1(-s), 0.0))


def quantile(u: Number, resonance: Number, slope: Number, power: Number) -> Number:
    """Inverse of the distribution function."""
    return _inverse(u, 1.0 - u, log1p(-u), resonance, slope, power)


def upper_quantile(q: Number, resonance: Number, slope: Number, power: Number) -> Number:
    """Inverse of the upper tail."""
    return _inverse(1.0 - q, q, log(q), resonance, slope, power)


Argus = Distribution(
    name="Argus",
    parameters=(("resonance", posreals), ("slope", reals), ("power", posreals)),
    support=lambda resonance, slope, power: RealSet(0.0, resonance, lo_open=True, hi_open=True),
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((10.0, -2.0, 0.5), 5.0, -2.482837514051994, 0.17624201017211186),
        Case((10.0, -2.0, 0.5), 9.0, -1.46157541633481, 0.8090933501556693),
        Case((5.29, 3.0, 0.5), 2.0, -1.1166773033689652, 0.4265262582470596),
        Case((1.0, 0.0, 1.0), 0.25, -0.06453852113757118, 0.12109375),
        Case((5.29, -20.0, 0.5), 5.28, 0.7748811086618524, 0.9850701753702129),
        Case((5.29, 40.0, 0.3), 1.0, -0.38224302010833305, 0.7632121162069504),
        Case((1.0, -500.0, 2.0), 0.9375, -46.18996970585983, 9.60114311621329e-24),
        Case((1.0, -30.0, 50.0), 0.625, -9.722505287959528, 0.9999991213497447),
        Case((1.0, 300.0, 0.01), 0.015625, 2.164835387281789, 0.07062655728840364),
        Case((5.29, -20.0, 0.5), 1e-06, -31.839619210522727, 7.433598069001576e-21),
        Case((1000.0, -1000.0, 0.001), 999.0, -1.3055842791198367, 0.13569175787201496),
        Case((1.0, 13.5, 1e-05), 0.25, 1.0657940369099048, 0.5699064438859492),
        Case((1.0, -10000.0, 300.0), 0.984375, 5.951683015129089, 0.29592822389342827),
    ),
)
