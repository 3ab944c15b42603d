"""Structural functions: always permitted, axes are batch axes (P-8)."""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from probly.errors import LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import fieldwise, has_sidecar, on_field
from probly.representation._protected_axis.layout import broadcast_shapes, normalize_axes, normalize_axis, shape_of
from probly.representation._protected_axis.spelling import KEEP, Operation, Step

__all__ = ["STRUCTURE"]

Call = Callable[..., Any]


def _apply(a: Any, func: Call, name: str, step: Step, *args: Any) -> Any:
    """Run a primitive with equal arguments on every field."""
    return fieldwise(a, func, step, lambda field, _: on_field(a, func, name, field, *args))


def _reshaped(a: Any, func: Call, shape: tuple[int, ...]) -> Any:
    """Give the batch another shape."""
    return fieldwise(
        a, func, ("reshape", shape), lambda field, tail: on_field(a, func, "reshape", field, (*shape, *tail))
    )


def _known(operation: Operation) -> Operation:
    """Decline unless the first argument is a representation."""
    first = next(islice(inspect.signature(operation).parameters, 1, None))

    @functools.wraps(operation)
    def run(func: Call, *args: Any, **kwargs: Any) -> Any:
        owner = args[0] if args else kwargs.get(first)
        return operation(func, *args, **kwargs) if isinstance(owner, ProtectedAxes) else NotImplemented

    return run


def _target(shape: Any, size: int) -> tuple[int, ...]:
    """Explicit batch shape of a reshape; one entry may be -1."""
    wanted = list(map(operator.index, shape if isinstance(shape, tuple | list) else (shape,)))
    if math.prod(wanted) == size and min(wanted, default=0) >= 0:
        return tuple(wanted)
    known = math.prod(n for n in wanted if n != -1)
    if wanted.count(-1) > 1 or min(wanted, default=0) < -1:
        raise LayoutError(f"cannot reshape to {tuple(wanted)}: one size may be -1, the others are not negative")
    if -1 in wanted and known and size % known == 0:
        wanted[wanted.index(-1)] = size // known
    if math.prod(wanted) != size or -1 in wanted:
        raise LayoutError(f"cannot reshape a batch of {size} to {tuple(wanted)}")
    return tuple(wanted)


def reshape(func: Call, a: Any, shape: Any, order: str = "C", copy: Any = None) -> Any:
    """Replace the batch shape, in C order over batch elements."""
    if order != "C":
        raise LayoutError(f"reshape of a representation keeps C order, not {order!r}")
    return _reshaped(a, func, _target(shape, math.prod(a.shape)))


def flatten(func: Call, a: Any, start: int = 0, end: int = -1) -> Any:
    """Join the batch axes from ``start`` to ``end`` inclusive (Torch)."""
    if not a.ndim:
        return reshape(func, a, (1,))
    first, last = normalize_axis(start, a.ndim), normalize_axis(end, a.ndim)
    joined = (*a.shape[:first], math.prod(a.shape[first : last + 1]), *a.shape[last + 1 :])
    return _reshaped(a, func, joined)


def ravel(func: Call, a: Any, order: str = "C") -> Any:
    """Join all batch axes."""
    return reshape(func, a, (-1,), order)


def transpose(func: Call, a: Any, axes: Any = None) -> Any:
    """Permute the batch axes; the permutation lists all of them."""
    order = tuple(reversed(range(a.ndim))) if axes is None else normalize_axes(tuple(axes), a.ndim)
    if len(order) != a.ndim:
        raise LayoutError(f"axes {axes} do not list the {a.ndim} batch axes")

    def run(field: Any, tail: tuple[int, ...]) -> Any:
        return on_field(a, func, "transpose", field, (*order, *range(a.ndim, a.ndim + len(tail))))

    return fieldwise(a, func, ("transpose", order), run)


def matrix_transpose(func: Call, x: Any) -> Any:
    """Swap the last two batch axes."""
    if x.ndim < 2:
        raise LayoutError(f"matrix_transpose needs two batch axes, the batch shape is {x.shape}")
    return swapaxes(func, x, -1, -2)


def moveaxis(func: Call, a: Any, source: Any, destination: Any) -> Any:
    """Move batch axes to other positions."""
    origin, target = normalize_axes(source, a.ndim), normalize_axes(destination, a.ndim)
    if len(origin) != len(target):
        raise LayoutError(f"moveaxis: {len(origin)} axes cannot go to {len(target)} positions")
    order = [axis for axis in range(a.ndim) if axis not in origin]
    for position, axis in sorted(zip(target, origin, strict=True)):
        order.insert(position, axis)
    return transpose(func, a, order)


def rollaxis(func: Call, a: Any, axis: Any, start: Any = 0) -> Any:
    """Roll a batch axis back until it is before position ``start``."""
    origin = normalize_axis(axis, a.ndim)
    target = normalize_axis(start + a.ndim if start < 0 else start, a.ndim + 1)
    return moveaxis(func, a, origin, target - (origin < target))


def swapaxes(func: Call, a: Any, axis1: Any, axis2: Any) -> Any:
    """Swap two batch axes."""
    order = list(range(a.ndim))
    first, second = normalize_axis(axis1, a.ndim), normalize_axis(axis2, a.ndim)
    order[first], order[second] = second, first
    return transpose(func, a, order)


