"""Dirichlet(alpha): density Gamma(sum alpha) prod x_i^(alpha_i - 1) / Gamma(alpha_i) on the simplex.

The reference is the coordinate measure dx_1 ... dx_(n-1).
"""

from __future__ import annotations

import numpy as np

from flatppl.distribution import Case, Distribution, Rng, Vector
from flatppl.errors import refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import (
    betainc,
    betaincinv,
    concat,
    cumsum,
    exp,
    log,
    log1p,
    logsumexp,
    maximum,
    minimum,
    reverse,
    sum_,
    take,
    xlogy,
)
from flatppl.tensor.program import Node
from flatppl.values.array_sets import Simplex
from flatppl.values.forms import TensorForm
from flatppl.values.sets import posreals
from flatppl_distributions.numerics import Number, log_peak


def variate(alpha: Aval) -> TensorForm:
    """A vector as long as alpha."""
    if alpha.size < 2:
        refuse("shape", f"Dirichlet: alpha needs two entries or more, got {alpha.size}")
    return TensorForm("real", alpha.shape, (1,))


def log_density(x: Node, alpha: Node) -> Number:
    """Log density on the simplex; the points are taken relative to the mean, where large alpha cancel."""
    total = sum_(alpha)
    peak = sum_(log_peak(alpha)) - log_peak(total) + (alpha.shape[0] - 1.0) * log(total)
    return peak + sum_(xlogy(alpha - 1.0, x * total / alpha))


def _tails(alpha: Node) -> Node:
    """Sum of the entries after each but the last."""
    backwards = cumsum(reverse(alpha))
    return reverse(take(backwards, np.arange(alpha.shape[0] - 1)))


def to_uniform(x: Node, alpha: Node) -> Number:
    """Stick breaking in the given order: n - 1 uniforms."""
    n = alpha.shape[0]
    first = take(x, np.arange(n - 1))
    left = 1.0 - (cumsum(first) - first)
    return betainc(take(alpha, np.arange(n - 1)), _tails(alpha), minimum(maximum(first / left, 0.0), 1.0))


def from_uniform(u: Node, alpha: Node) -> Number:
    """Inverse of ``to_uniform``."""
    n = alpha.shape[0]
    shares = betaincinv(take(alpha, np.arange(n - 1)), _tails(alpha), u)
    kept = exp(cumsum(log1p(-shares)))
    before = concat([u.builder.constant(np.ones(1)), take(kept, np.arange(n - 2))])
    return concat([shares * before, take(kept, np.asarray([n - 2]))])


def sample(rng: Rng, alpha: Node) -> Number:
    """One draw: shares of gamma draws."""
    logs = rng.loggamma(alpha)
    return exp(logs - logsumexp(logs))


Dirichlet = Distribution(
    name="Dirichlet",
    parameters=(("alpha", Vector(posreals)),),
    support=lambda alpha: Simplex(alpha.shape[0]),
    variate=variate,
    log_density=log_density,
    to_uniform=to_uniform,
    from_uniform=from_uniform,
    sample=sample,
    truth=(
        Case(([1.0, 1.0],), [0.0, 1.0], 0.0),
        Case(([2.0, 3.5],), [0.25, 0.75], 0.6513408230222991),
        Case(([0.5, 2.0, 4.0],), [0.125, 0.25, 0.625], 1.541853169687207),
        Case(([100000.0, 200000.0, 100000.0],), [0.25, 0.5, 0.25], 12.794208836080637),
    ),
)
