"""GeneralizedNormal(mean, alpha, beta): density beta exp(-(abs(x - mean)/alpha)^beta) / (2 alpha Gamma(1/beta))."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import (
    abs_,
    equal,
    exp,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    isfinite,
    lgamma,
    log,
    log1p,
    minimum,
    power,
    select,
    sign,
)
from flatppl.tensor.program import Node
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import Number, symmetric_log_mass
from flatppl_distributions.tails import log_gamma_tails


def log_density(x: Number, mean: Number, alpha: Number, beta: Number) -> Number:
    """Log density."""
    return log(beta) - math.log(2.0) - log(alpha) - lgamma(1.0 / beta) - _reach(x, mean, alpha, beta)


def _reach(x: Number, mean: Number, alpha: Number, beta: Number) -> Number:
    """``(abs(x - mean)/alpha)^beta``, with a gradient at the mean."""
    distance = abs_(x - mean) / alpha
    centre = equal(distance, 0.0)
    return select(centre, 0.0, power(select(centre, 1.0, distance), beta))


def cdf(x: Number, mean: Number, alpha: Number, beta: Number) -> Number:
    """Distribution function."""
    tail = 0.5 * gammaincc(1.0 / beta, _reach(x, mean, alpha, beta))
    return select(x < mean, tail, 0.5 + 0.5 * gammainc(1.0 / beta, _reach(x, mean, alpha, beta)))


def survival(x: Number, mean: Number, alpha: Number, beta: Number) -> Number:
    """Upper tail."""
    return cdf(2.0 * mean - x, mean, alpha, beta)


def log_mass(lo: Node, hi: Node, mean: Node, alpha: Node, beta: Node) -> Number:
    """Log probability of [lo, hi], also where it underflows."""

    def log_cdf(step: Node) -> Number:
        finite = isfinite(step)
        reach = _reach(select(finite, step, 0.0), 0.0, alpha, beta)
        outer = log_gamma_tails(1.0 / beta, select(finite, reach, math.inf))[1] - math.log(2.0)
        return select(step < 0.0, outer, log1p(-exp(outer)))

    return symmetric_log_mass(log_cdf, lo - mean, hi - mean)


def quantile(u: Number, mean: Number, alpha: Number, beta: Number) -> Number:
    """Inverse of the distribution function."""
    tail = minimum(u, 1.0 - u)
    near = tail > 0.25
    inner, outer = gammaincinv(1.0 / beta, 1.0 - 2.0 * tail), gammainccinv(1.0 / beta, 2.0 * tail)
    return mean + sign(u - 0.5) * alpha * power(select(near, inner, outer), 1.0 / beta)


def upper_quantile(q: Number, mean: Number, alpha: Number, beta: Number) -> Number:
    """Inverse of the upper tail."""
    return -quantile(q, -mean, alpha, beta)


def sample(rng: Rng, mean: Number, alpha: Number, beta: Number) -> Number:
    """One draw: a signed power of a gamma draw."""
    side = sign(rng.uniform() - 0.5)
    return mean + side * alpha * exp(rng.loggamma(1.0 / beta) / beta)


GeneralizedNormal = Distribution(
    name="GeneralizedNormal",
    parameters=(("mean", reals), ("alpha", posreals), ("beta", posreals)),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case((1.0, 2.0, 3.0), 2.25, -1.5172433443795479, 0.8300015301360634),
        Case((0.0, 1.0, 1.0), -2.5, -3.1931471805599454, 0.0410424993119494),
        Case((0.5, 1.5, 0.5), 0.5, -1.791759469228055, 0.5),
        Case((0.0, 1.0, 2.0), 6.0, -36.5723649429247, 1.0),
    ),
)