def expand_dims(func: Call, a: Any, axis: Any) -> Any:
    """Insert batch axes of size 1; positions are those of the result."""
    count = len(axis) if isinstance(axis, tuple | list) else 1
    axes = normalize_axes(axis, a.ndim + count)
    return _apply(a, func, "expand_dims", ("insert", axes), axes)


def squeeze(func: Call, a: Any, axis: Any = None) -> Any:
    """Remove batch axes of size 1, all of them by default."""
    axes = tuple(i for i, n in enumerate(a.shape) if n == 1) if axis is None else normalize_axes(axis, a.ndim)
    wide = [i for i in axes if a.shape[i] != 1]
    if wide:
        raise LayoutError(f"cannot squeeze axis {wide[0]} of batch shape {a.shape}: its size is not 1")
    return _apply(a, func, "squeeze", ("remove", axes), axes)


def broadcast_to(func: Call, array: Any, shape: Any) -> Any:
    """Broadcast the batch shape."""
    shape = tuple(shape) if isinstance(shape, Sequence) else (shape,)
    if broadcast_shapes([array.shape, shape]) != shape:
        raise LayoutError(f"batch shape {array.shape} does not broadcast to {shape}")
    pad = (1,) * (len(shape) - array.ndim)

    def run(field: Any, tail: tuple[int, ...]) -> Any:
        wide = on_field(array, func, "reshape", field, (*pad, *array.shape, *tail)) if pad else field
        return on_field(array, func, "broadcast_to", wide, (*shape, *tail))

    return fieldwise(array, func, ("broadcast", shape), run)


def copy(func: Call, a: Any, **options: Any) -> Any:
    """Copy every field; declined with a NumPy sidecar, and for NumPy's ``subok=False``, which leaves the wrapper."""
    if not options.get("subok", True):
        return a.__array__(copy=True)
    return NotImplemented if has_sidecar(a) else _apply(a, func, "copy", KEEP)


def astype(func: Call, x: Any, dtype: Any, **options: Any) -> Any:
    """Cast every field but NumPy sidecars."""
    return fieldwise(x, func, KEEP, lambda field, _: _cast(x, func, field, dtype))


def _cast(x: Any, func: Call, field: Any, dtype: Any) -> Any:
    return field if has_sidecar(x) and not x._ops.is_array(field) else on_field(x, func, "astype", field, dtype)


def take(func: Call, a: Any, indices: Any, axis: Any = None) -> Any:
    """Elements along a batch axis, of the flat batch if ``axis`` is None."""
    if axis is None:
        return take(func, reshape(func, a, (-1,)), indices, 0)
    indices = a._ops.asarray(indices) if isinstance(indices, list | tuple) else indices
    axis = normalize_axis(axis, a.ndim)
    return _apply(a, func, "take", ("take", (indices, axis)), indices, axis)


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
    return _apply(m, func, "flip", ("permute", axes), axes)


def roll(func: Call, a: Any, shift: Any, axis: Any = None) -> Any:
    """Roll along batch axes, along the flat batch if ``axis`` is None."""
    if axis is None:
        return reshape(func, roll(func, reshape(func, a, (-1,)), shift, 0), a.shape)
    axes = normalize_axes(axis, a.ndim)
    shifts = tuple(shift) if isinstance(shift, tuple | list) else (shift,) * len(axes)
    return _apply(a, func, "roll", ("permute", axes), shifts, axes)


def repeat(func: Call, a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeat elements along a batch axis, of the flat batch if ``axis`` is None."""
    if axis is None:
        return repeat(func, reshape(func, a, (-1,)), repeats, 0)
    axis = normalize_axis(axis, a.ndim)
    return _apply(a, func, "repeat", ("resize", axis), repeats, axis)


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


def size(func: Call, a: Any, axis: Any = None) -> int:
    """Number of batch elements, or size of one batch axis."""
    return math.prod(a.shape) if axis is None else int(a.shape[normalize_axis(axis, a.ndim)])


def shape(func: Call, a: Any) -> tuple[int, ...]:
    """Batch shape."""
    return tuple(a.shape)


def ndim(func: Call, a: Any) -> int:
    """Batch rank."""
    return int(a.ndim)


def conj(func: Call, x: Any, **options: Any) -> Any:
    """Complex conjugate of every field."""
    return _apply(x, func, "conj", KEEP)


def detach(func: Call, a: Any) -> Any:
    """Make every field a constant for derivatives."""
    return _apply(a, func, "detach", KEEP)


_FIRST: tuple[Operation, ...] = (
    *(
        reshape,
        flatten,
        ravel,
        transpose,
        matrix_transpose,
        moveaxis,
        rollaxis,
        swapaxes,
        expand_dims,
        squeeze,
        broadcast_to,
    ),
    *(
        copy,
        astype,
        conj,
        detach,
        take,
        take_along_axis,
        flip,
        roll,
        repeat,
        tile,
        split,
        array_split,
        size,
        shape,
        ndim,
    ),
)

#: Structural operations by canonical name; their parameters are the canonical ones.
STRUCTURE: dict[str, Operation] = {
    **{operation.__name__: _known(operation) for operation in _FIRST},
    "where": where,
}
