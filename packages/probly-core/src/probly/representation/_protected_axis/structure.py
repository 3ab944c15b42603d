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
from probly.representation._protected_axis.layout import broadcast_shapes, normalize_axes, normalize_axis
from probly.representation._protected_axis.spelling import KEEP, Operation, Step

__all__ = ["STRUCTURE", "apply", "broadcast_to", "known", "reshape"]

Call = Callable[..., Any]


def apply(a: Any, func: Call, name: str, step: Step, *args: Any) -> Any:
    """Run a primitive with equal arguments on every field."""
    return fieldwise(a, func, step, lambda field, _: on_field(a, func, name, field, *args))


def _reshaped(a: Any, func: Call, shape: tuple[int, ...]) -> Any:
    """Give the batch another shape."""
    return fieldwise(
        a, func, ("reshape", shape), lambda field, tail: on_field(a, func, "reshape", field, (*shape, *tail))
    )


def known(operation: Operation) -> Operation:
    """Decline unless the first argument is a representation."""
    first = next(islice(inspect.signature(operation).parameters, 1, None))

    @functools.wraps(operation)
    def run(func: Call, *args: Any, **kwargs: Any) -> Any:
        owner = args[0] if args else kwargs.get(first)
        return operation(func, *args, **kwargs) if isinstance(owner, ProtectedAxes) else NotImplemented

    return run


def _target(shape: Any, size: int) -> tuple[int, ...]:
    """Explicit batch shape of a reshape; one entry may be -1."""
    wanted = list(map(operator.index, shape if isinstance(shape, (tuple, list)) else (shape,)))
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
    rank = a.ndim
    order = tuple(reversed(range(rank))) if axes is None else normalize_axes(tuple(axes), rank)
    if len(order) != rank:
        raise LayoutError(f"axes {axes} do not list the {rank} batch axes")
    return _permuted(func, a, order)


def _permuted(func: Call, a: Any, order: tuple[int, ...]) -> Any:
    """Batch axes in another order."""
    rank = len(order)

    def run(field: Any, tail: tuple[int, ...]) -> Any:
        return on_field(a, func, "transpose", field, (*order, *range(rank, rank + len(tail))))

    return fieldwise(a, func, ("transpose", order), run)


def matrix_transpose(func: Call, x: Any) -> Any:
    """Swap the last two batch axes."""
    if x.ndim < 2:
        raise LayoutError(f"matrix_transpose needs two batch axes, the batch shape is {x.shape}")
    return swapaxes(func, x, -1, -2)


def moveaxis(func: Call, a: Any, source: Any, destination: Any) -> Any:
    """Move batch axes to other positions."""
    rank = a.ndim
    origin, target = normalize_axes(source, rank), normalize_axes(destination, rank)
    if len(origin) != len(target):
        raise LayoutError(f"moveaxis: {len(origin)} axes cannot go to {len(target)} positions")
    order = [axis for axis in range(rank) if axis not in origin]
    for position, axis in sorted(zip(target, origin, strict=True)):
        order.insert(position, axis)
    return _permuted(func, a, tuple(order))


def rollaxis(func: Call, a: Any, axis: Any, start: Any = 0) -> Any:
    """Roll a batch axis back until it is before position ``start``."""
    origin = normalize_axis(axis, a.ndim)
    target = normalize_axis(start + a.ndim if start < 0 else start, a.ndim + 1)
    return moveaxis(func, a, origin, target - (origin < target))


def swapaxes(func: Call, a: Any, axis1: Any, axis2: Any) -> Any:
    """Swap two batch axes."""
    rank = a.ndim
    order = list(range(rank))
    first, second = normalize_axis(axis1, rank), normalize_axis(axis2, rank)
    order[first], order[second] = second, first
    return _permuted(func, a, tuple(order))


def expand_dims(func: Call, a: Any, axis: Any) -> Any:
    """Insert batch axes of size 1; positions are those of the result."""
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    axes = normalize_axes(axis, a.ndim + count)
    return apply(a, func, "expand_dims", ("insert", axes), axes)


def squeeze(func: Call, a: Any, axis: Any = None) -> Any:
    """Remove batch axes of size 1, all of them by default."""
    shape = a.shape
    axes = tuple([i for i, n in enumerate(shape) if n == 1]) if axis is None else normalize_axes(axis, len(shape))
    wide = [i for i in axes if shape[i] != 1]
    if wide:
        raise LayoutError(f"cannot squeeze axis {wide[0]} of batch shape {shape}: its size is not 1")
    return apply(a, func, "squeeze", ("remove", axes), axes)


def broadcast_to(func: Call, array: Any, shape: Any) -> Any:
    """Broadcast the batch shape."""
    shape = tuple(shape) if isinstance(shape, (tuple, list, Sequence)) else (shape,)
    batch = array.shape
    if broadcast_shapes([batch, shape]) != shape:
        raise LayoutError(f"batch shape {batch} does not broadcast to {shape}")
    pad = (1,) * (len(shape) - len(batch))

    def run(field: Any, tail: tuple[int, ...]) -> Any:
        wide = on_field(array, func, "reshape", field, (*pad, *batch, *tail)) if pad else field
        return on_field(array, func, "broadcast_to", wide, (*shape, *tail))

    return fieldwise(array, func, ("broadcast", shape), run)


def copy(func: Call, a: Any, **options: Any) -> Any:
    """Copy every field; declined with a NumPy sidecar, and for NumPy's ``subok=False``, which leaves the wrapper."""
    if not options.get("subok", True):
        return a.__array__(copy=True)
    return NotImplemented if has_sidecar(a) else apply(a, func, "copy", KEEP)


def astype(func: Call, x: Any, dtype: Any, **options: Any) -> Any:
    """Cast every field but NumPy sidecars."""
    return fieldwise(x, func, KEEP, lambda field, _: _cast(x, func, field, dtype))


def _cast(x: Any, func: Call, field: Any, dtype: Any) -> Any:
    return field if has_sidecar(x) and not x._ops.is_array(field) else on_field(x, func, "astype", field, dtype)


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
    return apply(x, func, "conj", KEEP)


def detach(func: Call, a: Any) -> Any:
    """Make every field a constant for derivatives."""
    return apply(a, func, "detach", KEEP)


_BY_NAME: tuple[Operation, ...] = (
    *(reshape, flatten, ravel, transpose, matrix_transpose, moveaxis, rollaxis, swapaxes, expand_dims, squeeze),
    *(broadcast_to, copy, astype, conj, detach, size, shape, ndim),
)

#: Structural operations by canonical name; their parameters are the canonical ones.
STRUCTURE: dict[str, Operation] = {operation.__name__: known(operation) for operation in _BY_NAME}
