"""CrystalBall(m0, sigma, alpha, n): a normal core with a power-law tail below m0 - alpha sigma."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution
from flatppl.tensor.ops import log, ndtr, ndtri, select
from flatppl.values.sets import RealSet, posreals, reals
from flatppl_distributions.numerics import Number
from flatppl_distributions.particle_physics.power_tail import beyond, log_shape, reach

_SQRT_2PI = math.sqrt(2.0 * math.pi)


def _mass(alpha: Number, n: Number) -> Number:
    """Integral of the shape."""
    return beyond(0.0, alpha, n) + 0.5 * _SQRT_2PI


def log_density(x: Number, m0: Number, sigma: Number, alpha: Number, n: Number) -> Number:
    """Log density."""
    return log_shape((m0 - x) / sigma, alpha, n) - log(sigma) - log(_mass(alpha, n))


def cdf(x: Number, m0: Number, sigma: Number, alpha: Number, n: Number) -> Number:
    """Distribution function."""
    return beyond((m0 - x) / sigma, alpha, n) / _mass(alpha, n)


def survival(x: Number, m0: Number, sigma: Number, alpha: Number, n: Number) -> Number:
    """Upper tail, which is a normal's."""
    z, mass = (x - m0) / sigma, _mass(alpha, n)
    return select(z > -alpha, _SQRT_2PI * ndtr(-z) / mass, 1.0 - beyond(-z, alpha, n) / mass)


def _inverse(u: Number, q: Number, m0: Number, sigma: Number, alpha: Number, n: Number) -> Number:
    """The point with probability u below it and q above it."""
    mass = _mass(alpha, n)
    upper = q * mass / _SQRT_2PI
    normal = upper < 0.5
    right = -ndtri(select(normal, upper, 0.25))
    return m0 + sigma * select(normal, right, -reach(u * mass, alpha, n))


def quantile(u: Number, m0: Number, sigma: Number, alpha: Number, n: Number) -> Number:
    """Inverse of the distribution function."""
    return _inverse(u, 1.0 - u, m0, sigma, alpha, n)


def upper_quantile(q: Number, m0: Number, sigma: Number, alpha: Number, n: Number) -> Number:
    """Inverse of the upper tail."""
    return _inverse(1.0 - q, q, m0, sigma, alpha, n)


CrystalBall = Distribution(
    name="CrystalBall",
    parameters=(("m0", reals), ("sigma", posreals), ("alpha", posreals), ("n", RealSet(1.0, lo_open=True))),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((0.0, 1.0, 1.5, 3.0), -3.0, -3.7836085174803804, 0.03979584657517754),
        Case((0.0, 1.0, 1.5, 3.0), 1.0, -1.4797611536741122, 0.850706970809789),
        Case((125.0, 2.0, 1.5, 3.0), 118.0, -4.877349875913893, 0.030468695034120308),
        Case((0.0, 1.0, 1.5, 3.0), -1e30, -207.2579779814584, 4.8749912054592486e-61),
        Case((0.0, 1.0, 1.5, 3.0), 9.0, -41.47976115367411, 1.0),
        Case((-2.0, 1e-06, 5.0, 100.0), -2.0000051, -0.1021821404935583, 1.8330897249392158e-07),
        Case((0.0, 1.0, 30.0, 2.5), -20.0, -200.91893853320468, 2.7536241186062337e-89),
    ),
)
