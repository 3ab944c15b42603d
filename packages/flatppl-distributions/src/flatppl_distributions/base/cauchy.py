"""Cauchy(location, scale): density 1 / (pi scale (1 + z^2)) with z = (x - location)/scale."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution
from flatppl.tensor.ops import atan2, log, minimum, sign, tan
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import Number, log1p_square


def log_density(x: Number, location: Number, scale: Number) -> Number:
    """Log density."""
    return -math.log(math.pi) - log(scale) - log1p_square((x - location) / scale)


def cdf(x: Number, location: Number, scale: Number) -> Number:
    """Distribution function, accurate in the lower tail."""
    return atan2(1.0, (location - x) / scale) / math.pi


def survival(x: Number, location: Number, scale: Number) -> Number:
    """Upper tail."""
    return atan2(1.0, (x - location) / scale) / math.pi


def quantile(u: Number, location: Number, scale: Number) -> Number:
    """Inverse of the distribution function."""
    return location + scale * sign(u - 0.5) / tan(math.pi * minimum(u, 1.0 - u))


def upper_quantile(q: Number, location: Number, scale: Number) -> Number:
    """Inverse of the upper tail."""
    return -quantile(q, -location, scale)


Cauchy = Distribution(
    name="Cauchy",
    parameters=(("location", reals), ("scale", posreals)),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((0.0, 1.0), 0.0, -1.1447298858494002, 0.5),
        Case((1.0, 0.5), 2.75, -3.035580257721686, 0.9114144672170953),
        Case((0.0, 1e-06), 1000000.0, -42.59126155974222, 0.9999999999996817),
        Case((2.0, 3.0), -1000000000000.0, -55.30815982904239, 9.549296585494622e-13),
        Case((0.0, 1.0), 1e30, -139.29983546549215, 1.0),
    ),
)
