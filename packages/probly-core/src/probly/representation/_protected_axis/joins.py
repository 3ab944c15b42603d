"""Joining representations: stack and concatenate (P-9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probly.errors import LayoutError
from probly.numpy_backend.ops import NUMPY
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import check_field, is_sidecar
from probly.representation._protected_axis.layout import normalize_axis, shape_of
from probly.representation._protected_axis.spelling import Operation

__all__ = ["JOINS"]

Call = Callable[..., Any]
Shape = tuple[int, ...]


def stack(func: Call, arrays: Any, axis: Any = 0, out: Any = None, dtype: Any = None) -> Any:
    """Join along a new batch axis."""
    members = _members(arrays)
    if members is None:
        return NotImplemented
    return _join(func, "stack", members, normalize_axis(axis, members[0].ndim + 1), out, dtype)


def concatenate(func: Call, arrays: Any, axis: Any = 0, out: Any = None, dtype: Any = None) -> Any:
    """Join along an existing batch axis; None flattens the batch axes of each input first."""
    members = _members(arrays)
    if members is None:
        return NotImplemented
    if axis is None:
        members, axis = [member.reshape((-1,)) for member in members], 0
    return _join(func, "concatenate", members, normalize_axis(axis, members[0].ndim), out, dtype)


def _members(arrays: Any) -> list[Any] | None:
    """Inputs as objects of one class, or None if none of them is a representation.

    Raises
    ------
    LayoutError
        If protected axes differ.
    TypeError
        If classes differ, or a raw array fits no single field.
    """
    inputs = arrays if isinstance(arrays, (tuple, list)) else ()
    for first in inputs:
        if isinstance(first, ProtectedAxes):
            cls = type(first)
            return [value if type(value) is cls else _member(first, value) for value in inputs]
    return None


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
    results: dict[str, Any] = {}
    batch = None
    for key, count in first._axes:
        fields = [column[key] for column in columns]
        shapes = list(map(shape_of, fields))
        if shapes.count(shapes[0]) != len(shapes):
            _check_shapes(name, shapes, count, axis)
        results[key] = _column(first, func, name, fields, axis)
        batch = check_field(first, key, results[key], shapes[0][len(shapes[0]) - count :], batch)
    joined = first._rebuild(results, func, (name, (axis, members)))
    joined = joined if dtype is None else first._functions.run("astype", joined, dtype)
    return joined if out is None else _write(joined, out)


def _check_shapes(name: str, shapes: list[Shape], count: int, axis: int) -> None:
    """Refuse one field's shapes unless they differ along the axis of a concatenation only."""
    ranks = [len(shape) - count for shape in shapes]
    tails = [shape[rank:] for shape, rank in zip(shapes, ranks, strict=True)]
    if tails.count(tails[0]) != len(tails):
        raise LayoutError(f"cannot join protected shapes {', '.join(map(str, tails))}")
    batches = [shape[:rank] for shape, rank in zip(shapes, ranks, strict=True)]
    kept = [(len(batch), batch[:axis], batch[axis + 1 :]) for batch in batches]
    if name == "stack" or kept.count(kept[0]) != len(kept):
        raise LayoutError(f"{name}: batch shapes {', '.join(map(str, batches))} do not join along axis {axis}")


def _column(first: Any, func: Call, name: str, fields: list[Any], axis: int) -> Any:
    """One field of the result."""
    if isinstance(fields[0], ProtectedAxes):
        return JOINS[name](func, fields, axis)
    ops = first._ops
    if ops is not NUMPY and is_sidecar(first, fields[0]):
        ops = NUMPY
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
