"""Gamma(shape, rate): density rate^shape x^(shape - 1) exp(-rate x) / Gamma(shape) at x >= 0."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import exp, gammainc, gammaincc, gammaincinv, log, maximum
from flatppl.values.sets import nonnegreals, posreals

from flatppl_distributions.numerics import Number, log_kernel, log_peak


def log_density(x: Number, shape: Number, rate: Number) -> Number:
    """Log density on the support; at 0 it is +inf, log(rate) or -inf for a shape below, at or above 1."""
    y = rate * x
    return log(rate) + log_peak(shape) + log_kernel(shape, y, y - shape, -1.0)


def cdf(x: Number, shape: Number, rate: Number) -> Number:
    """Distribution function."""
    return gammainc(shape, rate * maximum(x, 0.0))


def survival(x: Number, shape: Number, rate: Number) -> Number:
    """Upper tail."""
    return gammaincc(shape, rate * maximum(x, 0.0))


def quantile(u: Number, shape: Number, rate: Number) -> Number:
    """Inverse of the distribution function."""
    return gammaincinv(shape, u) / rate


def sample(rng: Rng, shape: Number, rate: Number) -> Number:
    """One draw."""
    return exp(rng.loggamma(shape) - log(rate))


Gamma = Distribution(
    name="Gamma",
    parameters=(("shape", posreals), ("rate", posreals)),
    support=nonnegreals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    sample=sample,
    truth=(
        # truth: Gamma
    ),
)
