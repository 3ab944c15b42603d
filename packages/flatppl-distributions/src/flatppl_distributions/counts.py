"""Quantiles of laws of counts, by bisection."""

from __future__ import annotations

from collections.abc import Callable

from flatppl.tensor.ops import ceil, floor, maximum, minimum, sqrt
from flatppl.tensor.program import Node
from flatppl_distributions.bisection import bisected
from flatppl_distributions.numerics import Number

__all__ = ["least_above", "least_count"]

#: Halvings that bring the widest bracket, 1e15, down to one.
_STEPS = 50


def least_count(u: Node, mean: Node, deviation: Node, cdf: Callable[[Node], Number]) -> Number:
    """Least k >= 0 with cdf(k) >= u.

    Parameters
    ----------
    u : Node
        Probability, in [0, 1].
    mean, deviation : Node
        Mean and standard deviation of the law.
    cdf : callable
        Its distribution function.
    """
    return _least(u, 1.0 - u, mean, deviation, lambda k: cdf(k) < u)


def least_above(q: Node, mean: Node, deviation: Node, survival: Callable[[Node], Number]) -> Number:
    """Least k >= 0 with survival(k) <= q: :func:`least_count` of the upper tail."""
    return _least(1.0 - q, q, mean, deviation, lambda k: survival(k) > q)


def _least(u: Node, q: Node, mean: Node, deviation: Node, below: Callable[[Node], Node]) -> Number:
    """Least k >= 0 that is not ``below``, between the bounds that Cantelli's inequality gives for any law."""
    odds = u / maximum(q, 1e-30)
    lowest = floor(mean - deviation / sqrt(maximum(odds, 1e-30))) - 1.0
    highest = ceil(mean + deviation * sqrt(odds)) + 1.0
    return maximum(bisected(maximum(lowest, -1.0), minimum(highest, 1e15), below, _STEPS, whole=True), 0.0)
