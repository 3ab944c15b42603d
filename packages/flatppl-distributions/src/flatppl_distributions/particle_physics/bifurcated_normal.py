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


def upper_quantile(q: Number, mean: Number, left: Number, right: Number) -> Number:
    """Inverse of the upper tail."""
    return -quantile(q, -mean, right, left)


BifurcatedNormal = Distribution(
    name="BifurcatedNormal",
    parameters=(("mean", reals), ("sigmaL", posreals), ("sigmaR", posreals)),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((0.0, 1.0, 2.0), -1.0, -1.824403641312837, 0.10577016928763804),
        Case((0.0, 1.0, 2.0), 1.0, -1.449403641312837, 0.5886166150320175),
        Case((1.0, 0.5, 2.0), 3.0, -1.6420820845188826, 0.7461515937096688),
        Case((0.0, 1.0, 2.0), -35.0, -613.8244036413129, 7.499404709816042e-269),
        Case((0.0, 1.0, 2.0), 12.0, -19.324403641312838, 0.9999999986845498),
        Case((3.0, 0.015625, 8.0), 2.9375, -10.307184114455826, 1.234746270297073e-07),
        Case((3.0, 0.015625, 8.0), 3.0, -2.307184114455825, 0.001949317738791423),
    ),
)
