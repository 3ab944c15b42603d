"""Binomial(n, p): mass C(n, k) p^k (1 - p)^(n - k) at k in {0, ..., n}."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import betainc, equal, floor, lgamma, maximum, minimum, select, sqrt, xlog1py, xlogy
from flatppl.tensor.program import Node
from flatppl.values.sets import IntegerSet, posintegers, unitinterval
from flatppl_distributions.counts import least_above, least_count
from flatppl_distributions.numerics import Number, log_chance, log_complement, log_kernel, log_peak


def log_density(x: Number, n: Number, p: Number) -> Number:
    """Log mass: inside, Loader's saddle-point form, which does not cancel for large counts."""
    none, every = equal(x, 0.0), equal(x, n)
    edge = none | every
    k, size = select(edge, 1.0, x), select(edge, 2.0, n)
    chance = select(edge, 0.5, p)
    rest, gap = size - k, size * chance - k
    kernels = log_kernel(k, size * chance, gap) + log_kernel(rest, size * (1.0 - chance), -gap)
    inside = log_peak(k) + log_peak(rest) - log_peak(size) + kernels
    ends = select(none, log_complement(select(none, p, 0.0)), log_chance(select(every, p, 1.0)))
    return select(edge, n * ends, inside)


def algebraic(x: Number, n: Number, p: Number) -> Number:
    """The textbook form of ``log_density``."""
    return lgamma(n + 1.0) - lgamma(x + 1.0) - lgamma(n - x + 1.0) + xlogy(x, p) + xlog1py(n - x, -p)


def _count(x: Number, n: Number) -> Number:
    """Whole part of x, at least 0 and below n."""
    return minimum(maximum(floor(x), 0.0), n - 1.0)


def cdf(x: Number, n: Number, p: Number) -> Number:
    """Distribution function."""
    k = _count(x, n)
    return select(x < 0.0, 0.0, select(x < n, betainc(n - k, k + 1.0, 1.0 - p), 1.0))


def survival(x: Number, n: Number, p: Number) -> Number:
    """Upper tail."""
    k = _count(x, n)
    return select(x < 0.0, 1.0, select(x < n, betainc(k + 1.0, n - k, p), 0.0))


def decay(k: Number, n: Number, p: Number) -> Number:
    """Ratio of the next two masses, which falls with k; 0 from n on."""
    return select(k < n, (n - k) / (k + 1.0) * (p / (1.0 - p)), 0.0)


def quantile(u: Node, n: Node, p: Node) -> Number:
    """Least k whose distribution function reaches u."""
    return least_count(u, n * p, sqrt(n * p * (1.0 - p)), lambda k: cdf(k, n, p))


def upper_quantile(q: Node, n: Node, p: Node) -> Number:
    """Least k whose upper tail is at most q."""
    return least_above(q, n * p, sqrt(n * p * (1.0 - p)), lambda k: survival(k, n, p))


def sample(rng: Rng, n: Number, p: Number) -> Number:
    """One draw."""
    return rng.binomial(n, p)


Binomial = Distribution(
    name="Binomial",
    parameters=(("n", posintegers), ("p", unitinterval)),
    support=lambda n, p: IntegerSet(0, n),
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
        Case((10, 0.3), 4, -1.6088333502186696, 0.8497316674000001),
        Case((7, 0.0), 0, 0.0, 1.0),
        Case((7, 1.0), 7, 0.0, 1.0),
        Case((10, 1e-06), 0, -1.0000005000003333e-05, 0.9999900000449998),
        Case((1000000, 0.25), 250500, -7.656742228413213, 0.8761166126363757),
        Case((5, 0.6), 5, -2.5541281188299534, 1.0),
    ),
)
