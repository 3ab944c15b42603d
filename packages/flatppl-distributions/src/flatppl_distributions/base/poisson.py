"""Poisson(rate): mass rate^k exp(-rate) / k! at k >= 0; rate 0 is the atom at 0."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import equal, floor, gammainc, gammaincc, lgamma, maximum, select, sqrt, xlogy
from flatppl.tensor.program import Node
from flatppl.values.sets import nonnegintegers, nonnegreals
from flatppl_distributions.counts import least_above, least_count
from flatppl_distributions.numerics import Number, log_kernel, log_peak


def log_density(x: Number, rate: Number) -> Number:
    """Log mass in Loader's saddle-point form, which does not cancel for large counts."""
    none = equal(x, 0.0)
    k, mean = select(none, 1.0, x), select(none, 1.0, rate)
    return select(none, -rate, log_peak(k) + log_kernel(k, mean, mean - k))


def algebraic(x: Number, rate: Number) -> Number:
    """The textbook form of ``log_density``."""
    return xlogy(x, rate) - rate - lgamma(x + 1.0)


def cdf(x: Number, rate: Number) -> Number:
    """Distribution function."""
    return select(x < 0.0, 0.0, gammaincc(maximum(floor(x), 0.0) + 1.0, rate))


def survival(x: Number, rate: Number) -> Number:
    """Upper tail."""
    return select(x < 0.0, 1.0, gammainc(maximum(floor(x), 0.0) + 1.0, rate))


def decay(k: Number, rate: Number) -> Number:
    """Bound of the ratio of successive masses."""
    return rate / (k + 1.0)


def quantile(u: Node, rate: Node) -> Number:
    """Least k whose distribution function reaches u."""
    return least_count(u, rate, sqrt(rate), lambda k: cdf(k, rate))


def upper_quantile(q: Node, rate: Node) -> Number:
    """Least k whose upper tail is at most q."""
    return least_above(q, rate, sqrt(rate), lambda k: survival(k, rate))


def sample(rng: Rng, rate: Number) -> Number:
    """One draw."""
    return rng.poisson(rate)


Poisson = Distribution(
    name="Poisson",
    parameters=(("rate", nonnegreals),),
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
        Case((3.5,), 2, -1.6876212435692093, 0.3208471988621341),
        Case((0.0,), 0, 0.0, 1.0),
        Case((1e-06,), 1, -13.815511557964275, 0.9999999999995),
        Case((1000000.0,), 1001500, -8.95188125495289, 0.9332305590207578),
        Case((40.0,), 0, -40.0, 4.248354255291589e-18),
        Case((0.5,), 30, -95.95265176562853, 1.0),
    ),
)
