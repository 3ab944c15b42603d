"""BifurcatedNormal(mean, sigmaL, sigmaR): a normal shape of width sigmaL below the mean and sigmaR above it."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution
from flatppl.tensor.ops import abs_, log, ndtr, ndtri, select, square
from flatppl.values.sets import posreals, reals

from flatppl_distributions.numerics import Number


def log_density(x: Number, mean: Number, left: Number, right: Number) -> Number:
    """Log density."""
    z = (x - mean) / select(x < mean, left, right)
    return 0.5 * math.log(2.0 / math.pi) - log(left + right) - 0.5 * square(z)


def _outside(x: Number, mean: Number, left: Number, right: Number) -> Number:
    """Probability beyond x on the side of the mean where x is."""
    sigma = select(x < mean, left, right)
    return 2.0 * sigma / (left + right) * ndtr(-abs_(x - mean) / sigma)


def cdf(x: Number, mean: Number, left: Number, right: Number) -> Number:
    """Distribution function."""
    outside = _outside(x, mean, left, right)
    return select(x < mean, outside, 1.0 - outside)


def survival(x: Number, mean: Number, left: Number, right: Number) -> Number:
    """Upper tail."""
    outside = _outside(x, mean, left, right)
    return select(x < mean, 1.0 - outside, outside)


def quantile(u: Number, mean: Number, left: Number, right: Number) -> Number:
    """Inverse of the distribution function."""
    below = u * (left + right) < left
    sigma = select(below, left, right)
    z = ndtri(0.5 * select(below, u, 1.0 - u) * (left + right) / sigma)
    return mean + sigma * select(below, z, -z)


BifurcatedNormal = Distribution(
    name="BifurcatedNormal",
    parameters=(("mean", reals), ("sigmaL", posreals), ("sigmaR", posreals)),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    truth=(
        #CASES BifurcatedNormal
    ),
)
