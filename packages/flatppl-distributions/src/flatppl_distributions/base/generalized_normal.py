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
    gammaincinv,
    lgamma,
    log,
    minimum,
    power,
    select,
    sign,
)
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import Number


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


def quantile(u: Number, mean: Number, alpha: Number, beta: Number) -> Number:
    """Inverse of the distribution function."""
    share = minimum(abs_(2.0 * u - 1.0), 1.0)
    return mean + sign(u - 0.5) * alpha * power(gammaincinv(1.0 / beta, share), 1.0 / beta)


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
    quantile=quantile,
    sample=sample,
    truth=(
        Case((1.0, 2.0, 3.0), 2.25, -1.5172433443795479, 0.8300015301360634),
        Case((0.0, 1.0, 1.0), -2.5, -3.1931471805599454, 0.0410424993119494),
        Case((0.5, 1.5, 0.5), 0.5, -1.791759469228055, 0.5),
        Case((0.0, 1.0, 2.0), 6.0, -36.5723649429247, 1.0),
    ),
)
