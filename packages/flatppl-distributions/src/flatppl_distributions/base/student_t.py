"""StudentT(nu): density proportional to (1 + x^2/nu)^(-(nu + 1)/2); Normal(0, 1) where nu is infinite."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import (
    betainc,
    betaincinv,
    equal,
    exp,
    log,
    log1p,
    minimum,
    ndtr,
    ndtri,
    select,
    sign,
    sqrt,
    square,
)
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import HALF_LOG_2PI, Number, log1p_square, stirling_error


def _finite(nu: Number) -> tuple[Number, Number]:
    """Whether nu is infinite, and a nu that is not."""
    infinite = equal(nu, math.inf)
    return infinite, select(infinite, 1.0, nu)


def log_density(x: Number, nu: Number) -> Number:
    """Log density; the ratio of gamma functions by the Stirling error, which does not cancel for large nu."""
    infinite, nu = _finite(nu)
    h = 0.5 * nu
    ratio = h * log1p(0.5 / h) - 0.5 + stirling_error(h + 0.5) - stirling_error(h)
    shape = select(infinite, -0.5 * square(x), ratio - (h + 0.5) * log1p_square(x / sqrt(nu)))
    return shape - HALF_LOG_2PI


def _upper(x: Number, nu: Number) -> Number:
    """Probability beyond abs(x), for finite nu."""
    s = square(x / sqrt(nu))
    far = square(x) > 1.0
    tail = betainc(0.5 * nu, 0.5, 1.0 / (1.0 + select(far, s, 1.0)))
    middle = betainc(0.5, 0.5 * nu, 1.0 / (1.0 + 1.0 / select(far, 1.0, s)))
    return 0.5 * select(far, tail, 1.0 - middle)


def cdf(x: Number, nu: Number) -> Number:
    """Distribution function, accurate in both tails."""
    infinite, nu = _finite(nu)
    beyond = _upper(x, nu)
    return select(infinite, ndtr(x), select(x < 0.0, beyond, 1.0 - beyond))


def survival(x: Number, nu: Number) -> Number:
    """Upper tail."""
    return cdf(-x, nu)


def quantile(u: Number, nu: Number) -> Number:
    """Inverse of the distribution function."""
    infinite, nu = _finite(nu)
    tail = 2.0 * minimum(u, 1.0 - u)
    w, v = betaincinv(0.5 * nu, 0.5, tail), betaincinv(0.5, 0.5 * nu, 1.0 - tail)
    square_ratio = select(tail < 0.5, (1.0 - w) / w, v / (1.0 - v))
    return select(infinite, ndtri(u), sign(u - 0.5) * sqrt(nu * square_ratio))


def sample(rng: Rng, nu: Number) -> Number:
    """One draw: a normal over the root of a scaled chi-squared."""
    infinite, nu = _finite(nu)
    stretch = exp(0.5 * (log(0.5 * nu) - rng.loggamma(0.5 * nu)))
    return rng.normal() * select(infinite, 1.0, stretch)


StudentT = Distribution(
    name="StudentT",
    parameters=(("nu", posreals),),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    sample=sample,
    truth=(
        Case((3.0,), 0.75, -1.3445893634768282, 0.7461427102879329),
        Case((1.0,), -1000000000.0, -42.59126155974222, 3.1830988618379065e-10),
        Case((0.5,), 3.0, -3.5188621602863397, 0.8163459220070283),
        Case((1000000.0,), 4.5, -11.043846393861099, 0.9999966019447475),
        Case((float("inf"),), -2.25, -3.4501885332046727, 0.012224472655044703),
        Case((40.0,), -9.0, -23.616865258047863, 1.8400822358530895e-11),
    ),
)
