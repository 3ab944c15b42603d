"""NegativeBinomial(alpha, beta): a Poisson law whose rate is Gamma(alpha, beta) distributed; mean alpha/beta.

Mass ``Gamma(k + alpha) / (Gamma(alpha) k!) (beta/(beta + 1))^alpha (1/(beta + 1))^k``.
"""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.program import Node
from flatppl.values.sets import nonnegintegers, posreals
from flatppl_distributions.base import negative_binomial2
from flatppl_distributions.numerics import Number


def log_density(x: Number, alpha: Number, beta: Number) -> Number:
    """Log mass on the support."""
    return negative_binomial2.log_density(x, alpha / beta, alpha)


def cdf(x: Number, alpha: Number, beta: Number) -> Number:
    """Distribution function."""
    return negative_binomial2.cdf(x, alpha / beta, alpha)


def survival(x: Number, alpha: Number, beta: Number) -> Number:
    """Upper tail."""
    return negative_binomial2.survival(x, alpha / beta, alpha)


def decay(k: Number, alpha: Number, beta: Number) -> Number:
    """Bound of the ratio of successive masses."""
    return negative_binomial2.decay(k, alpha / beta, alpha)


def quantile(u: Node, alpha: Node, beta: Node) -> Number:
    """Least k whose distribution function reaches u."""
    return negative_binomial2.quantile(u, alpha / beta, alpha)


def upper_quantile(q: Node, alpha: Node, beta: Node) -> Number:
    """Least k whose upper tail is at most q."""
    return negative_binomial2.upper_quantile(q, alpha / beta, alpha)


def sample(rng: Rng, alpha: Number, beta: Number) -> Number:
    """One draw."""
    return negative_binomial2.sample(rng, alpha / beta, alpha)


NegativeBinomial = Distribution(
    name="NegativeBinomial",
    parameters=(("alpha", posreals), ("beta", posreals)),
    support=nonnegintegers,
    discrete=True,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    decay=decay,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case((2.0, 0.5), 3, -2.0273255405408217, 0.5390946502057613),
        Case((10.0, 4.0), 0, -2.2314355131420975, 0.1073741824),
        Case((0.5, 0.001), 20, -5.5508478254666676, 0.16139023596927984),
    ),
)
