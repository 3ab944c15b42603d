"""Operators on representations: fieldwise, with one permission each (O-1 to O-13)."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from probly.array_ops import BINARY, COMPARISONS, UNARY, ArrayOps
from probly.errors import LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import Tails, check_protected, has_sidecar
from probly.representation._protected_axis.layout import broadcast_shapes, shape_of
from probly.representation._protected_axis.matmul import matmul
from probly.representation._protected_axis.spelling import Operation

__all__ = ["ELEMENTWISE", "FUNCTIONS"]

Call = Callable[..., Any]
Shape = tuple[int, ...]

_NUMBERS = frozenset({bool, int, float, complex})
_NUMPY_VALUES = (np.ndarray, np.generic)

#: Second wave: unary and binary functions that are no Python operators.
FUNCTIONS = ("exp", "log", "sqrt", "isnan", "maximum", "minimum", "logical_and", "logical_or", "logical_not")


def elementwise(name: str, func: Call, *operands: Any, **named: Any) -> Any:
    """Apply a primitive to each field of its operands.

    Returns
    -------
    object
        A representation; a pair of them for ``divmod``; a mask of the batch shape for a comparison;
        ``NotImplemented`` if an operand declines, or there are keyword arguments.

    Raises
    ------
    LayoutError
        If protected shapes of the operands differ, shapes do not broadcast, or the result changes a protected shape or
        has different batch shapes per field.
    """
    columns: list[Any] = []
    owner = _owner(operands)
    if owner is None or named:
        return NotImplemented
    for operand in operands:
        column = _column(func, owner, operand)
        if column is None:
            return NotImplemented
        columns.append(column)
    results: dict[str, Any] = {}
    tails: Tails = []
    for field, count in owner._axes:
        arguments, shapes, tail = _arguments(columns, field, count)
        result = _on_arrays(name, func, owner._ops, arguments, shapes, columns, count)
        if result is NotImplemented:
            return NotImplemented
        results[field] = result
        tails.append(tail)
    if name in COMPARISONS:
        return _mask(name, owner, results, tails)
    if name == "divmod":
        halves = [{field: pair[part] for field, pair in results.items()} for part in (0, 1)]
        return tuple(_finish(func, owner, half, tails, operands) for half in halves)
    return _finish(func, owner, results, tails, operands)


def _owner(operands: tuple[Any, ...]) -> ProtectedAxes | None:
    """First representation in the order of the expression."""
    for operand in operands:
        if isinstance(operand, ProtectedAxes):
            return operand
    return None


def _column(func: Call, owner: ProtectedAxes, operand: Any) -> Any:
    """Fields of a representation, an ordinary value as a 1-tuple, or None to decline (O-3, O-5, O-10).

    NumPy values become arrays of the owner's library; numbers stay numbers, which promote weakly.
    """
    if isinstance(operand, ProtectedAxes):
        declined = type(operand) is not type(owner) or has_sidecar(operand)
        return None if declined else operand.protected_values(func)
    ops = owner._ops
    if type(operand) in _NUMBERS or ops.is_array(operand):
        return (operand,)
    if isinstance(operand, _NUMPY_VALUES):
        return (ops.asarray(operand),)
    return (operand,) if isinstance(operand, numbers.Number) else None


def _arguments(columns: list[Any], field: str, count: int) -> tuple[list[Any], list[Shape], Shape]:
    """One field of each operand, ordinary values as they are; their shapes; the protected shape that they share."""
    arguments: list[Any] = []
    shapes: list[Shape] = []
    common: Shape | None = None
    for column in columns:
        plain = type(column) is tuple
        value = column[0] if plain else column[field]
        shape = shape_of(value)
        arguments.append(value)
        shapes.append(shape)
        if plain:
            continue
        tail = shape[len(shape) - count :]
        if common is not None and tail != common:
            raise LayoutError(f"operands need identical protected trailing shapes, not {common} and {tail}")
        common = tail
    return arguments, shapes, common or ()


def _on_arrays(
    name: str, func: Call, ops: ArrayOps, arguments: list[Any], shapes: list[Shape], columns: list[Any], count: int
) -> Any:
    """One field: recursion into nested representations, else the library's primitive."""
    for argument in arguments:
        if isinstance(argument, ProtectedAxes):
            return NotImplemented if name == "matmul" else elementwise(name, func, *arguments)
    if name == "matmul":
        return matmul(ops, arguments, [type(column) is tuple for column in columns], count)
    if len(arguments) == 2 and shapes[0] != shapes[1] and all(shapes):
        broadcast_shapes(shapes, "operand shapes")
    return getattr(ops, name)(*arguments)


def _mask(name: str, owner: Any, results: dict[str, Any], tails: Tails) -> Any:
    """Reduce fieldwise comparisons to the batch shape: all must hold, for ``!=`` any (O-7)."""
    rank = len(check_protected(owner, results, tails))
    ops = owner._ops
    reduce, combine = (ops.any, ops.logical_or) if name == "not_equal" else (ops.all, ops.logical_and)
    mask = None
    for result, tail in zip(results.values(), tails, strict=True):
        part = reduce(result, axis=tuple(range(rank, rank + len(tail)))) if tail else result
        mask = part if mask is None else combine(mask, part)
    return mask


def _finish(func: Call, owner: Any, values: dict[str, Any], tails: Tails, operands: tuple[Any, ...]) -> Any:
    """Check, let the class adjust, check again, and rebuild (O-6, O-12)."""
    check_protected(owner, values, tails)
    if type(owner)._postprocess_elementwise_result is not ProtectedAxes._postprocess_elementwise_result:
        values = owner._postprocess_elementwise_result(values, func=func, operands=operands)
        check_protected(owner, values, tails)
    return owner.with_protected_values(values, func)


#: Operators and elementwise functions by canonical name.
ELEMENTWISE: dict[str, Operation] = {name: partial(elementwise, name) for name in (*BINARY, *UNARY, *FUNCTIONS)}
