"""Set membership, and selection of bins by a region."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.functions.binning import edges_of
from flatppl.functions.common import got, vector
from flatppl.tensor.intervals import Interval
from flatppl.tensor.ops import take
from flatppl.tensor.program import Node
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor
from flatppl.values.sets import FiniteSet, IntegerSet, RealSet, Set

__all__ = ["FUNCTIONS"]


def _in(x: Any, S: Any) -> Any:  # noqa: N803
    if not isinstance(S, Set):
        refuse("kind", f"in takes a set on its right, got {got(S)}")
    found: Any = S.contains(x)
    return Tensor(found) if isinstance(found, Node) else found


def _meets(region: Any, low: float, high: float, last: bool) -> bool:
    """Whether the region meets the bin [low, high), closed if it is the last."""
    place = Interval(low, high, hi_open=not last)
    if isinstance(region, FiniteSet):
        return any(place.contains(float(member)) for member in region.values)
    if isinstance(region, IntegerSet):
        first = max(low, region.interval.lo)
        first = first if math.isinf(first) else math.ceil(first)
        return first <= region.interval.hi and (first < high or (last and first == high))
    return not place.disjoint(region.interval)


def _selectbins(edges: Any, region: Any, counts: Any) -> Tensor:
    limits, node = edges_of(edges, "selectbins"), vector(counts, "selectbins")
    if limits.shape[0] != node.shape[0] + 1:
        refuse("shape", f"selectbins takes one edge more than counts, got {limits.shape[0]} and {node.shape[0]}")
    if not isinstance(region, RealSet | IntegerSet | FiniteSet):
        refuse("kind", f"the region of selectbins must be an interval or a set of numbers, got {got(region)}")
    ends = [end for end in (getattr(region, "lo", 0), getattr(region, "hi", 0)) if isinstance(end, Node)]
    if limits.constant is None or any(end.constant is None for end in ends):
        refuse("shape", "the edges and the region of selectbins must be fixed; give them values or use Module.set")
    places = limits.constant
    last = len(places) - 2
    kept = [i for i in range(last + 1) if _meets(region, float(places[i]), float(places[i + 1]), i == last)]
    return Tensor(take(node, np.array(kept, np.int64)), (1,))


FUNCTIONS = (
    Function("in", ("x", "S"), _in),
    Function("selectbins", ("edges", "region", "counts"), _selectbins),
)
