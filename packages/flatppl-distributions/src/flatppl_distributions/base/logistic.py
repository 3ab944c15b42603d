"""Logistic(mu, s): density exp(-z) / (s (1 + exp(-z))^2) with z = (x - mu)/s, even in z."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, limit
from flatppl.tensor import ops
from flatppl.tensor.ops import abs_, exp, log, log1p, minimum, select
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import Number, symmetric_log_mass

INF = float("inf")


def log_density(x: Number, mu: Number, s: Number) -> Number:
    """Log density; either sign of z gives the even function with all its derivatives."""
    z = (x - mu) / s
    distance = select(z > 0.0, z, -z)
    return -distance - log(s) - 2.0 * log1p(exp(-distance))


def cdf(x: Number, mu: Number, s: Number) -> Number:
    """Distribution function."""
    return ops.logistic((x - mu) / s)


def survival(x: Number, mu: Number, s: Number) -> Number:
    """Upper tail."""
    return ops.logistic((mu - x) / s)


def _log_cdf(z: Number) -> Number:
    return minimum(z, 0.0) - log1p(exp(-abs_(z)))


def log_mass(lo: Number, hi: Number, mu: Number, s: Number) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    low, high = (limit(lambda x: (x - mu) / s, end, -INF, INF) for end in (lo, hi))
    return symmetric_log_mass(_log_cdf, low, high)


def quantile(u: Number, mu: Number, s: Number) -> Number:
    """Inverse of the distribution function."""
    return mu + s * (log(u) - log1p(-u))


def upper_quantile(q: Number, mu: Number, s: Number) -> Number:
    """Inverse of the upper tail."""
    return mu + s * (log1p(-q) - log(q))


Logistic = Distribution(
    name="Logistic",
    parameters=(("mu", reals), ("s", posreals)),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((0.0, 1.0), 0.0, -1.3862943611198906, 0.5),
        Case((1.0, 0.25), 1.6, -1.187377943188009, 0.9168273035060777),
        Case((0.5, 2.0), -700.0, -350.94314718055995, 7.733172776189467e-153),
        Case((0.0, 1e-06), 0.001, -986.1844894420358, 1.0),
    ),
)
