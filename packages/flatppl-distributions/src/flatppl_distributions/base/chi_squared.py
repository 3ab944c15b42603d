"""ChiSquared(k): Gamma(k/2, 1/2), the law of a sum of k squared standard normals."""

from __future__ import annotations

from typing import Any

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.program import Node
from flatppl.values.sets import nonnegreals, posreals
from flatppl_distributions.base import gamma
from flatppl_distributions.numerics import Number


def log_density(x: Number, k: Number) -> Number:
    """Log density on the support."""
    return gamma.log_density(x, k / 2.0, _rate(k))


def algebraic(x: Number, k: Number) -> Number:
    """The textbook form of ``log_density``."""
    return gamma.algebraic(x, k / 2.0, _rate(k))


def _rate(k: Number) -> Any:
    return 0.5 + 0.0 * k


def cdf(x: Number, k: Number) -> Number:
    """Distribution function."""
    return gamma.cdf(x, k / 2.0, _rate(k))


def survival(x: Number, k: Number) -> Number:
    """Upper tail."""
    return gamma.survival(x, k / 2.0, _rate(k))


def log_mass(lo: Node, hi: Node, k: Node) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    return gamma.log_mass(lo, hi, k / 2.0, _rate(k))


def quantile(u: Number, k: Number) -> Number:
    """Inverse of the distribution function."""
    return gamma.quantile(u, k / 2.0, _rate(k))


def upper_quantile(q: Number, k: Number) -> Number:
    """Inverse of the upper tail."""
    return gamma.upper_quantile(q, k / 2.0, _rate(k))


def sample(rng: Rng, k: Number) -> Number:
    """One draw."""
    return gamma.sample(rng, k / 2.0, _rate(k))


ChiSquared = Distribution(
    name="ChiSquared",
    parameters=(("k", posreals),),
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
        Case((3.0,), 1.75, -1.5141306392369613, 0.3741245465394272),
        Case((2.0,), 0.0, -0.6931471805599453, 0.0),
        Case((0.5,), 1e-08, 12.35420123312621, 0.009277296076512712),
        Case((50.0,), 150.0, -26.858161853800812, 0.9999999999936848),
    ),
)
