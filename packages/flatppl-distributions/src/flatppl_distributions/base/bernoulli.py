"""Bernoulli(p): mass p at 1 and 1 - p at 0."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution
from flatppl.tensor.ops import equal, select, xlog1py, xlogy
from flatppl.values.sets import IntegerSet, unitinterval
from flatppl_distributions.numerics import Number, log_chance, log_complement


def log_density(x: Number, p: Number) -> Number:
    """Log mass at 0 or 1."""
    one = equal(x, 1.0)
    return select(one, log_chance(p), log_complement(p))


def algebraic(x: Number, p: Number) -> Number:
    """The textbook form of ``log_density``."""
    return xlogy(x, p) + xlog1py(1.0 - x, -p)


def cdf(x: Number, p: Number) -> Number:
    """Distribution function."""
    return select(x < 0.0, 0.0, select(x < 1.0, 1.0 - p, 1.0))


def survival(x: Number, p: Number) -> Number:
    """Upper tail."""
    return select(x < 0.0, 1.0, select(x < 1.0, p, 0.0))


def quantile(u: Number, p: Number) -> Number:
    """Least k whose distribution function reaches u."""
    return select(u > 1.0 - p, 1, 0)


def upper_quantile(q: Number, p: Number) -> Number:
    """Least k whose upper tail is at most q."""
    return select(q < p, 1, 0)


Bernoulli = Distribution(
    name="Bernoulli",
    parameters=(("p", unitinterval),),
    support=IntegerSet(0, 1),
    discrete=True,
    log_density=log_density,
    algebraic=algebraic,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((0.3,), 1, -1.2039728043259361, 1.0),
        Case((0.3,), 0, -0.35667494393873234, 0.7),
        Case((0.0,), 0, 0.0, 1.0),
        Case((1.0,), 1, 0.0, 1.0),
        Case((1e-09,), 0, -1.0000000005000001e-09, 0.999999999),
    ),
)
