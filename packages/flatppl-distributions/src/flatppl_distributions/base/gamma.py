"""Gamma(shape, rate): density rate^shape x^(shape - 1) exp(-rate x) / Gamma(shape) at x >= 0."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import (
    exp,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    isfinite,
    lgamma,
    log,
    maximum,
    select,
)
from flatppl.tensor.program import Node
from flatppl.values.sets import nonnegreals, posreals
from flatppl_distributions.numerics import Number, log_kernel, log_peak
from flatppl_distributions.tails import log_between, log_gamma_tails


def log_density(x: Number, shape: Number, rate: Number) -> Number:
    """Log density on the support; at 0 it is +inf, log(rate) or -inf for a shape below, at or above 1."""
    y = rate * x
    return log(rate) + log_peak(shape) + log_kernel(shape, y, y - shape, -1.0)


def algebraic(x: Number, shape: Number, rate: Number) -> Number:
    """The textbook form of ``log_density``."""
    return shape * log(rate) - lgamma(shape) + (shape - 1.0) * log(x) - rate * x


def cdf(x: Number, shape: Number, rate: Number) -> Number:
    """Distribution function."""
    return gammainc(shape, rate * maximum(x, 0.0))


def survival(x: Number, shape: Number, rate: Number) -> Number:
    """Upper tail."""
    return gammaincc(shape, rate * maximum(x, 0.0))


def log_tails(x: Node, shape: Node, rate: Node) -> tuple[Number, Number]:
    """Logarithms of the distribution function and of the upper tail."""
    finite = isfinite(x)
    y = rate * select(finite, maximum(x, 0.0), 1.0)
    return log_gamma_tails(shape, select(finite, y, x))


def log_mass(lo: Node, hi: Node, shape: Node, rate: Node) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    return log_between(lambda x: log_tails(x, shape, rate), lo, hi)


def quantile(u: Number, shape: Number, rate: Number) -> Number:
    """Inverse of the distribution function."""
    return gammaincinv(shape, u) / rate


def upper_quantile(q: Number, shape: Number, rate: Number) -> Number:
    """Inverse of the upper tail."""
    return gammainccinv(shape, q) / rate


def sample(rng: Rng, shape: Number, rate: Number) -> Number:
    """One draw."""
    return exp(rng.loggamma(shape) - log(rate))


Gamma = Distribution(
    name="Gamma",
    parameters=(("shape", posreals), ("rate", posreals)),
    support=nonnegreals,
    log_density=log_density,
    algebraic=algebraic,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case((2.5, 0.75), 3.0, -1.605969618600207, 0.5201165618867006),
        Case((1.0, 4.0), 0.0, 1.3862943611198906, 0.0),
        Case((0.5, 1.0), 1e-12, 13.243145615038575, 1.1283791670951364e-06),
        Case((1000000.0, 1000.0), 1001.5, -2.044313756769888, 0.9331388957641022),
        Case((1e-06, 1.0), 0.5, -13.622363493336668, 0.9999994402261119),
        Case((30.0, 1e-06), 40000000.0, -18.09504535582813, 0.9567713178482644),
    ),
)
