"""Operators on representations: fieldwise, with one permission each (O-1 to O-13)."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from probly.array_ops import BINARY, COMPARISONS, UNARY
from probly.errors import LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import check_protected, has_sidecar, trailing_shapes
from probly.representation._protected_axis.layout import broadcast_shapes, shape_of
from probly.representation._protected_axis.matmul import matmul
from probly.representation._protected_axis.spelling import Operation

__all__ = ["ELEMENTWISE"]

Call = Callable[..., Any]

#: Second wave: unary and binary functions that are no Python operators.
FUNCTIONS = ("exp", "log", "sqrt", "isnan", "maximum", "minimum", "logical_and", "logical_or", "logical_not")


def elementwise(name: str, func: Call, *operands: Any, **named: Any) -> Any:
    """Apply a primitive to each field of its operands.

    Returns
    -------
    object
        A representation; a pair of them for ``divmod``; a mask of the batch shape for a comparison;
        ``NotImplemented`` if an operand declines.

    Raises
    ------
    LayoutError
        If layouts or protected shapes of the operands differ, shapes do not broadcast, or the result changes a
        protected shape or has different batch shapes per field.
    """
    if named:
        return NotImplemented
    columns = _columns(func, operands)
    if columns is None:
        return NotImplemented
    owner = next(operand for operand in operands if isinstance(operand, ProtectedAxes))
    shapes = trailing_shapes(owner, next(c for c in columns if isinstance(c, dict)))
    results = {}
    for field, count in owner.protected_axes.items():
        arguments = [column[field] if isinstance(column, dict) else column for column in columns]
        raw = [not isinstance(column, dict) for column in columns]
        results[field] = _on_arrays(name, func, owner, arguments, raw, count)
        if results[field] is NotImplemented:
            return NotImplemented
    if name in COMPARISONS:
        return _mask(name, owner, results, shapes)
    if name == "divmod":
        halves = [{field: pair[part] for field, pair in results.items()} for part in (0, 1)]
        return tuple(_finish(func, owner, half, shapes, operands) for half in halves)
    return _finish(func, owner, results, shapes, operands)


def _columns(func: Call, operands: tuple[Any, ...]) -> list[Any] | None:
    """Each operand as its fields or as an ordinary value; None if any of them declines."""
    owners = [operand for operand in operands if isinstance(operand, ProtectedAxes)]
    if not owners:
        return None
    first = owners[0]
    columns: list[Any] = []
    for operand in operands:
        column = _column(func, first, operand)
        if column is None:
            return None
        columns.append(column)
    _check_layouts(owners, [column for column in columns if isinstance(column, dict)])
    return columns


def _column(func: Call, first: ProtectedAxes, operand: Any) -> Any:
    if isinstance(operand, ProtectedAxes):
        return operand.protected_values(func) if type(operand) is type(first) and not has_sidecar(operand) else None
    ordinary = isinstance(operand, numbers.Number | np.generic | np.ndarray) or first._ops.is_array(operand)
    return operand if ordinary else None


def _check_layouts(owners: list[ProtectedAxes], columns: list[dict[str, Any]]) -> None:
    first = trailing_shapes(owners[0], columns[0])
    for owner, column in zip(owners[1:], columns[1:], strict=True):
        if owner.protected_axes != owners[0].protected_axes:
            raise LayoutError(f"operands have protected axes {owners[0].protected_axes} and {owner.protected_axes}")
        other = trailing_shapes(owner, column)
        if other != first:
            raise LayoutError(f"operands need identical protected trailing shapes, not {first} and {other}")


def _on_arrays(name: str, func: Call, owner: Any, arguments: list[Any], raw: list[bool], count: int) -> Any:
    """One field: recursion into nested representations, else the library's primitive."""
    if any(isinstance(argument, ProtectedAxes) for argument in arguments):
        return NotImplemented if name == "matmul" else elementwise(name, func, *arguments)
    if name == "matmul":
        return matmul(owner._ops, arguments, raw, count)
    broadcast_shapes(map(shape_of, arguments), "operand shapes")
    return getattr(owner._ops, name)(*(_as_array(owner, argument) for argument in arguments))


def _as_array(owner: Any, argument: Any) -> Any:
    """NumPy values as arrays of the owner's library; numbers stay numbers, which promote weakly."""
    foreign = isinstance(argument, np.ndarray | np.generic) and not owner._ops.is_array(argument)
    return owner._ops.asarray(argument) if foreign else argument


def _mask(name: str, owner: Any, results: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> Any:
    """Reduce fieldwise comparisons to the batch shape: all must hold, for ``!=`` any (O-7)."""
    check_protected(owner, results, shapes)
    ops = owner._ops
    reduce, combine = (ops.any, ops.logical_or) if name == "not_equal" else (ops.all, ops.logical_and)
    mask = None
    for field, result in results.items():
        rank, count = len(shape_of(result)), len(shapes[field])
        part = reduce(result, axis=tuple(range(rank - count, rank))) if count else result
        mask = part if mask is None else combine(mask, part)
    return mask


def _finish(
    func: Call, owner: Any, values: dict[str, Any], shapes: Mapping[str, tuple[int, ...]], operands: tuple[Any, ...]
) -> Any:
    """Check, let the class adjust, check again, and rebuild (O-6, O-12)."""
    check_protected(owner, values, shapes)
    values = owner._postprocess_elementwise_result(values, func=func, operands=operands)
    check_protected(owner, values, shapes)
    return owner.with_protected_values(values, func)


#: Operators and elementwise functions by canonical name.
ELEMENTWISE: dict[str, Operation] = {name: partial(elementwise, name) for name in (*BINARY, *UNARY, *FUNCTIONS)}
