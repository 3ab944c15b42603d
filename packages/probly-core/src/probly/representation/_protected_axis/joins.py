"""Joining representations: stack and concatenate (P-9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probly.errors import LayoutError
from probly.numpy_backend.ops import NUMPY
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import check_protected, is_sidecar, tails_of
from probly.representation._protected_axis.layout import normalize_axis, shape_of
from probly.representation._protected_axis.spelling import Operation

__all__ = ["JOINS"]

Call = Callable[..., Any]


def stack(func: Call, arrays: Any, axis: Any = 0, out: Any = None, dtype: Any = None) -> Any:
    """Join along a new batch axis."""
    members = _members(arrays)
    if members is None:
        return NotImplemented
    shape = members[0].shape
    for member in members:
        if member.shape != shape:
            raise LayoutError(f"stack: batch shapes {', '.join(str(each.shape) for each in members)} differ")
    return _join(func, "stack", members, normalize_axis(axis, len(shape) + 1), out, dtype)


def concatenate(func: Call, arrays: Any, axis: Any = 0, out: Any = None, dtype: Any = None) -> Any:
    """Join along an existing batch axis; None flattens the batch axes of each input first."""
    members = _members(arrays)
    if members is None:
        return NotImplemented
    if axis is None:
        members, axis = [member.reshape((-1,)) for member in members], 0
    shape = members[0].shape
    axis = normalize_axis(axis, len(shape))
    for member in members:
        other = member.shape
        if other[:axis] != shape[:axis] or other[axis + 1 :] != shape[axis + 1 :]:
            shapes = ", ".join(str(each.shape) for each in members)
            raise LayoutError(f"concatenate: batch shapes {shapes} differ outside axis {axis}")
    return _join(func, "concatenate", members, axis, out, dtype)


def _members(arrays: Any) -> list[Any] | None:
    """Inputs as objects of one class, or None if none of them is a representation.

    Raises
    ------
    LayoutError
        If protected axes differ.
    TypeError
        If classes differ, or a raw array fits no single field.
    """
    inputs = arrays if isinstance(arrays, tuple | list) else ()
    first = next((value for value in inputs if isinstance(value, ProtectedAxes)), None)
    if first is None:
        return None
    cls = type(first)
    return [value if type(value) is cls else _member(first, value) for value in inputs]


def _member(first: Any, value: Any) -> Any:
    """Wrap a raw array next to single-field objects whose protected shape it ends with; refuse anything else."""
    if isinstance(value, ProtectedAxes):
        if value.protected_axes != first.protected_axes:
            raise LayoutError(f"cannot join {first.protected_axes} with {value.protected_axes}: protected axes differ")
        raise TypeError(f"cannot join {type(first).__name__} with {type(value).__name__}")
    name, tail, shape = first._axes[0][0], first.protected_shape, shape_of(value)
    single = len(first._axes) == 1 and not isinstance(getattr(first, name), ProtectedAxes)
    if not (single and first._ops.is_array(value)) or shape[max(len(shape) - len(tail), 0) :] != tail:
        raise TypeError(
            f"cannot join {type(first).__name__} of protected shape {tail} with {type(value).__name__} of shape {shape}"
        )
    return first.with_protected_values({name: value})


def _join(func: Call, name: str, members: list[Any], axis: int, out: Any, dtype: Any) -> Any:
    first = members[0]
    columns = [member.protected_values(func) for member in members]
    if None in columns:
        return NotImplemented
    tails = tails_of(first, columns[0])
    for column in columns[1:]:
        other = tails_of(first, column)
        if other != tails:
            raise LayoutError(f"cannot join protected shapes {tails} and {other}")
    results = {key: _column(first, func, name, [column[key] for column in columns], axis) for key, _ in first._axes}
    check_protected(first, results, tails)
    joined = first._rebuild(results, func, (name, (axis, members)))
    joined = joined if dtype is None else first._functions.run("astype", joined, dtype)
    return joined if out is None else _write(joined, out)


def _column(first: Any, func: Call, name: str, fields: list[Any], axis: int) -> Any:
    """One field of the result."""
    if isinstance(fields[0], ProtectedAxes):
        return JOINS[name](func, fields, axis)
    ops = NUMPY if is_sidecar(first, fields[0]) else first._ops
    return getattr(ops, name)(fields, axis)


def _write(joined: Any, out: Any) -> Any:
    """Copy a result into ``out``: an object of equal layout, or the array of a single-field object."""
    if isinstance(out, ProtectedAxes):
        out[...] = joined
    else:
        joined._ops.assign(out, ..., getattr(joined, joined._single_field()))
    return out


#: Joining operations by canonical name.
JOINS: dict[str, Operation] = {"stack": stack, "concatenate": concatenate}
