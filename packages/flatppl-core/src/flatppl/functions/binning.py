"""Histograms: bin i is [edge i, edge i + 1), the last one is closed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.functions.common import check, got, real, spread, vector
from flatppl.tensor.ops import all_, convert, cut, element, equal, reshape, select, sum_
from flatppl.tensor.program import Node
from flatppl.values.callables import Function
from flatppl.values.forms import Record, Table, Tensor

__all__ = ["FUNCTIONS", "edges_of"]


def edges_of(value: Any, name: str) -> Node:
    """Node of strictly increasing edges, at least two."""
    node = real(vector(value, name))
    n = node.shape[0]
    if n < 2:
        refuse("shape", f"{name} takes at least two edges, got {n}")
    lower, upper = cut(node, 0, n - 1), cut(node, 1, n)
    return check(node, all_(lower < upper), f"{name}: the edges must be strictly increasing")


def _against(data: Node, edges: Node) -> tuple[Node, Node]:
    """Data along rows and edges along columns."""
    shape = (*data.shape, *edges.shape)
    return spread(data, shape, (0,)), spread(edges, shape, (1,))


def _places(data: Node, edges: Node) -> Node:
    """Zero-based bin of each datum; -1 outside."""
    x, e = _against(data, edges)
    n = edges.shape[0] - 1
    reached = sum_(convert(x >= e, "integer"), (1,))
    inside = (data >= element(edges, 0)) & (data <= element(edges, n))
    place: Node = select(inside, select(reached > n, n - 1, reached - 1), -1)
    return place


def _counted(place: Node, bins: int) -> Node:
    """How often each of the numbers 0 to bins - 1 occurs."""
    known: Any = place.constant
    if known is not None:
        return place.builder.constant(np.bincount(known[known >= 0], minlength=bins))
    left, right = _against(place, place.builder.constant(np.arange(bins)))
    return sum_(convert(equal(left, right), "integer"), (0,))


def _fixed_places(data: Node, edges: Node) -> Node:
    """Places of constant data in constant edges, without a table of comparisons."""
    x: Any = data.constant
    e: Any = edges.constant
    place = np.searchsorted(e, x, side="right") - 1
    place = np.where(x == e[-1], len(e) - 2, place)
    return data.builder.constant(np.where((x >= e[0]) & (x <= e[-1]), place, -1))


def _bin(data: Node, edges: Node) -> Node:
    fixed = data.constant is not None and edges.constant is not None
    return _fixed_places(data, edges) if fixed else _places(data, edges)


def _histogram(data: Sequence[Node], edges: Sequence[Node]) -> Node:
    shape = tuple(node.shape[0] - 1 for node in edges)
    flat = _bin(data[0], edges[0])
    for x, e in zip(data[1:], edges[1:], strict=True):
        place = _bin(x, e)
        outside = (flat < 0) | (place < 0)
        flat = select(outside, -1, flat * (e.shape[0] - 1) + place)
    return reshape(_counted(flat, math.prod(shape)), shape)


def _bincounts(bins: Any, data: Any) -> Tensor:
    if not isinstance(bins, Record):
        return Tensor(_histogram([real(vector(data, "bincounts"))], [edges_of(bins, "bincounts")]), (1,))
    if not isinstance(data, Record | Table):
        refuse("kind", f"bincounts with a record of edges takes a record or table of data, got {got(data)}")
    edges, columns = bins.fields, dict(data.items)
    if set(edges) != set(columns):
        refuse("field", f"bincounts: the edges are named {', '.join(edges)}, the data {', '.join(columns)}")
    points = [real(vector(columns[name], "bincounts")) for name in edges]
    if len({node.shape for node in points}) != 1:
        refuse("shape", f"bincounts takes data of equal lengths, got {', '.join(str(n.shape[0]) for n in points)}")
    limits = [edges_of(value, "bincounts") for value in edges.values()]
    return Tensor(_histogram(points, limits), (len(limits),))


FUNCTIONS = (Function("bincounts", ("bins", "data"), _bincounts),)
