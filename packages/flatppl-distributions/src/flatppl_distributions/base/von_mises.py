"""VonMises(mu, kappa): density exp(kappa cos(x - mu)) / (2 pi I_0(kappa)), periodic; mass one per period."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import acos, cos, log, log_i0e, maximum, minimum, sign, sin, sqrt, square, sum_, take
from flatppl.tensor.program import Node
from flatppl.values.sets import RealSet, posreals, reals
from flatppl_distributions.numerics import Number

#: Proposals per draw; each is accepted with probability above 0.65, so that all fail in 1e-29 of the draws.
PROPOSALS = 64


def log_density(x: Number, mu: Number, kappa: Number) -> Number:
    """Log density."""
    return -2.0 * kappa * square(sin((x - mu) / 2.0)) - math.log(2.0 * math.pi) - log_i0e(kappa)


def sample(rng: Rng, mu: Node, kappa: Node) -> Number:
    """One draw in [mu - pi, mu + pi]: the first accepted proposal of Best and Fisher (1979)."""
    k = maximum(kappa, 1e-4)
    tau = 1.0 + sqrt(1.0 + 4.0 * square(k))
    rho = (tau - sqrt(2.0 * tau)) / (2.0 * k)
    r = (1.0 + square(rho)) / (2.0 * rho)
    z = cos(math.pi * rng.uniform((PROPOSALS,)))
    f = minimum(maximum((1.0 + r * z) / (r + z), -1.0), 1.0)
    c = k * (r - f)
    accepted = log(c / rng.uniform((PROPOSALS,))) + 1.0 - c >= 0.0
    rejected_before = _leading(accepted)
    angle = acos(take(f, rejected_before))
    return mu + angle * sign(rng.uniform() - 0.5)


def _leading(accepted: Node) -> Node:
    """Number of rejections before the first acceptance, at most one less than there are proposals."""
    builder = accepted.builder
    rejections = builder.convert(~accepted, "integer")
    run = builder.apply("cumprod", rejections, axis=0)
    return minimum(sum_(run), PROPOSALS - 1)


VonMises = Distribution(
    name="VonMises",
    parameters=(("mu", reals), ("kappa", posreals)),
    support=lambda mu, kappa: RealSet(mu - math.pi, mu + math.pi),
    log_density=log_density,
    periodic=True,
    sample=sample,
    truth=(
        Case((0.0, 1.0), 0.0, -1.0737914249165241),
        Case((0.5, 2.5), -1.0, -2.851872733436116),
        Case((1.0, 1000.0), 1.25, -28.552764245634027),
    ),
)
