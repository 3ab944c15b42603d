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


def quantile(u: Number, m0: Number, sigma: Number, alpha: Number, n: Number) -> Number:
    """Inverse of the distribution function."""
    mass = _mass(alpha, n)
    upper = (1.0 - u) * mass / _SQRT_2PI
    normal = upper < 0.5
    right = -ndtri(select(normal, upper, 0.25))
    return m0 + sigma * select(normal, right, -reach(u * mass, alpha, n))


CrystalBall = Distribution(
    name="CrystalBall",
    parameters=(("m0", reals), ("sigma", posreals), ("alpha", posreals), ("n", RealSet(1.0, lo_open=True))),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    truth=(
        #CASES CrystalBall
    ),
)
