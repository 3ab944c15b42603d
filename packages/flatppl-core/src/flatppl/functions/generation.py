"""Arrays made from sizes; sizes are fixed integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.functions.common import check, check_range, got, scalar, sizes, spread, tensor, vector
from flatppl.tensor.intervals import Interval
from flatppl.tensor.ops import concat, convert, equal, reshape, transpose
from flatppl.tensor.program import Node
from flatppl.values.callables import Function, fixed_integer, fixed_integers
from flatppl.values.forms import Tensor

__all__ = ["FUNCTIONS"]


def _array(data: Any, size: Any, dimorder: Any) -> Tensor:
    node = vector(data, "array")
    shape, order = sizes(size, "the size of array"), fixed_integers(dimorder, "the dimorder of array")
    if sorted(order) != list(range(1, len(shape) + 1)):
        refuse("shape", f"array: dimorder {list(order)} is not a permutation of the axes 1 to {len(shape)}")
    if math.prod(shape) != node.shape[0]:
        refuse("shape", f"array of size {list(shape)} needs {math.prod(shape)} entries, got {node.shape[0]}")
    by_speed = reshape(node, tuple(shape[axis - 1] for axis in order))
    return Tensor(transpose(by_speed, tuple(order.index(axis) for axis in range(1, len(shape) + 1))), (len(shape),))


def _fill(x: Any, size: Any) -> Tensor:
    cell, shape = tensor(x, "fill"), sizes(size, "the size of fill")
    if cell.row:
        refuse("shape", f"fill takes scalars and arrays, got {got(x)}; transpose it first")
    full = shape + cell.node.shape
    return Tensor(spread(cell.node, full, range(len(shape), len(full))), (len(shape), *cell.levels))


def _constant(name: str, value: float) -> Function:
    def apply(size: Any) -> Tensor:
        shape = sizes(size, f"the size of {name}")
        return Tensor(spread(size.node.builder.constant(value), shape, ()), (len(shape),))

    return Function(name, ("size",), apply)


def _eye(n: Any) -> Tensor:
    size = fixed_integer(n, "the size of eye")
    return Tensor(n.node.builder.constant(np.eye(size)), (2,))


def _onehot(i: Any, n: Any) -> Tensor:
    index, size = scalar(i, "onehot"), fixed_integer(n, "the length of onehot")
    if index.kind == "real":
        refuse("kind", f"onehot takes an integer index, got {got(i)}; integer(x) converts it")
    message = f"onehot(i, n): i is outside 1 to {size}"
    if not check_range(index, Interval(1.0, float(size)), "the index of onehot", f"between 1 and {size}", "index"):
        index = check(index, (index >= 1) & (index <= size), message, "index")
    places = index.builder.constant(np.arange(1, size + 1))
    return Tensor(convert(equal(places, index), "real"), (1,))


def _line(name: str, lower: Any, upper: Any, n: Any) -> Node:
    start, stop = scalar(lower, name), scalar(upper, name)
    count = fixed_integer(n, f"the length of {name}")
    if count < 1:
        refuse("domain", f"the length of {name} must be at least 1, got {count}")
    if count == 1:
        message = f"{name}(from, to, 1) needs from = to"
        return reshape(convert(check(start, equal(start, stop), message), "real"), (1,))
    t = start.builder.constant(np.arange(count) / (count - 1))
    return (1.0 - t) * start + t * stop


def _linspace(lower: Any, upper: Any, n: Any) -> Tensor:
    return Tensor(_line("linspace", lower, upper, n), (1,))


def _extlinspace(lower: Any, upper: Any, n: Any) -> Tensor:
    inner = _line("extlinspace", lower, upper, n)
    ends = [inner.builder.constant(np.array([end])) for end in (-np.inf, np.inf)]
    return Tensor(concat([ends[0], inner, ends[1]]), (1,))


FUNCTIONS = (
    Function("array", ("data", "size", "dimorder"), _array),
    Function("fill", ("x", "size"), _fill),
    _constant("zeros", 0.0),
    _constant("ones", 1.0),
    Function("eye", ("n",), _eye),
    Function("onehot", ("i", "n"), _onehot),
    Function("linspace", ("from", "to", "n"), _linspace),
    Function("extlinspace", ("from", "to", "n"), _extlinspace),
)
