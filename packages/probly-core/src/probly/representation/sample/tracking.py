"""Where a sample's member axis goes under each operation, and what becomes of the weights (R-3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from probly.errors import LayoutError
from probly.representation._protected_axis.indexing import consumed
from probly.representation._protected_axis.layout import shape_of

__all__ = ["RULES", "locate"]

#: New member axis, or None if it is gone; and the new weights.
Place = tuple[int | None, Any]


def _keep(sample: Any, data: Any) -> Place:
    return sample.sample_axis, sample.weights


def _transpose(sample: Any, axes: tuple[int, ...]) -> Place:
    return axes.index(sample.sample_axis), sample.weights


def _insert(sample: Any, axes: tuple[int, ...]) -> Place:
    free = [axis for axis in range(sample.ndim + len(axes)) if axis not in axes]
    return free[sample.sample_axis], sample.weights


def _remove(sample: Any, axes: tuple[int, ...]) -> Place:
    gone = sample.sample_axis in axes
    return (None, None) if gone else (sample.sample_axis - sum(a < sample.sample_axis for a in axes), sample.weights)


def _reduce(sample: Any, data: tuple[tuple[int, ...], bool]) -> Place:
    axes, keepdims = data
    if sample.is_weighted and sample.sample_axis in axes:
        raise LayoutError("a reduction over the members ignores their weights; use sample_mean or sample_var")
    if keepdims and sample.sample_axis not in axes:
        return sample.sample_axis, sample.weights
    return (None, None) if keepdims else _remove(sample, axes)


def _reshape(sample: Any, shape: tuple[int, ...]) -> Place:
    """Find an axis of the same size with as many elements before it; the axis is gone if it was merged or split."""
    before = math.prod(sample.shape[: sample.sample_axis])
    for axis, size in enumerate(shape):
        if size == sample.sample_size and math.prod(shape[:axis]) == before:
            return axis, sample.weights
    return None, None


def _broadcast(sample: Any, shape: tuple[int, ...]) -> Place:
    axis = sample.sample_axis + len(shape) - sample.ndim
    return axis, _weights(sample, shape[axis] == sample.sample_size)


def _tile(sample: Any, counts: tuple[int, ...]) -> Place:
    axis = sample.sample_axis + len(counts) - sample.ndim
    return axis, _weights(sample, counts[axis] == 1)


def _resize(sample: Any, axis: int) -> Place:
    return sample.sample_axis, _weights(sample, axis != sample.sample_axis)


def _permute(sample: Any, axes: tuple[int, ...]) -> Place:
    return sample.sample_axis, _weights(sample, sample.sample_axis not in axes)


def _take(sample: Any, data: tuple[Any, int]) -> Place:
    indices, axis = data
    rank = len(shape_of(indices)) if not isinstance(indices, int) else 0
    if axis != sample.sample_axis:
        return sample.sample_axis + (rank - 1) * (axis < sample.sample_axis), sample.weights
    if rank == 0:
        return None, None
    if rank > 1:
        raise LayoutError(f"indices of rank {rank} along the member axis leave no single member axis")
    weights = None if sample.weights is None else sample._ops.take(sample.weights, indices, 0)
    return axis, weights


def _stack(sample: Any, data: tuple[int, list[Any]]) -> Place:
    axis, members = data
    _require_common(members)
    return sample.sample_axis + (axis <= sample.sample_axis), sample.weights


def _concatenate(sample: Any, data: tuple[int, list[Any]]) -> Place:
    axis, members = data
    if axis != sample.sample_axis:
        _require_common(members)
        return sample.sample_axis, sample.weights
    if any(member.sample_axis != axis for member in members):
        raise LayoutError("cannot concatenate samples whose member axes differ; use move_sample_axis")
    return axis, sample._joined_weights(members)


def _require_common(members: list[Any]) -> None:
    first = members[0]
    for other in members[1:]:
        if other.sample_axis != first.sample_axis or other.weights is not first.weights:
            raise LayoutError("cannot join samples whose member axes or weights differ")


def _weights(sample: Any, members_kept: bool) -> Any:
    """Weights of members that are as before; an error if they are not and have weights."""
    if sample.weights is not None and not members_kept:
        raise LayoutError("the operation rearranges the members of a weighted sample; index it instead")
    return sample.weights


def _index(sample: Any, parts: tuple[Any, ...]) -> Place:
    """NumPy's rules: several index arrays go where the first is, or to the front if a slice or None separates them."""
    arrays = [position for position, part in enumerate(parts) if shape_of_part(part) is not None]
    advanced = [position for position, part in enumerate(parts) if position in arrays or (arrays and _is_integer(part))]
    adjacent = not advanced or advanced == list(range(advanced[0], advanced[-1] + 1))
    rank = max((len(_index_shape(sample, parts[position])) for position in arrays), default=0)
    axis, result, found, chosen = 0, 0 if adjacent else rank, None, None
    for position, part in enumerate(parts):
        width = consumed(sample, part)
        inside = axis <= sample.sample_axis < axis + width
        if position in advanced:
            start = 0 if not adjacent else result
            if inside:
                found, chosen = _advanced_place(start, rank, width, part)
            if adjacent and position == advanced[-1]:
                result += rank
        elif part is None or isinstance(part, slice):
            if inside:
                found, chosen = result, part
            result += 1
        axis += width
    return _weighted(sample, found, chosen)


def _advanced_place(start: int, rank: int, width: int, part: Any) -> tuple[int | None, Any]:
    if width > 1 or rank > 1:
        raise IndexError("the index mixes the member axis with other axes; index them one after the other")
    return (None, None) if rank == 0 or shape_of_part(part) in (None, ()) else (start, part)


def _weighted(sample: Any, found: int | None, chosen: Any) -> Place:
    whole = isinstance(chosen, slice) and chosen == slice(None)
    if found is None or sample.weights is None or whole:
        return found, None if found is None else sample.weights
    return found, sample._ops.index(sample.weights, (chosen,))


def shape_of_part(part: Any) -> tuple[int, ...] | None:
    """Shape of an index array, None for other parts of a key."""
    if part is None or part is Ellipsis or isinstance(part, slice | int | np.integer):
        return None
    return shape_of(part)


def _is_integer(part: Any) -> bool:
    return isinstance(part, int | np.integer)


def _index_shape(sample: Any, part: Any) -> tuple[int, ...]:
    """Shape that an index array contributes; a mask of any rank contributes one axis."""
    ops = sample._ops
    mask = ops.kind(part) == "bool" if ops.is_array(part) else part.dtype == bool
    return (0,) if mask else shape_of(part)


#: Step kind to rule.
RULES: dict[str, Callable[[Any, Any], Place]] = {
    "keep": _keep,
    "transpose": _transpose,
    "insert": _insert,
    "remove": _remove,
    "reduce": _reduce,
    "reshape": _reshape,
    "broadcast": _broadcast,
    "tile": _tile,
    "resize": _resize,
    "permute": _permute,
    "take": _take,
    "stack": _stack,
    "concatenate": _concatenate,
    "index": _index,
}


def locate(sample: Any, step: tuple[str, Any]) -> Place:
    """New member axis and weights of a sample after an operation.

    Raises
    ------
    IndexError, LayoutError
        If the members or their weights can no longer be told apart.
    """
    kind, data = step
    return RULES[kind](sample, data)
