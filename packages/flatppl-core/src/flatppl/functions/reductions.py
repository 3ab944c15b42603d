"""Reductions of arrays to scalars, and of tables to records of one result per column."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.functions.common import check, check_range, got, real, scalar, spread, tensor
from flatppl.functions.variadic import row_count
from flatppl.tensor import ops
from flatppl.tensor.intervals import UNIT
from flatppl.tensor.ops import convert, equal, isnan, reshape, select, take
from flatppl.tensor.program import Node
from flatppl.values.callables import Function
from flatppl.values.forms import Record, Table, Tensor, Tuple

__all__ = ["FUNCTIONS", "REDUCTIONS"]

Axes = tuple[int, ...]


def _count(x: Node, axes: Axes) -> int:
    return math.prod(x.shape[axis] for axis in axes)


def _numeric(x: Node) -> Node:
    return convert(x, "integer") if x.kind == "boolean" else x


def _mean(x: Node, axes: Axes) -> Node:
    _at_least(x, axes, 1, "mean")
    return ops.sum_(real(x), axes) / _count(x, axes)


def _var(x: Node, axes: Axes) -> Node:
    _at_least(x, axes, 2, "var")
    kept = [axis for axis in range(len(x.shape)) if axis not in axes]
    centred = real(x) - spread(_mean(x, axes), x.shape, kept)
    return ops.sum_(ops.square(centred), axes) / (_count(x, axes) - 1)


def _std(x: Node, axes: Axes) -> Node:
    _at_least(x, axes, 2, "std")
    root: Node = ops.sqrt(_var(x, axes))
    return root


def _at_least(x: Node, axes: Axes, least: int, name: str) -> None:
    count = _count(x, axes)
    if count < least:
        refuse("domain", f"{name} needs at least {least} element{'s' * (least > 1)}, got {count}")


def _extreme(empty: float, rule: Callable[..., Node], boolean: Callable[..., Node]) -> Callable[..., Node]:
    """Largest or smallest element; booleans stay booleans, the empty array has an infinite one."""

    def reduce(x: Node, axes: Axes) -> Node:
        if not _count(x, axes):
            shape = tuple(size for axis, size in enumerate(x.shape) if axis not in axes)
            return spread(x.builder.constant(empty), shape, ())
        return boolean(x, axes) if x.kind == "boolean" else rule(x, axes)

    return reduce


def _sorted(x: Node, axes: Axes) -> Node:
    """Ascending reals along one first axis; NaN last."""
    rest = tuple(axis for axis in range(len(x.shape)) if axis not in axes)
    front = ops.transpose(real(x), (*axes, *rest))
    flat = reshape(front, (_count(x, axes), *(x.shape[axis] for axis in rest)))
    return x.builder.apply("sort", flat, axis=0)


def _median(x: Node, axes: Axes) -> Node:
    _at_least(x, axes, 1, "median")
    ordered, n = _sorted(x, axes), _count(x, axes)
    low, high, last = (take(ordered, index) for index in ((n - 1) // 2, n // 2, n - 1))
    middle = low if n % 2 else low * 0.5 + high * 0.5
    result: Node = select(isnan(last), last, middle)
    return result


def _boolean(name: str, rule: Callable[..., Node]) -> Callable[..., Node]:
    def reduce(x: Node, axes: Axes) -> Node:
        if x.kind != "boolean":
            refuse("kind", f"{name} takes booleans, got {x.kind} entries; boolean.(xs) converts 0 and 1")
        return rule(x, axes)

    return reduce


#: name -> ``reduce(node, axes)``: the eligible reductions of ``aggregate``, on nodes.
REDUCTIONS: dict[str, Callable[[Node, Axes], Node]] = {
    "sum": lambda x, axes: ops.sum_(_numeric(x), axes),
    "mean": _mean,
    "var": _var,
    "std": _std,
    "prod": lambda x, axes: ops.prod(_numeric(x), axes),
    "maximum": _extreme(-math.inf, ops.max_, ops.any_),
    "minimum": _extreme(math.inf, ops.min_, ops.all_),
    "median": _median,
    "lany": _boolean("lany", ops.any_),
    "lall": _boolean("lall", ops.all_),
}


def _reduction(name: str) -> Function:
    rule = REDUCTIONS[name]

    def column(value: Any) -> Any:
        """Reduce the rows of a column, entry by entry where the entries are arrays."""
        if isinstance(value, Table):
            return Record(tuple((field, column(part)) for field, part in value.items))
        found = tensor(value, name)
        return Tensor(rule(found.node, (0,)), found.levels[1:])

    def apply(xs: Any) -> Any:
        return column(xs) if isinstance(xs, Table) else Tensor(rule(_flat(xs, name), _axes(xs)))

    return Function(name, ("xs",), apply, whole=True)


def _flat(xs: Any, name: str) -> Node:
    found = tensor(xs, name)
    if not found.levels:
        refuse("shape", f"{name} takes an array or a table, got {got(xs)}")
    if len(found.levels) > 1:
        refuse("shape", f"{name} of {got(xs)} is not defined; write {name}.(xs), or rowstack it first")
    return found.node


def _axes(xs: Tensor) -> Axes:
    return tuple(range(len(xs.node.shape)))


def _quantile(xs: Any, p: Any) -> Tensor:
    data, level = _flat(xs, "quantile"), real(scalar(p, "quantile"))
    _at_least(data, _axes(xs), 1, "quantile")
    if not check_range(level, UNIT, "the level p of quantile", "between 0 and 1"):
        level = check(level, (level >= 0.0) & (level <= 1.0), "quantile(xs, p): p is outside 0 to 1")
    ordered = _sorted(data, _axes(xs))
    n = ordered.shape[0]
    place = level * (n - 1)
    below = ops.floor(place)
    part = place - below
    exact = equal(part, 0.0)
    index = convert(below, "integer")
    low, high = take(ordered, index), take(ordered, select(exact, index, ops.minimum(index + 1, n - 1)))
    last = take(ordered, n - 1)
    between = (1.0 - part) * low + part * high
    return Tensor(select(isnan(last), last, select(exact, low, between)))


def _lengthof(x: Any) -> int | Tensor:
    found = row_count(x)
    if isinstance(x, Tensor):
        if x.levels[:1] != (1,):
            hint = "; sizeof gives the lengths of all axes" if x.levels else ""
            refuse("shape", f"lengthof takes a vector or a table, got {got(x)}{hint}")
        return Tensor(x.node.builder.constant(x.node.shape[0]))
    if found is None:
        refuse("kind", f"lengthof takes a vector or a table, got {got(x)}")
    return found


def _sizeof(x: Any) -> np.ndarray | Tensor:
    if isinstance(x, Tensor) and x.levels:
        return Tensor(x.node.builder.constant(np.array(x.shape, np.int64)), (1,))
    count = None if isinstance(x, Table) else row_count(x)
    if count is None:
        hint = "; lengthof gives the number of rows" if isinstance(x, Table) else ""
        refuse("kind", f"sizeof takes an array, got {got(x)}{hint}")
    return np.array([count])


def _indices(name: str, base: int) -> Function:
    """Indices of a vector or of table rows; one vector per axis of an array with several axes."""

    def apply(x: Any) -> Any:
        if isinstance(x, Tensor) and x.levels:
            builder = x.node.builder
            ranges = [Tensor(builder.constant(np.arange(base, size + base)), (1,)) for size in x.shape]
            return ranges[0] if len(ranges) == 1 else Tuple(tuple(ranges))
        count = row_count(x)
        if count is None:
            refuse("kind", f"{name} takes an array or a table, got {got(x)}")
        return np.arange(base, count + base)

    return Function(name, ("x",), apply, whole=True)


FUNCTIONS = (
    *(_reduction(name) for name in REDUCTIONS),
    Function("quantile", ("xs", "p"), _quantile),
    Function("lengthof", ("x",), _lengthof, whole=True),
    Function("sizeof", ("x",), _sizeof),
    _indices("indicesof", 1),
    _indices("indicesof0", 0),
)
