"""Categorical(p): mass p[k] at k in {1, ..., n}, for a probability vector of n entries."""

from __future__ import annotations

import numpy as np

from flatppl.distribution import Case, Distribution, SimplexVector
from flatppl.tensor.ops import convert, cumsum, maximum, minimum, reverse, select, sum_, take
from flatppl.tensor.program import Node
from flatppl.values.sets import IntegerSet
from flatppl_distributions.numerics import Number, log_chance


def log_density(x: Node, p: Node) -> Number:
    """Log mass at a category."""
    return log_chance(take(p, convert(x, "integer") - 1))


def _categories(p: Node) -> Node:
    return p.builder.constant(np.arange(1.0, p.shape[0] + 1.0))


def cdf(x: Number, p: Node) -> Number:
    """Distribution function."""
    return sum_(select(_categories(p) <= x, p, 0.0))


def survival(x: Number, p: Node) -> Number:
    """Upper tail."""
    return sum_(select(_categories(p) > x, p, 0.0))


def quantile(u: Number, p: Node) -> Number:
    """First category whose cumulative mass reaches u."""
    return minimum(sum_(convert(cumsum(p) < u, "integer")) + 1, p.shape[0])


def upper_quantile(q: Number, p: Node) -> Number:
    """First category beyond which the mass is at most q."""
    return maximum(sum_(convert(reverse(cumsum(reverse(p))) > q, "integer")), 1)


Categorical = Distribution(
    name="Categorical",
    parameters=(("p", SimplexVector()),),
    support=lambda p: IntegerSet(1, p.shape[0]),
    discrete=True,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case(([0.2, 0.5, 0.3],), 2, -0.6931471805599453, 0.7),
        Case(([0.2, 0.5, 0.3],), 3, -1.2039728043259361, 1.0),
        Case(([1.0],), 1, 0.0, 1.0),
        Case(([0.0, 0.25, 0.75],), 2, -1.3862943611198906, 0.25),
    ),
)
