"""Quantiles of laws of counts, by bisection."""

from __future__ import annotations

from collections.abc import Callable

from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import ceil, floor, maximum, minimum, select, sqrt
from flatppl.tensor.program import Node, Region, close
from flatppl_distributions.numerics import Number

__all__ = ["least_count"]

#: Halvings that bring the widest bracket, 1e15, down to one.
_STEPS = 50


def least_count(u: Node, mean: Node, deviation: Node, cdf: Callable[[Node], Number]) -> Number:
    """Least k >= 0 with cdf(k) >= u, between the bounds that Cantelli's inequality gives for any law.

    Parameters
    ----------
    u : Node
        Probability, in [0, 1].
    mean, deviation : Node
        Mean and standard deviation of the law.
    cdf : callable
        Its distribution function.
    """
    odds = u / maximum(1.0 - u, 1e-30)
    lowest = floor(mean - deviation / sqrt(maximum(odds, 1e-30))) - 1.0
    highest = ceil(mean + deviation * sqrt(odds)) + 1.0
    return maximum(_bisected(maximum(lowest, -1.0), minimum(highest, 1e15), lambda k: cdf(k) < u), 0.0)


def _bisected(low: Node, high: Node, below: Callable[[Node], Node]) -> Node:
    """The least whole number above ``low`` that is not ``below``, given that ``high`` is none."""
    builder, region = low.builder, Region(low.region)
    start, end = (builder.variable(Aval("real"), region) for _ in range(2))
    middle = floor(0.5 * (start + end))
    left = below(middle)
    body = close([start, end], [select(left, middle, start), select(left, end, middle)], region)
    loop = builder.apply("scan", low, high, *body.captures, body=body, carries=2, length=_STEPS)
    return builder.apply("item", loop, index=1)
