"""Interval analysis: what the program proves about a node's values."""

from __future__ import annotations

import numpy as np

from flatppl.tensor.intervals import REALS, Interval, hull
from flatppl.tensor.program import Node

__all__ = ["proved_range", "range_of"]


def range_of(node: Node) -> Interval:
    """An interval that holds every entry of the node that is not NaN, if inputs lie in their declared sets.

    A primitive without a range rule, and any result of a loop, may be anything.
    """
    return _analyse(node, node.builder.intervals, "interval")


def proved_range(node: Node) -> Interval:
    """The same, without trust in what callers pass as inputs: what needs no check at run time."""
    return _analyse(node, node.builder.proved, "proved")


def _analyse(node: Node, known: dict[int, Interval], trusted: str) -> Interval:
    stack = [node]
    while stack:
        top = stack[-1]
        if top.number in known:
            stack.pop()
            continue
        waiting = [x for x in top.operands if x.number not in known] if top.primitive.range is not None else []
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        known[top.number] = _rule(top, known, trusted)
    return known[node.number]


def _rule(node: Node, known: dict[int, Interval], trusted: str) -> Interval:
    value = node.constant
    if value is not None:
        if not value.size or value.dtype.kind == "c" or np.isnan(value.astype(float)).any():
            return REALS
        return Interval(float(value.min()), float(value.max()))
    if node.primitive.name in ("variable", "random"):
        return node.params.get(trusted, REALS)
    if node.primitive.range is None or node.kind == "complex":
        return REALS
    if node.primitive.name == "select":
        condition, chosen, other = node.operands
        reach = known[chosen.number].meet(_implied(condition, chosen))
        return hull(reach, known[other.number]) if reach.lo <= reach.hi else known[other.number]
    params = {} if node.primitive.name == "guard" else node.params
    return node.primitive.range(*(known[x.number] for x in node.operands), **params)


def _implied(condition: Node, node: Node) -> Interval:
    """Where a node lies if a condition on it with fixed ends holds; it is no NaN then."""
    if condition.primitive.name == "and":
        one, other = (_implied(part, node) for part in condition.operands)
        return one.meet(other)
    if condition.primitive.name not in ("le", "lt"):
        return REALS
    low, high = condition.operands
    strict = condition.primitive.name == "lt"
    if high is node and low.constant is not None and not low.shape:
        return Interval(lo=float(low.constant), lo_open=strict)
    if low is node and high.constant is not None and not high.shape:
        return Interval(hi=float(high.constant), hi_open=strict)
    return REALS
