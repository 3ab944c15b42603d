"""Shape and layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax import lax

from flatppl_jax.context import Context

__all__ = ["RULES"]


def _reshape(context: Context, x: Any, shape: tuple[int, ...]) -> Any:
    return lax.reshape(x, shape)


def _transpose(context: Context, x: Any, axes: tuple[int, ...]) -> Any:
    return lax.transpose(x, axes)


def _broadcast(context: Context, x: Any, shape: tuple[int, ...], dims: tuple[int, ...]) -> Any:
    return lax.broadcast_in_dim(x, shape, dims)


def _concat(context: Context, *xs: Any, axis: int) -> Any:
    return lax.concatenate(xs, axis)


def _stack(context: Context, *xs: Any) -> Any:
    return lax.concatenate([lax.expand_dims(x, (0,)) for x in xs], 0)


def _slice(context: Context, x: Any, start: tuple[int, ...], stop: tuple[int, ...], step: tuple[int, ...]) -> Any:
    return lax.slice(x, start, tuple(max(a, b) for a, b in zip(start, stop, strict=True)), step)


def _reverse(context: Context, x: Any, axes: tuple[int, ...]) -> Any:
    return lax.rev(x, axes)


def _take(context: Context, x: Any, indices: Any, axis: int) -> Any:
    """Gather along an axis; a scalar index is a slice, a constant one a static slice."""
    size = x.shape[axis]
    if indices.shape:
        return _gather(x, indices, axis)
    if isinstance(indices, np.ndarray):
        at = min(max(int(indices), 0), size - 1)
        return lax.squeeze(lax.slice_in_dim(x, at, at + 1, axis=axis), (axis,))
    start = lax.max(indices, lax.full_like(indices, 0))
    starts = [start if k == axis else lax.full_like(indices, 0) for k in range(x.ndim)]
    sizes = [1 if k == axis else n for k, n in enumerate(x.shape)]
    return lax.squeeze(lax.dynamic_slice(x, starts, sizes, allow_negative_indices=False), (axis,))


def _gather(x: Any, indices: Any, axis: int) -> Any:
    rank = indices.ndim
    offset = (*range(axis), *range(axis + rank, x.ndim - 1 + rank))
    numbers = lax.GatherDimensionNumbers(offset_dims=offset, collapsed_slice_dims=(axis,), start_index_map=(axis,))
    sizes = tuple(1 if k == axis else n for k, n in enumerate(x.shape))
    at = lax.expand_dims(indices, (rank,))
    return lax.gather(x, at, numbers, sizes, mode=lax.GatherScatterMode.CLIP)


RULES = {
    "reshape": _reshape,
    "transpose": _transpose,
    "broadcast": _broadcast,
    "concat": _concat,
    "stack": _stack,
    "slice": _slice,
    "reverse": _reverse,
    "take": _take,
}
