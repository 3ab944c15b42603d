"""Categorical0(p): Categorical(p) counted from zero, mass p[k + 1] at k in {0, ..., n - 1}."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, SimplexVector
from flatppl.tensor.program import Node
from flatppl.values.sets import IntegerSet
from flatppl_distributions.base import categorical
from flatppl_distributions.numerics import Number


def log_density(x: Node, p: Node) -> Number:
    """Log mass at a category."""
    return categorical.log_density(x + 1.0, p)


def cdf(x: Number, p: Node) -> Number:
    """Distribution function."""
    return categorical.cdf(x + 1.0, p)


def survival(x: Number, p: Node) -> Number:
    """Upper tail."""
    return categorical.survival(x + 1.0, p)


def quantile(u: Number, p: Node) -> Number:
    """First category whose cumulative mass reaches u."""
    return categorical.quantile(u, p) - 1


def upper_quantile(q: Number, p: Node) -> Number:
    """First category beyond which the mass is at most q."""
    return categorical.upper_quantile(q, p) - 1


Categorical0 = Distribution(
    name="Categorical0",
    parameters=(("p", SimplexVector()),),
    support=lambda p: IntegerSet(0, p.shape[0] - 1),
    discrete=True,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case(([0.2, 0.5, 0.3],), 1, -0.6931471805599453, 0.7),
        Case(([0.2, 0.5, 0.3],), 2, -1.203972804325936, 1.0),
        Case(([0.0, 0.25, 0.75],), 1, -1.3862943611198906, 0.25),
    ),
)
