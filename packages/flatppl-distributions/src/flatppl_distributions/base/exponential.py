"""Exponential(rate): density rate exp(-rate x) at x >= 0."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, limit
from flatppl.tensor.ops import exp, expm1, log, log1p, maximum
from flatppl.values.sets import nonnegreals, posreals
from flatppl_distributions.numerics import Number, log_difference


def log_density(x: Number, rate: Number) -> Number:
    """Log density on the support."""
    return log(rate) - rate * x


def _hazard(x: Number, rate: Number) -> Number:
    """Minus the log of the upper tail."""
    return rate * maximum(x, 0.0)


def cdf(x: Number, rate: Number) -> Number:
    """Distribution function."""
    return -expm1(-_hazard(x, rate))


def survival(x: Number, rate: Number) -> Number:
    """Upper tail."""
    return exp(-_hazard(x, rate))


def log_mass(lo: Number, hi: Number, rate: Number) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    low, high = (limit(lambda x: _hazard(x, rate), end, 0.0, math.inf) for end in (lo, hi))
    return log_difference(-low, -high)


def quantile(u: Number, rate: Number) -> Number:
    """Inverse of the distribution function."""
    return -log1p(-u) / rate


def upper_quantile(q: Number, rate: Number) -> Number:
    """Inverse of the upper tail."""
    return -log(q) / rate


Exponential = Distribution(
    name="Exponential",
    parameters=(("rate", posreals),),
    support=nonnegreals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((2.0,), 0.0, 0.6931471805599453, 0.0),
        Case((0.5,), 3.25, -2.3181471805599454, 0.8030883247958059),
        Case((1e-06,), 0.001, -13.815510558964274, 9.999999995e-10),
        Case((1000000.0,), 2.5e-06, 11.315510557964274, 0.9179150013761013),
        Case((3.0,), 100.0, -298.9013877113319, 1.0),
    ),
)
