"""Weibull(shape, scale): density (shape/scale) y^(shape - 1) exp(-y^shape) with y = x/scale, at x >= 0."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, limit
from flatppl.tensor.ops import exp, expm1, isfinite, log, log1p, power, select, xlogy
from flatppl.values.sets import nonnegreals, posreals
from flatppl_distributions.numerics import Number, log_difference


def log_density(x: Number, shape: Number, scale: Number) -> Number:
    """Log density on the support."""
    y = x / scale
    return log(shape) - log(scale) + xlogy(shape - 1.0, y) - _hazard(x, shape, scale)


def _hazard(x: Number, shape: Number, scale: Number) -> Number:
    """Minus the log of the upper tail: (x/scale)^shape for positive x, infinite with derivative 0 where that overflows."""
    positive = x > 0.0
    y = select(positive, x, scale) / scale
    fits = isfinite(exp(shape * log(y)))
    return select(positive, select(fits, power(select(fits, y, 1.0), shape), math.inf), 0.0)


def cdf(x: Number, shape: Number, scale: Number) -> Number:
    """Distribution function."""
    return -expm1(-_hazard(x, shape, scale))


def survival(x: Number, shape: Number, scale: Number) -> Number:
    """Upper tail."""
    return exp(-_hazard(x, shape, scale))


def log_mass(lo: Number, hi: Number, shape: Number, scale: Number) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    low, high = (limit(lambda x: _hazard(x, shape, scale), end, 0.0, math.inf) for end in (lo, hi))
    return log_difference(-low, -high)


def quantile(u: Number, shape: Number, scale: Number) -> Number:
    """Inverse of the distribution function."""
    return scale * power(-log1p(-u), 1.0 / shape)


def upper_quantile(q: Number, shape: Number, scale: Number) -> Number:
    """Inverse of the upper tail."""
    return scale * power(-log(q), 1.0 / shape)


Weibull = Distribution(
    name="Weibull",
    parameters=(("shape", posreals), ("scale", posreals)),
    support=nonnegreals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((1.5, 2.0), 1.25, -1.016789771475958, 0.389883822115826),
        Case((1.0, 4.0), 0.0, -1.3862943611198906, 0.0),
        Case((0.5, 1.0), 1e-12, 13.122362377404329, 9.999995000001667e-07),
        Case((30.0, 3.0), 3.3, -12.382821961566915, 0.9999999735868084),
        Case((1000.0, 1e-06), 9.999e-07, 19.718527948054838, 0.5953905076934977),
    ),
)
