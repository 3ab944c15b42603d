"""Kernels over blocks of rows: temporaries as large as a cache, not as large as the arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from probly.array_ops import ArrayOps
from probly.representation._protected_axis.layout import broadcast_shapes, shape_of

__all__ = ["in_blocks"]


def in_blocks(size: int, kernel: Callable[..., Any], ops: ArrayOps, *arrays: Any) -> Any:
    """Return ``kernel(ops, *arrays)``, computed for one block after the other and written into one result.

    Parameters
    ----------
    size : int
        Numbers in one block.
    kernel : callable
        Reduces the last axis; works on each row alone.
    *arrays : arrays of a library whose arrays can be assigned to
        Axes before the last broadcast.
    """
    shapes = [shape_of(array) for array in arrays]
    batch = broadcast_shapes([shape[:-1] for shape in shapes])
    below = math.prod(batch[1:]) * max(shape[-1] for shape in shapes)
    if not batch or batch[0] * below <= size:
        return kernel(ops, *arrays)
    step = max(1, size // max(1, below))
    result = None
    for start in range(0, batch[0], step):
        key: Any = slice(start, start + step) if step > 1 else start
        part = in_blocks(size, kernel, ops, *(_rows(array, len(batch), key) for array in arrays))
        if result is None:
            result = ops.full(batch, 0.0, part)
        ops.assign(result, key, part)
    return result


def _rows(array: Any, rank: int, key: Any) -> Any:
    """Rows of one block: all of an array that does not reach the first batch axis, or has one row there."""
    if len(array.shape) <= rank:
        return array
    if array.shape[0] == 1:
        return array[0] if isinstance(key, int) else array
    return array[key]
