"""Voigtian(mean, width, sigma): a Cauchy law of full width ``width`` smeared by a normal of deviation sigma."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import log, tan
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import HALF_LOG_2PI, Number
from flatppl_distributions.particle_physics.faddeeva import log_voigt


def log_density(x: Number, mean: Number, width: Number, sigma: Number) -> Number:
    """Log density."""
    unit = math.sqrt(2.0) * sigma
    return log_voigt((x - mean) / unit, 0.5 * width / unit) - log(sigma) - HALF_LOG_2PI


def sample(rng: Rng, mean: Number, width: Number, sigma: Number) -> Number:
    """One draw."""
    return mean - 0.5 * width / tan(math.pi * rng.uniform()) + sigma * rng.normal()


Voigtian = Distribution(
    name="Voigtian",
    parameters=(("mean", reals), ("width", posreals), ("sigma", posreals)),
    support=reals,
    log_density=log_density,
    sample=sample,
    truth=(
        Case((0.0, 1.0, 1.0), 0.0, -1.276703114238346),
        Case((0.0, 1.0, 1.0), 1.0, -1.6085401276093325),
        Case((0.0, 1.0, 1.0), 1e150, -692.6134049646231),
        Case((91.19, 2.5, 1.1), 93.0, -2.268774154014755),
        Case((91.19, 2.5, 1.1), -1000000000000.0, -56.18362856657467),
        Case((0.0, 1e-06, 1.0), 0.5, -1.0439388812136587),
        Case((0.0, 1e-06, 1.0), 5.0, -13.414001896592161),
        Case((0.0, 1e-06, 1.0), 8.0, -19.762520721372887),
        Case((0.0, 0.001, 1.0), 0.0, -0.9193374300670873),
        Case((0.0, 0.001, 1.0), 9.5, -13.213580995277548),
        Case((3.0, 0.03, 0.02), 3.0, 2.4830334228637625),
        Case((3.0, 0.03, 0.02), 3.15, -1.5045228829990767),
        Case((0.0, 0.06, 1.0), 0.5, -1.0647001044329263),
        Case((0.0, 0.06, 1.0), -4.0, -6.9999561969461475),
    ),
)
