"""NegativeBinomial2(mu, psi): counts with mean mu and variance mu + mu^2/psi.

Mass ``Gamma(k + psi) / (Gamma(psi) k!) (mu/(mu + psi))^k (psi/(mu + psi))^psi``: a Poisson law whose rate is gamma
distributed with mean mu and shape psi.
"""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import betainc, equal, exp, floor, log, log1p, maximum, select, sqrt
from flatppl.tensor.program import Node
from flatppl.values.sets import nonnegintegers, posreals
from flatppl_distributions.counts import least_above, least_count
from flatppl_distributions.numerics import Number, log_kernel, log_peak


def log_density(x: Number, mu: Number, psi: Number) -> Number:
    """Log mass in Loader's saddle-point form: a binomial with psi successes and k failures, times psi/(k + psi)."""
    none = equal(x, 0.0)
    k = select(none, 1.0, x)
    size, share = k + psi, psi / (psi + mu)
    gap = (k - mu) * share
    kernels = log_kernel(psi, size * share, gap) + log_kernel(k, size * (mu / (psi + mu)), -gap)
    some = log(psi) - log(size) + log_peak(psi) + log_peak(k) - log_peak(size) + kernels
    return select(none, -psi * log1p(mu / psi), some)


def cdf(x: Number, mu: Number, psi: Number) -> Number:
    """Distribution function."""
    k = maximum(floor(x), 0.0)
    return select(x < 0.0, 0.0, betainc(psi, k + 1.0, psi / (mu + psi)))


def survival(x: Number, mu: Number, psi: Number) -> Number:
    """Upper tail."""
    k = maximum(floor(x), 0.0)
    return select(x < 0.0, 1.0, betainc(k + 1.0, psi, mu / (mu + psi)))


def decay(k: Number, mu: Number, psi: Number) -> Number:
    """Bound of the ratio of successive masses, which approaches its limit from above or from below."""
    return maximum((k + psi) / (k + 1.0), 1.0) * (mu / (mu + psi))


def _deviation(mu: Node, psi: Node) -> Node:
    return sqrt(mu) * sqrt(1.0 + mu / psi)


def quantile(u: Node, mu: Node, psi: Node) -> Number:
    """Least k whose distribution function reaches u."""
    return least_count(u, mu, _deviation(mu, psi), lambda k: cdf(k, mu, psi))


def upper_quantile(q: Node, mu: Node, psi: Node) -> Number:
    """Least k whose upper tail is at most q."""
    return least_above(q, mu, _deviation(mu, psi), lambda k: survival(k, mu, psi))


def sample(rng: Rng, mu: Number, psi: Number) -> Number:
    """One draw: a Poisson count at a gamma-distributed rate."""
    return rng.poisson(exp(rng.loggamma(psi) + log(mu) - log(psi)))


NegativeBinomial2 = Distribution(
    name="NegativeBinomial2",
    parameters=(("mu", posreals), ("psi", posreals)),
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
        Case((3.5, 2.0), 4, -2.2217044058950886, 0.7058994863851711),
        Case((0.25, 10.0), 0, -0.24692612590371502, 0.7811984017257266),
        Case((2.0, 1000000.0), 3, -1.7123189275473858, 0.8571232800518336),
        Case((1000.0, 0.5), 12, -5.63193159444182, 0.08990021276083461),
    ),
)
