"""ContinuedPoisson(rate): the Poisson mass at real x >= 0, ``rate^x exp(-rate) / Gamma(x + 1)``; its mass is not one."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution
from flatppl.tensor.ops import lgamma, select, xlogy
from flatppl.values.sets import nonnegreals

from flatppl_distributions.numerics import Number, log_kernel, log_peak


def log_density(x: Number, rate: Number) -> Number:
    """Log density; for large x in Loader's saddle-point form, which does not cancel."""
    large = x > 1.0
    small_x, large_x = select(large, 1.0, x), select(large, x, 1.0)
    saddle = log_peak(large_x) + log_kernel(large_x, rate, rate - large_x)
    return select(large, saddle, xlogy(small_x, rate) - rate - lgamma(small_x + 1.0))


ContinuedPoisson = Distribution(
    name="ContinuedPoisson",
    parameters=(("rate", nonnegreals),),
    support=nonnegreals,
    log_density=log_density,
    normalized=False,
    truth=(
        #CASES ContinuedPoisson
    ),
)
