"""LogNormal(mu, sigma): the law of exp(y) for y ~ Normal(mu, sigma)."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng, limit
from flatppl.tensor.ops import exp, log, select
from flatppl.values.sets import posreals, reals
from flatppl_distributions.base import normal
from flatppl_distributions.numerics import Number


def log_density(x: Number, mu: Number, sigma: Number) -> Number:
    """Log density at x > 0."""
    y = log(x)
    return normal.log_density(y, mu, sigma) - y


def cdf(x: Number, mu: Number, sigma: Number) -> Number:
    """Distribution function, zero up to 0."""
    positive = x > 0.0
    return select(positive, normal.cdf(log(select(positive, x, 1.0)), mu, sigma), 0.0)


def survival(x: Number, mu: Number, sigma: Number) -> Number:
    """Upper tail."""
    positive = x > 0.0
    return select(positive, normal.survival(log(select(positive, x, 1.0)), mu, sigma), 1.0)


def _log_end(x: Number) -> Number:
    return select(x > 0.0, log(select(x > 0.0, x, 1.0)), -math.inf)


def log_mass(lo: Number, hi: Number, mu: Number, sigma: Number) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    low, high = (limit(_log_end, end, -math.inf, math.inf) for end in (lo, hi))
    return normal.log_mass(low, high, mu, sigma)


def quantile(u: Number, mu: Number, sigma: Number) -> Number:
    """Inverse of the distribution function."""
    return exp(normal.quantile(u, mu, sigma))


def upper_quantile(q: Number, mu: Number, sigma: Number) -> Number:
    """Inverse of the upper tail."""
    return exp(normal.upper_quantile(q, mu, sigma))


def to_normal(x: Number, mu: Number, sigma: Number) -> Number:
    """Standard normal deviate of the same probability."""
    return normal.to_normal(_log_end(x), mu, sigma)


def from_normal(z: Number, mu: Number, sigma: Number) -> Number:
    """Inverse of ``to_normal``."""
    return exp(normal.from_normal(z, mu, sigma))


def sample(rng: Rng, mu: Number, sigma: Number) -> Number:
    """One draw."""
    return exp(normal.sample(rng, mu, sigma))


LogNormal = Distribution(
    name="LogNormal",
    parameters=(("mu", reals), ("sigma", posreals)),
    support=posreals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    to_normal=to_normal,
    from_normal=from_normal,
    sample=sample,
    truth=(
        Case((0.0, 1.0), 1.0, -0.9189385332046728, 0.5),
        Case((0.5, 0.75), 2.25, -1.5281223208415164, 0.6607729690813976),
        Case((-1.0, 2.0), 1e-12, -62.6324753074651, 9.404114786432603e-41),
        Case((2.0, 0.5), 3000.0, -80.38506163573646, 1.0),
    ),
)
