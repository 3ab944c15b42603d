"""VonMises(mu, kappa): density exp(kappa cos(x - mu)) / (2 pi I_0(kappa)), periodic; mass one per period.

The distribution function starts at ``mu - pi``. It is a Gauss-Legendre rule on the window next to x outside of which the
density is less than exp(-40) of its value at x: as accurate in the tails as at the mode, at any concentration, where
the series in Bessel functions cancels or needs ever more terms.
"""

from __future__ import annotations

import math

import numpy as np

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import (
    abs_,
    acos,
    asin,
    cos,
    exp,
    expm1,
    log,
    log_i0e,
    maximum,
    minimum,
    ndtri,
    select,
    sign,
    sin,
    sqrt,
    square,
    sum_,
    take,
)
from flatppl.tensor.program import Node
from flatppl.values.sets import RealSet, posreals, reals
from flatppl_distributions.numerics import Number

#: Proposals per draw; each is accepted with probability above 0.65, so that all fail in 1e-29 of the draws.
PROPOSALS = 64

_DEPTH = 40.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


def log_density(x: Number, mu: Number, kappa: Number) -> Number:
    """Log density."""
    return -2.0 * kappa * square(sin((x - mu) / 2.0)) - math.log(2.0 * math.pi) - log_i0e(kappa)


def _reach(a: Node, kappa: Node) -> Node:
    """The probability between angles a and pi from the mode, over the density at a."""
    narrow = 2.0 * kappa > _DEPTH
    window = select(narrow, 2.0 * asin(sqrt(0.5 * _DEPTH / select(narrow, kappa, _DEPTH))), math.pi)
    half = 0.5 * minimum(math.pi - a, window)
    t = half * (0.5 * (1.0 + kappa.builder.constant(_NODES)))
    fall = exp(-2.0 * kappa * sin(t) * sin(a + t))
    return half * sum_(kappa.builder.constant(_WEIGHTS) * fall)


def _outside(x: Node, mu: Node, kappa: Node) -> Node:
    """Probability beyond x on the side of the mode where x is."""
    angle = minimum(abs_(x - mu), math.pi)
    return exp(log_density(angle, 0.0, kappa)) * _reach(angle, kappa)


def cdf(x: Node, mu: Node, kappa: Node) -> Number:
    """Distribution function on the period around mu."""
    outside = _outside(x, mu, kappa)
    return select(x < mu, outside, 1.0 - outside)


def survival(x: Node, mu: Node, kappa: Node) -> Number:
    """Upper tail."""
    outside = _outside(x, mu, kappa)
    return select(x < mu, 1.0 - outside, outside)


def quantile(u: Node, mu: Node, kappa: Node) -> Number:
    """Inverse of the distribution function: Newton's method for the log of the smaller tail in that of pi - angle."""
    tail = minimum(u, 1.0 - u)
    least = 16.0 * u.builder.apply("epsilon")
    angle = minimum(-ndtri(tail) / sqrt(kappa), math.pi - maximum(2.0 * math.pi * tail, least))
    for _ in range(5):
        angle = minimum(angle, math.pi - least)
        reach, left = _reach(angle, kappa), maximum(math.pi - angle, least)
        excess = log_density(angle, 0.0, kappa) + log(reach) - log(tail)
        angle = maximum(angle - left * expm1(-excess * reach / left), 0.5 * angle)
    return mu + sign(u - 0.5) * minimum(angle, math.pi)


def upper_quantile(q: Node, mu: Node, kappa: Node) -> Number:
    """Inverse of the upper tail."""
    return -quantile(q, -mu, kappa)


def sample(rng: Rng, mu: Node, kappa: Node) -> Number:
    """One draw in [mu - pi, mu + pi]: the first accepted proposal of Best and Fisher (1979)."""
    k = maximum(kappa, 1e-4)
    tau = 1.0 + sqrt(1.0 + 4.0 * square(k))
    rho = (tau - sqrt(2.0 * tau)) / (2.0 * k)
    r = (1.0 + square(rho)) / (2.0 * rho)
    z = cos(math.pi * rng.uniform((PROPOSALS,)))
    f = minimum(maximum((1.0 + r * z) / (r + z), -1.0), 1.0)
    c = k * (r - f)
    accepted = log(c / rng.uniform((PROPOSALS,))) + 1.0 - c >= 0.0
    rejected_before = _leading(accepted)
    angle = acos(take(f, rejected_before))
    return mu + angle * sign(rng.uniform() - 0.5)


def _leading(accepted: Node) -> Node:
    """Number of rejections before the first acceptance, at most one less than there are proposals."""
    builder = accepted.builder
    rejections = builder.convert(~accepted, "integer")
    run = builder.apply("cumprod", rejections, axis=0)
    return minimum(sum_(run), PROPOSALS - 1)


VonMises = Distribution(
    name="VonMises",
    parameters=(("mu", reals), ("kappa", posreals)),
    support=lambda mu, kappa: RealSet(mu - math.pi, mu + math.pi),
    log_density=log_density,
    periodic=True,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case((0.0, 1.0), 0.0, -1.0737914249165241, 0.5),
        Case((0.5, 2.5), -1.0, -2.851872733436116, 0.024919948819245235),
        Case((1.0, 1000.0), 1.25, -28.552764245634027, 0.9999999999999984),
        Case((0.0, 20.0), -3.0, -39.22733742666253, 1.142030627237744e-18),
        Case((0.0, 1e-06), 2.5, -1.837877867553211, 0.8978874529795193),
        Case((0.0, 1000000.0), -0.0234375, -268.65681387967885, 8.97779558292915e-122),
    ),
)
