"""Bisection as a loop of the tensor program."""

from __future__ import annotations

from collections.abc import Callable

from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import floor, select
from flatppl.tensor.program import Node, Region, close

__all__ = ["bisected"]


def bisected(low: Node, high: Node, below: Callable[[Node], Node], steps: int, whole: bool = False) -> Node:
    """The upper end of the last bracket of the least point that is not ``below``, given that ``high`` is none.

    Parameters
    ----------
    low, high : Node
        First bracket. What ``below`` reads must be known where these are.
    below : callable
        ``below(x)``, true up to some point.
    steps : int
        Number of halvings.
    whole : bool
        Whether only whole numbers count.
    """
    builder, region = low.builder, Region(low.region)
    start, end = (builder.variable(Aval("real"), region) for _ in range(2))
    middle = 0.5 * (start + end)
    middle = floor(middle) if whole else middle
    left = below(middle)
    body = close([start, end], [select(left, middle, start), select(left, end, middle)], region)
    loop = builder.apply("scan", low, high, *body.captures, body=body, carries=2, length=steps)
    return builder.apply("item", loop, index=1)
