"""Joining representations: stack and concatenate (P-9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    members = _members(func, arrays)
    if members is None:
        return NotImplemented
    first = members[0]
    if any(member.shape != first.shape for member in members):
        raise LayoutError(f"stack: batch shapes {', '.join(str(m.shape) for m in members)} differ")
    axis = normalize_axis(axis, first.ndim + 1)
    return _join(func, "stack", members, axis, out, dtype)


def concatenate(func: Call, arrays: Any, axis: Any = 0, out: Any = None, dtype: Any = None) -> Any:
    """Join along an existing batch axis; None flattens the batch axes of each input first."""
    members = _members(func, arrays)
    if members is None:
        return NotImplemented
    if axis is None:
        members, axis = [member.reshape((-1,)) for member in members], 0
    axis = normalize_axis(axis, members[0].ndim)
    rests = {(*m.shape[:axis], *m.shape[axis + 1 :]) for m in members}
    if len(rests) > 1:
        shapes = ", ".join(str(member.shape) for member in members)
        raise LayoutError(f"concatenate: batch shapes {shapes} differ outside axis {axis}")
    return _join(func, "concatenate", members, axis, out, dtype)


def _members(func: Call, arrays: Any) -> list[Any] | None:
    """Inputs as objects of one class, or None if none of them is a representation."""
    inputs = list(arrays) if isinstance(arrays, Sequence) else []
    owners = [value for value in inputs if isinstance(value, ProtectedAxes)]
    if not owners:
        return None
    first = owners[0]
    for other in owners:
        if other.protected_axes != first.protected_axes:
            raise LayoutError(f"cannot join {first.protected_axes} with {other.protected_axes}: protected axes differ")
        if type(other) is not type(first):
            raise TypeError(f"cannot join {type(first).__name__} with {type(other).__name__}")
    return [_member(first, value) for value in inputs]


def _member(first: Any, value: Any) -> Any:
    """Wrap a raw array next to single-field objects whose protected shape it ends with."""
    if isinstance(value, ProtectedAxes):
        return value
    name = next(iter(first.protected_axes))
    tail = first.protected_shape
    shape = shape_of(value)
    fits = (
        len(first.protected_axes) == 1
        and first._ops.is_array(value)
        and not isinstance(getattr(first, name), ProtectedAxes)
    )
    if not fits or shape[max(len(shape) - len(tail), 0) :] != tail:
        raise TypeError(
            f"cannot join {type(first).__name__} of protected shape {tail} with {type(value).__name__} of shape {shape}"
        )
    return first.with_protected_values({name: value})


def _join(func: Call, name: str, members: list[Any], axis: int, out: Any, dtype: Any) -> Any:
    first = members[0]
    columns = [member.protected_values(func) for member in members]
    if None in columns:
        return NotImplemented
    tails = [tails_of(first, column) for column in columns]
    if any(tail != tails[0] for tail in tails):
        raise LayoutError(f"cannot join protected shapes {', '.join(map(str, tails))}")
    results = {key: _column(first, func, name, [column[key] for column in columns], axis) for key in columns[0]}
    check_protected(first, results, tails[0])
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
