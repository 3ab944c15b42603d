"""Multinomial(n, p): counts of n independent draws from k categories; mass n! prod p_i^x_i / x_i!."""

from __future__ import annotations

import math

import numpy as np

from flatppl.distribution import Case, Distribution, Rng, SimplexVector
from flatppl.tensor.ops import (
    concat,
    convert,
    cumsum,
    equal,
    maximum,
    minimum,
    reshape,
    reverse,
    select,
    sum_,
    take,
)
from flatppl.tensor.program import Node
from flatppl.values.array_sets import CountVectors
from flatppl.values.forms import TensorForm
from flatppl.values.sets import posintegers
from flatppl_distributions.base import poisson
from flatppl_distributions.numerics import Number, log_peak


def variate(n: Node, p: Node) -> TensorForm:
    """A vector of counts, one per category."""
    return TensorForm("integer", p.shape, (1,))


def log_density(x: Node, n: Node, p: Node) -> Number:
    """Log mass on the support: Poisson counts of rates n p, given their sum; large counts do not cancel."""
    never = equal(p, 0.0)
    counts = poisson.log_density(x, n * select(never, 1.0, p))
    each = select(never, select(x > 0.0, -math.inf, 0.0), counts)
    return sum_(each) - log_peak(n) + n * (sum_(p) - 1.0)


def sample(rng: Rng, n: Node, p: Node) -> Number:
    """One draw: a binomial count per category, out of what is left."""
    tails = reverse(cumsum(reverse(p)))
    left, counts = n, []
    for index in range(p.shape[0] - 1):
        share, rest = take(p, np.asarray(index)), take(tails, np.asarray(index))
        chance = minimum(select(rest > 0.0, share / maximum(rest, 1e-300), 0.0), 1.0)
        count = convert(rng.binomial(left, chance), "real")
        counts.append(reshape(count, (1,)))
        left = left - count
    return concat([*counts, reshape(left, (1,))])


Multinomial = Distribution(
    name="Multinomial",
    parameters=(("n", posintegers), ("p", SimplexVector())),
    support=lambda n, p: CountVectors(p.shape[0], n),
    variate=variate,
    discrete=True,
    log_density=log_density,
    sample=sample,
    truth=(
        Case((10, [0.2, 0.3, 0.5]), [2, 3, 5], -2.4645159601402664),
        Case((4, [0.0, 0.25, 0.75]), [0, 1, 3], -0.8630462173553428),
        Case((1, [0.5, 0.5]), [1, 0], -0.6931471805599453),
    ),
)
