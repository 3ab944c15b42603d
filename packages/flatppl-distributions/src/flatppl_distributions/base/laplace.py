"""Laplace(location, scale): density exp(-abs(z)) / (2 scale) with z = (x - location)/scale."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, limit
from flatppl.tensor.ops import abs_, exp, log, log1p, minimum, select, sign
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import Number, symmetric_log_mass

LOG_2 = math.log(2.0)


def log_density(x: Number, location: Number, scale: Number) -> Number:
    """Log density."""
    return -LOG_2 - log(scale) - abs_((x - location) / scale)


def cdf(x: Number, location: Number, scale: Number) -> Number:
    """Distribution function."""
    z = (x - location) / scale
    tail = 0.5 * exp(-abs_(z))
    return select(z < 0.0, tail, 1.0 - tail)


def survival(x: Number, location: Number, scale: Number) -> Number:
    """Upper tail."""
    return cdf(-x, -location, scale)


def _log_cdf(z: Number) -> Number:
    tail = exp(-abs_(z))
    return select(z < 0.0, z - LOG_2, log1p(-0.5 * tail))


def log_mass(lo: Number, hi: Number, location: Number, scale: Number) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    low, high = (limit(lambda x: (x - location) / scale, end, -math.inf, math.inf) for end in (lo, hi))
    return symmetric_log_mass(_log_cdf, low, high)


def quantile(u: Number, location: Number, scale: Number) -> Number:
    """Inverse of the distribution function."""
    return location - scale * sign(u - 0.5) * log(2.0 * minimum(u, 1.0 - u))


def upper_quantile(q: Number, location: Number, scale: Number) -> Number:
    """Inverse of the upper tail."""
    return -quantile(q, -location, scale)


Laplace = Distribution(
    name="Laplace",
    parameters=(("location", reals), ("scale", posreals)),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((0.0, 1.0), 0.0, -0.6931471805599453, 0.5),
        Case((1.0, 0.25), 1.6, -1.706852819440055, 0.9546410233552938),
        Case((0.5, 2.0), -700.0, -351.6362943611199, 3.8665863880947336e-153),
    ),
)
