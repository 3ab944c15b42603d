"""Selecting, repeating and reordering batch elements: always permitted (P-8, N-1)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from probly.errors import LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import fieldwise, has_sidecar, on_field
from probly.representation._protected_axis.layout import broadcast_shapes, normalize_axes, normalize_axis, shape_of
from probly.representation._protected_axis.spelling import Operation
from probly.representation._protected_axis.structure import apply, broadcast_to, known, reshape

__all__ = ["REARRANGE"]

Call = Callable[..., Any]


def take(func: Call, a: Any, indices: Any, axis: Any = None) -> Any:
    """Elements along a batch axis, of the flat batch if ``axis`` is None."""
    if axis is None:
        return take(func, reshape(func, a, (-1,)), indices, 0)
    indices = a._ops.asarray(indices) if isinstance(indices, list | tuple) else indices
    axis = normalize_axis(axis, a.ndim)
    return apply(a, func, "take", ("take", (indices, axis)), indices, axis)


def take_along_axis(func: Call, arr: Any, indices: Any, axis: Any = -1, **options: Any) -> Any:
    """Elements along a batch axis by an index of the batch rank, broadcast over protected axes."""
    axis = normalize_axis(axis, arr.ndim)
    shape = shape_of(indices)
    if len(shape) != arr.ndim:
        raise LayoutError(f"indices of shape {shape} need the rank of the batch shape {arr.shape}")
    if has_sidecar(arr) or isinstance(indices, ProtectedAxes):
        return NotImplemented

    def run(field: Any, tail: tuple[int, ...]) -> Any:
        if isinstance(field, ProtectedAxes):
            wide = arr._ops.reshape(indices, (*shape, *(1 for _ in tail)))
            return on_field(arr, func, "take_along_axis", field, wide, axis)
        wide = arr._ops.broadcast_to(arr._ops.reshape(indices, (*shape, *(1 for _ in tail))), (*shape, *tail))
        return arr._ops.take_along_axis(field, wide, axis)

    return fieldwise(arr, func, ("resize", axis), run)


def flip(func: Call, m: Any, axis: Any = None) -> Any:
    """Reverse batch axes."""
    axes = normalize_axes(axis, m.ndim)
    return apply(m, func, "flip", ("permute", axes), axes)


def roll(func: Call, a: Any, shift: Any, axis: Any = None) -> Any:
    """Roll along batch axes, along the flat batch if ``axis`` is None."""
    if axis is None:
        return reshape(func, roll(func, reshape(func, a, (-1,)), shift, 0), a.shape)
    axes = normalize_axes(axis, a.ndim)
    shifts = tuple(shift) if isinstance(shift, tuple | list) else (shift,) * len(axes)
    return apply(a, func, "roll", ("permute", axes), shifts, axes)


def repeat(func: Call, a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeat elements along a batch axis, of the flat batch if ``axis`` is None."""
    if axis is None:
        return repeat(func, reshape(func, a, (-1,)), repeats, 0)
    axis = normalize_axis(axis, a.ndim)
    return apply(a, func, "repeat", ("resize", axis), repeats, axis)


def tile(func: Call, A: Any, reps: Any) -> Any:  # noqa: N803
    """Tile the batch."""
    counts = tuple(reps) if isinstance(reps, Sequence) else (reps,)
    rank = max(len(counts), A.ndim)
    counts = (1,) * (rank - len(counts)) + counts
    wide = reshape(func, A, (1,) * (rank - A.ndim) + A.shape)

    def run(field: Any, tail: tuple[int, ...]) -> Any:
        return on_field(A, func, "tile", field, (*counts, *(1 for _ in tail)))

    return fieldwise(wide, func, ("tile", counts), run)


def split(func: Call, ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """Parts along a batch axis: equal ones, or ending at the given positions."""
    if not isinstance(indices_or_sections, Sequence):
        size, parts = ary.shape[normalize_axis(axis, ary.ndim)], operator.index(indices_or_sections)
        if parts < 1 or size % parts:
            raise LayoutError(f"cannot split an axis of size {size} into {parts} equal parts")
    return array_split(func, ary, indices_or_sections, axis)


def array_split(func: Call, ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """Parts along a batch axis, nearly equal ones or ending at the given positions."""
    axis = normalize_axis(axis, ary.ndim)
    n = ary.shape[axis]
    if isinstance(indices_or_sections, Sequence):
        ends = [*map(operator.index, indices_or_sections), n]
    else:
        parts = operator.index(indices_or_sections)
        if parts < 1:
            raise LayoutError(f"cannot split an axis into {parts} parts")
        ends = [n // parts * i + min(i, n % parts) for i in range(1, parts + 1)]
    slices = (slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True))
    return [ary[(*(slice(None),) * axis, part)] for part in slices]


def where(func: Call, condition: Any, x: Any, y: Any) -> Any:
    """Choose batch elements of two objects of one class by a mask of the batch shape."""
    if not (isinstance(x, ProtectedAxes) and type(x) is type(y)) or has_sidecar(x):
        return NotImplemented
    shape = broadcast_shapes([shape_of(condition), x.shape, y.shape], "batch shapes")
    mask = broadcast_mask(x, condition)
    left, right = broadcast_to(func, x, shape), broadcast_to(func, y, shape)
    other = right.protected_values(func)

    def run(field: Any, tail: tuple[int, ...], name: str) -> Any:
        if isinstance(field, ProtectedAxes):
            wide = x._ops.reshape(mask, shape_of(mask) + (1,) * len(tail))
            return where(func, wide, field, other[name])
        wide = x._ops.reshape(mask, shape_of(mask) + (1,) * len(tail))
        return x._ops.where(wide, field, other[name])

    values = left.protected_values(func)
    tails = {name: shape_of(values[name])[len(shape) :] for name in values}
    return left.with_protected_values({name: run(values[name], tails[name], name) for name in values}, func)


def broadcast_mask(x: Any, mask: Any) -> Any:
    """A mask as an array of x's library."""
    return mask if x._ops.is_array(mask) else x._ops.asarray(mask)


#: Operations by canonical name; their parameters are the canonical ones.
REARRANGE: dict[str, Operation] = {
    **{
        operation.__name__: known(operation)
        for operation in (take, take_along_axis, flip, roll, repeat, tile, split, array_split)
    },
    "where": where,
}
