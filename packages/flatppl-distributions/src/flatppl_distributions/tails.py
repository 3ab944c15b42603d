"""Logarithms of the tails of gamma and beta laws, also where the tails themselves underflow.

In ``u = log t`` (gamma) or ``u = logit t`` (beta) the densities are log-concave. Far out a tail is the density at its
edge times the integral of ``exp(e(s))`` over the distance s from the edge, for a concave e that falls from e(0) = 0 at
least as fast as it does at first: Gauss and Legendre's rule on a few of its lengths gives that to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from flatppl.tensor.ops import (
    abs_,
    betainc,
    betaincc,
    exp,
    expm1,
    gammainc,
    gammaincc,
    isfinite,
    log,
    log1p,
    select,
    sum_,
)
from flatppl.tensor.program import Node
from flatppl_distributions.numerics import Number, at_both, log_difference, log_kernel, log_peak

__all__ = ["far_beta_tail", "far_gamma_tail", "log_beta_tails", "log_between", "log_gamma_tails"]

#: Logarithms of a tail and of the rest.
Tails = tuple[Number, Number]

#: A tail is far where Chernoff's bound is below exp(-60); float32 holds what is nearer.
_FAR = -60.0
_DEPTH = 38.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def _log_reach(exponent: Callable[[Node], Node], fall: Node) -> Node:
    """Log of the integral of ``exp(exponent(s))`` over positive s, for an exponent that falls from 0 at first by ``fall``."""
    width = _DEPTH / fall
    weights = fall.builder.constant(0.5 * _WEIGHTS)
    return log(width * sum_(weights * exp(exponent(width * fall.builder.constant(0.5 + 0.5 * _NODES)))))


def far_gamma_tail(a: Node, y: Node) -> tuple[Node, Node]:
    """Whether one tail of Gamma(a, 1) cut at y inside the support is far, and its logarithm there."""
    kernel = log_kernel(a, y, y - a)
    far = kernel < _FAR
    edge = select(far, y, 2.0 * a)
    sign = select(edge > a, 1.0, -1.0)
    reach = _log_reach(lambda s: sign * a * s - edge * expm1(sign * s), abs_(edge - a))
    return far, log(a) + log_peak(a) + kernel + reach


def far_beta_tail(a: Node, b: Node, x: Node) -> tuple[Node, Node]:
    """Whether one tail of Beta(a, b) cut at x inside the support is far, and its logarithm there."""
    total = a + b
    gap = x * total - a
    kernel = log_kernel(a, x * total, gap) + log_kernel(b, (1.0 - x) * total, -gap)
    far = kernel < _FAR
    # Mirrored so that the edge is in the lower half: the logarithm below has no cancellation.
    high = x > 0.5
    first = select(high, b, a)
    edge = select(far, select(high, 1.0 - x, x), 0.5)
    lead = select(far, first, 2.0 * total) - total * edge
    sign = select(lead < 0.0, 1.0, -1.0)
    reach = _log_reach(lambda s: sign * first * s - total * log1p(edge * expm1(sign * s)), abs_(lead))
    return far, log(a) + log(b) - log(total) + log_peak(a) + log_peak(b) - log_peak(total) + kernel + reach


def log_gamma_tails(a: Node, y: Node) -> Tails:
    """``log P(a, y)`` and ``log Q(a, y)`` for y >= 0."""
    inside = (y > 0.0) & isfinite(y)
    point = select(inside, y, a)
    far, tail = far_gamma_tail(a, point)
    near = select(far, a, point)
    return _tails(y > a, inside, far, tail, (log(gammainc(a, near)), log(gammaincc(a, near))))


def log_beta_tails(a: Node, b: Node, x: Node) -> Tails:
    """``log I_x(a, b)`` and the log of its complement for 0 <= x <= 1."""
    inside = (x > 0.0) & (x < 1.0)
    mean = a / (a + b)
    point = select(inside, x, mean)
    far, tail = far_beta_tail(a, b, point)
    near = select(far, mean, point)
    return _tails(x > mean, inside, far, tail, (log(betainc(a, b, near)), log(betaincc(a, b, near))))


def _tails(upper: Node, inside: Node, far: Node, tail: Node, near: Tails) -> Tails:
    """Beyond a far tail lies everything; off the support one tail is empty."""
    edge = select(inside, tail, -math.inf)
    outside = far | ~inside
    return select(outside, select(upper, 0.0, edge), near[0]), select(outside, select(upper, edge, 0.0), near[1])


def log_between(tails: Callable[[Node], Tails], lo: Node, hi: Node) -> Number:
    """Log of the probability between two points, from the logarithms of both tails at each."""
    low, high = at_both(tails, lo, hi)
    median = -math.log(2.0)
    lower, upper = high[0] < median, low[1] < median
    across = ~(lower | upper)
    outer = exp(low[0]) + exp(high[1])
    most, least = select(lower, high[0], low[1]), select(lower, low[0], high[1])
    one_sided = log_difference(select(across, 0.0, most), select(across, -1.0, least))
    return select(across, log1p(-select(across, outer, 0.5)), one_sided)
