"""InverseGamma(shape, scale): the law of 1/g for g ~ Gamma(shape, rate = scale)."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import exp, gammainc, gammaincc, gammainccinv, gammaincinv, lgamma, log, select
from flatppl.tensor.program import Node
from flatppl.values.sets import posreals
from flatppl_distributions.numerics import Number, log_kernel, log_peak
from flatppl_distributions.tails import log_between, log_gamma_tails


def log_density(x: Number, shape: Number, scale: Number) -> Number:
    """Log density at x > 0."""
    y = scale / x
    return 2.0 * log(shape) - log(scale) + log_peak(shape) + log_kernel(shape, y, y - shape, 1.0)


def algebraic(x: Number, shape: Number, scale: Number) -> Number:
    """The textbook form of ``log_density``."""
    return shape * log(scale) - lgamma(shape) - (shape + 1.0) * log(x) - scale / x


def cdf(x: Number, shape: Number, scale: Number) -> Number:
    """Distribution function."""
    positive = x > 0.0
    return select(positive, gammaincc(shape, scale / select(positive, x, 1.0)), 0.0)


def survival(x: Number, shape: Number, scale: Number) -> Number:
    """Upper tail."""
    positive = x > 0.0
    return select(positive, gammainc(shape, scale / select(positive, x, 1.0)), 1.0)


def _log_tails(x: Node, shape: Node, scale: Node) -> tuple[Number, Number]:
    positive = x > 0.0
    y = select(positive, scale / select(positive, x, 1.0), math.inf)
    return log_gamma_tails(shape, y)[::-1]


def log_mass(lo: Node, hi: Node, shape: Node, scale: Node) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    return log_between(lambda x: _log_tails(x, shape, scale), lo, hi)


def quantile(u: Number, shape: Number, scale: Number) -> Number:
    """Inverse of the distribution function."""
    return scale / gammainccinv(shape, u)


def upper_quantile(q: Number, shape: Number, scale: Number) -> Number:
    """Inverse of the upper tail."""
    return scale / gammaincinv(shape, q)


def sample(rng: Rng, shape: Number, scale: Number) -> Number:
    """One draw."""
    return exp(log(scale) - rng.loggamma(shape))


InverseGamma = Distribution(
    name="InverseGamma",
    parameters=(("shape", posreals), ("scale", posreals)),
    support=posreals,
    log_density=log_density,
    algebraic=algebraic,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case((2.5, 0.75), 0.3, 0.7100167635384045, 0.4158801869955079),
        Case((3.0, 2.0), 0.01, -180.19302489492773, 2.795609373660895e-83),
        Case((0.5, 1.0), 1000000.0, -21.295631779871112, 0.9988716212090307),
        Case((1000000.0, 1000.0), 0.0010015, 11.77231927449305, 0.932955248783987),
    ),
)
