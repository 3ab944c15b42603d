"""DoubleSidedCrystalBall(m0, sigmaL, sigmaR, alphaL, alphaR, nL, nR): half a Crystal Ball on each side of m0."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution
from flatppl.tensor.ops import abs_, log, select
from flatppl.values.sets import RealSet, posreals, reals
from flatppl_distributions.numerics import Number
from flatppl_distributions.particle_physics.power_tail import beyond, log_shape, reach

_above_one = RealSet(1.0, lo_open=True)


def _side(left: Number, *pairs: Number) -> list[Number]:
    """Sigma, alpha and n of one side; ``pairs`` are grouped as the parameters are."""
    return [select(left, pairs[i], pairs[i + 1]) for i in (0, 2, 4)]


def _masses(*pairs: Number) -> tuple[Number, Number]:
    """Integral of the shape over each side."""
    return pairs[0] * beyond(0.0, pairs[2], pairs[4]), pairs[1] * beyond(0.0, pairs[3], pairs[5])


def log_density(x: Number, m0: Number, *pairs: Number) -> Number:
    """Log density."""
    sigma, alpha, n = _side(x < m0, *pairs)
    left, right = _masses(*pairs)
    return log_shape(abs_(x - m0) / sigma, alpha, n) - log(left + right)


def _outside(x: Number, m0: Number, *pairs: Number) -> Number:
    """Probability beyond x on the side of m0 where x is."""
    sigma, alpha, n = _side(x < m0, *pairs)
    left, right = _masses(*pairs)
    return sigma * beyond(abs_(x - m0) / sigma, alpha, n) / (left + right)


def cdf(x: Number, m0: Number, *pairs: Number) -> Number:
    """Distribution function."""
    outside = _outside(x, m0, *pairs)
    return select(x < m0, outside, 1.0 - outside)


def survival(x: Number, m0: Number, *pairs: Number) -> Number:
    """Upper tail."""
    outside = _outside(x, m0, *pairs)
    return select(x < m0, 1.0 - outside, outside)


def quantile(u: Number, m0: Number, *pairs: Number) -> Number:
    """Inverse of the distribution function."""
    left_mass, right_mass = _masses(*pairs)
    total = left_mass + right_mass
    left = u * total < left_mass
    sigma, alpha, n = _side(left, *pairs)
    t = reach(select(left, u, 1.0 - u) * total / sigma, alpha, n)
    return m0 + sigma * select(left, -t, t)


def upper_quantile(q: Number, m0: Number, *pairs: Number) -> Number:
    """Inverse of the upper tail: the mirrored law has its sides exchanged."""
    mirrored = [pairs[i ^ 1] for i in range(6)]
    return -quantile(q, -m0, *mirrored)


DoubleSidedCrystalBall = Distribution(
    name="DoubleSidedCrystalBall",
    parameters=(
        ("m0", reals), ("sigmaL", posreals), ("sigmaR", posreals), ("alphaL", posreals), ("alphaR", posreals),
        ("nL", _above_one), ("nR", _above_one),
    ),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case((0.0, 1.0, 2.0, 1.5, 1.0, 3.0, 4.0), -3.0, -4.359709307243023, 0.022368679854893905),
        Case((0.0, 1.0, 2.0, 1.5, 1.0, 3.0, 4.0), 5.0, -3.3296768679108935, 0.8687161995964583),
        Case((0.0, 1.0, 1.5, 1.2, 1.6, 2.5, 4.0), 4.0, -3.999480925604582, 0.9673201517778043),
        Case((0.0, 1.0, 1.5, 1.2, 1.6, 2.5, 4.0), -1000000000.0, -51.99135969877606, 1.755286923734227e-14),
        Case((5.0, 0.125, 2.0, 0.5, 3.0, 2.5, 50.0), 15.0, -11.243181147188121, 0.9999900218700272),
        Case((5.0, 0.125, 2.0, 0.5, 3.0, 2.5, 50.0), 4.5, -2.5283175094933887, 0.056520154038726615),
        Case((0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0), 1000000000000.0, -55.79580853485917, 0.9999999999994136),
    ),
)  # fmt: skip
