"""Geometric(p): mass p (1 - p)^k at k = 0, 1, ...; the number of failures before the first success."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import ceil, equal, exp, expm1, floor, log, log1p, maximum, select, xlog1py
from flatppl.values.sets import nonnegintegers, unitinterval
from flatppl_distributions.numerics import Number, log_chance


def log_density(x: Number, p: Number) -> Number:
    """Log mass on the support."""
    return log_chance(p) + xlog1py(x, -p)


def algebraic(x: Number, p: Number) -> Number:
    """The textbook form of ``log_density``."""
    return log(p) + xlog1py(x, -p)


def _hazard(x: Number, p: Number) -> Number:
    """Log of the upper tail at x."""
    return xlog1py(maximum(floor(x) + 1.0, 0.0), -p)


def cdf(x: Number, p: Number) -> Number:
    """Distribution function."""
    return -expm1(_hazard(x, p))


def survival(x: Number, p: Number) -> Number:
    """Upper tail."""
    return exp(_hazard(x, p))


def decay(k: Number, p: Number) -> Number:
    """Ratio of successive masses."""
    return 1.0 - p


def _steps(log_tail: Number, p: Number) -> Number:
    """Least k at which the log of the upper tail has fallen to ``log_tail``."""
    sure = equal(p, 1.0)
    steps = log_tail / log1p(-select(sure, 0.5, p))
    return select(sure, 0.0, maximum(ceil(steps) - 1.0, 0.0))


def quantile(u: Number, p: Number) -> Number:
    """Least k whose cumulative mass reaches u."""
    return _steps(log1p(-u), p)


def upper_quantile(q: Number, p: Number) -> Number:
    """Least k whose upper tail is at most q."""
    return _steps(log(q), p)


def sample(rng: Rng, p: Number) -> Number:
    """One draw."""
    sure = equal(p, 1.0)
    return select(sure, 0.0, floor(log(rng.uniform()) / log1p(-select(sure, 0.5, p))))


Geometric = Distribution(
    name="Geometric",
    parameters=(("p", unitinterval),),
    support=nonnegintegers,
    discrete=True,
    log_density=log_density,
    algebraic=algebraic,
    cdf=cdf,
    survival=survival,
    decay=decay,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case((0.25,), 3, -2.2493405784752336, 0.68359375),
        Case((1e-06,), 250000, -14.065510682964357, 0.22120009307943755),
        Case((0.75,), 0, -0.2876820724517809, 0.75),
        Case((1.0,), 0, 0.0, 1.0),
    ),
)
