"""ContinuedPoisson(rate): the Poisson mass at real x >= 0, ``rate^x exp(-rate) / Gamma(x + 1)``; its mass is not one."""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution
from flatppl.tensor.ops import equal, lgamma, select, xlogy
from flatppl.values.sets import nonnegreals
from flatppl_distributions.numerics import Number, log_kernel, log_peak


def log_density(x: Number, rate: Number) -> Number:
    """Log density; for large x in Loader's saddle-point form, which does not cancel."""
    none, large = equal(rate, 0.0), x > 1.0
    some = select(none, 1.0, rate)
    small_x, large_x = select(large, 1.0, x), select(large, x, 1.0)
    saddle = log_peak(large_x) + log_kernel(large_x, some, some - large_x)
    density = select(large, saddle, xlogy(small_x, some) - some - lgamma(small_x + 1.0))
    return select(none, select(x > 0.0, -math.inf, -rate), density)


ContinuedPoisson = Distribution(
    name="ContinuedPoisson",
    parameters=(("rate", nonnegreals),),
    support=nonnegreals,
    log_density=log_density,
    normalized=False,
    truth=(
        Case((3.5,), 2.0, -1.6876212435692093),
        Case((3.5,), 2.5, -1.5690661811086541),
        Case((0.0,), 0.0, 0.0),
        Case((3.5,), 0.0, -3.5),
        Case((1000000.0,), 1000500.25, -7.952048129805049),
        Case((40.0,), 1e-09, -39.9999999957339),
        Case((1e-05,), 30.5, -427.51543454937473),
        Case((2.0,), 1000000000.0, -19030118669.667038),
    ),
)
