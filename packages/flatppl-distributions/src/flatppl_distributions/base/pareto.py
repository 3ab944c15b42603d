"""Pareto(shape, scale): density shape scale^shape / x^(shape + 1) at x >= scale."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, limit
from flatppl.tensor.ops import exp, expm1, log, log1p, maximum
from flatppl.values.sets import RealSet, posreals
from flatppl_distributions.numerics import Number, log_difference


def log_density(x: Number, shape: Number, scale: Number) -> Number:
    """Log density on the support."""
    return log(shape) - shape * log(x / scale) - log(x)


def _hazard(x: Number, shape: Number, scale: Number) -> Number:
    """Minus the log of the upper tail."""
    return shape * log(maximum(x / scale, 1.0))


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
    return scale * exp(-log1p(-u) / shape)


def upper_quantile(q: Number, shape: Number, scale: Number) -> Number:
    """Inverse of the upper tail."""
    return scale * exp(-log(q) / shape)


Pareto = Distribution(
    name="Pareto",
    parameters=(("shape", posreals), ("scale", posreals)),
    support=lambda shape, scale: RealSet(scale, math.inf),
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((2.5, 1.5), 2.0, -0.49606162981524254, 0.5128607103712532),
        Case((0.5, 2.0), 2.0, -1.3862943611198906, 0.0),
        Case((3.0, 1e-06), 0.001, -12.716898269296165, 0.999999999),
        Case((1.0, 4.0), 10000000000.0, -44.66540749876102, 0.9999999996),
    ),
)
