"""StudentT(nu): density proportional to (1 + x^2/nu)^(-(nu + 1)/2); Normal(0, 1) where nu is infinite."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import (
    betainc,
    betaincinv,
    equal,
    exp,
    isfinite,
    log,
    log1p,
    log_ndtr,
    maximum,
    minimum,
    ndtr,
    ndtri,
    select,
    sign,
    sqrt,
    square,
)
from flatppl.tensor.program import Node
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import HALF_LOG_2PI, Number, log1p_square, stirling_error, symmetric_log_mass
from flatppl_distributions.tails import far_beta_tail

#: From here on the law is close to normal, and ``1 / (1 + x^2/nu)`` forgets x.
_LARGE = 5000.0


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


def _deviate(x: Number, nu: Number) -> Number:
    """The standard normal deviate of the same probability, for large nu (G. W. Hill, Algorithm 395, 1970)."""
    x = minimum(maximum(x, -1e15), 1e15)
    s = square(x) / nu
    some = s > 0.0
    y = x * sqrt((1.0 - 0.5 / nu) * select(some, log1p(select(some, s, 1.0)) / select(some, s, 1.0), 1.0))
    b, z = 48.0 * square(nu - 0.5), square(y)
    series = ((4.0 * z + 33.0) * z + 240.0) * z + 855.0
    return y * (1.0 + (z + 3.0) / b - series / b / (10.0 * (b + 0.8 * square(z) + 100.0)))


def _ordinate(z: Number, nu: Number) -> Number:
    """The inverse of ``_deviate``, by the expansion of Cornish and Fisher (Abramowitz and Stegun 26.7.5).

    Far out it is corrected by ``_deviate`` itself, whose derivative is close to one.
    """
    w = square(z)
    first = (w + 1.0) / 4.0
    second = ((5.0 * w + 16.0) * w + 3.0) / 96.0
    third = (((3.0 * w + 19.0) * w + 17.0) * w - 15.0) / 384.0
    x = z * (1.0 + (first + (second + third / nu) / nu) / nu)
    for _ in range(2):
        x = x - (_deviate(x, nu) - z)
    return x


def cdf(x: Number, nu: Number) -> Number:
    """Distribution function, accurate in both tails."""
    large, infinite = nu > _LARGE, equal(nu, math.inf)
    beyond = _upper(x, select(large, 1.0, nu))
    normal = select(infinite, x, _deviate(x, select(large & ~infinite, nu, _LARGE)))
    return select(large, ndtr(normal), select(x < 0.0, beyond, 1.0 - beyond))


def survival(x: Number, nu: Number) -> Number:
    """Upper tail."""
    return cdf(-x, nu)


def _log_upper(x: Node, nu: Node) -> Number:
    """Log of the probability beyond abs(x), for finite nu and x."""
    s = square(x / sqrt(nu))
    some = s > 0.0
    far, tail = far_beta_tail(0.5 * nu, nu.builder.constant(0.5), 1.0 / (1.0 + select(some, s, 1.0)))
    far = far & some & (s < math.inf)
    return select(far, tail - math.log(2.0), log(_upper(select(far, 1.0, x), nu)))


def log_mass(lo: Node, hi: Node, nu: Node) -> Number:
    """Log probability of [lo, hi], also where it underflows."""
    large, infinite = nu > _LARGE, equal(nu, math.inf)

    def log_cdf(end: Node) -> Number:
        finite = isfinite(end)
        x = select(finite, end, -1.0)
        beyond = _log_upper(x, select(large, 1.0, nu))
        normal = log_ndtr(select(infinite, x, _deviate(x, select(large & ~infinite, nu, _LARGE))))
        inside = select(large, normal, select(x < 0.0, beyond, log1p(-exp(beyond))))
        return select(finite, inside, select(end < 0.0, -math.inf, 0.0))

    return symmetric_log_mass(log_cdf, lo, hi)


def quantile(u: Number, nu: Number) -> Number:
    """Inverse of the distribution function."""
    large, infinite = nu > _LARGE, equal(nu, math.inf)
    z = ndtri(u)
    normal = select(infinite, z, _ordinate(z, select(large & ~infinite, nu, _LARGE)))
    nu = select(large, 1.0, nu)
    tail = 2.0 * minimum(u, 1.0 - u)
    w, v = betaincinv(0.5 * nu, 0.5, tail), betaincinv(0.5, 0.5 * nu, 1.0 - tail)
    square_ratio = select(tail < 0.5, (1.0 - w) / w, v / (1.0 - v))
    return select(large, normal, sign(u - 0.5) * sqrt(nu * square_ratio))


def upper_quantile(q: Number, nu: Number) -> Number:
    """Inverse of the upper tail."""
    return -quantile(q, nu)


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
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case((3.0,), 0.75, -1.3445893634768282, 0.7461427102879329),
        Case((1.0,), -1000000000.0, -42.59126155974222, 3.1830988618379065e-10),
        Case((0.5,), 3.0, -3.5188621602863397, 0.8163459220070283),
        Case((1000000.0,), 4.5, -11.043846393861099, 0.9999966019447475),
        Case((float("inf"),), -2.25, -3.4501885332046727, 0.012224472655044703),
        Case((5001.0,), -3.0, -5.415843195883319, 0.0013565531793722557),
        Case((40.0,), -9.0, -23.616865258047863, 1.8400822358530895e-11),
    ),
)
