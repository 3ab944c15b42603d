"""Normal(mu, sigma): density exp(-z^2/2) / (sigma sqrt(2 pi)) with z = (x - mu)/sigma."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng, limit
from flatppl.tensor.ops import log, log_ndtr, ndtr, ndtri, square
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import HALF_LOG_2PI, Number, symmetric_log_mass

INF = float("inf")


def log_density(x: Number, mu: Number, sigma: Number) -> Number:
    """Log density."""
    return -log(sigma) - HALF_LOG_2PI - 0.5 * square((x - mu) * (1.0 / sigma))


def cdf(x: Number, mu: Number, sigma: Number) -> Number:
    """Distribution function."""
    return ndtr((x - mu) / sigma)


def survival(x: Number, mu: Number, sigma: Number) -> Number:
    """Upper tail."""
    return ndtr((mu - x) / sigma)


def log_mass(lo: Number, hi: Number, mu: Number, sigma: Number) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    low, high = (limit(lambda x: (x - mu) / sigma, end, -INF, INF) for end in (lo, hi))
    return symmetric_log_mass(log_ndtr, low, high)


def quantile(u: Number, mu: Number, sigma: Number) -> Number:
    """Inverse of the distribution function."""
    return mu + sigma * ndtri(u)


def upper_quantile(q: Number, mu: Number, sigma: Number) -> Number:
    """Inverse of the upper tail."""
    return mu - sigma * ndtri(q)


def to_normal(x: Number, mu: Number, sigma: Number) -> Number:
    """Standard normal deviate of the same probability."""
    return (x - mu) / sigma


def from_normal(z: Number, mu: Number, sigma: Number) -> Number:
    """Inverse of ``to_normal``."""
    return mu + sigma * z


def sample(rng: Rng, mu: Number, sigma: Number) -> Number:
    """One draw."""
    return mu + sigma * rng.normal()


Normal = Distribution(
    name="Normal",
    parameters=(("mu", reals), ("sigma", posreals)),
    support=reals,
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
        Case((0.0, 1.0), 0.0, -0.9189385332046728, 0.5),
        Case((1.5, 0.25), 1.75, -0.032644172084782125, 0.8413447460685429),
        Case((-3.0, 1000000.0), 100000.0, -14.739449391173446, 0.5398290281344927),
        Case((0.0, 1.0), -38.0, -722.9189385332047, 2.88542835e-316),
        Case((0.5, 1e-06), 0.500003, 8.396572024833867, 0.9986501019682602),
    ),
)
