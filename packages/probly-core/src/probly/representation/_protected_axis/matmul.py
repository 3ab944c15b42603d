"""Matrix product over batch dimensions, independently at each protected coordinate (O-9)."""

from __future__ import annotations

import math
from typing import Any

from probly.errors import LayoutError
from probly.representation._protected_axis.layout import broadcast_shapes, shape_of

__all__ = ["matmul"]


def matmul(ops: Any, operands: list[Any], raw: list[bool], count: int) -> Any:
    """Return ``result[..., c] = matmul(left[..., c], right[..., c])``; a raw operand is used whole for every ``c``.

    Parameters
    ----------
    ops : ArrayOps
    operands : two arrays
        Protected ones have ``count`` trailing axes of equal shape.
    raw : two bools
        Which operands have no protected axes.

    Raises
    ------
    LayoutError
        If an operand has no batch axis, the inner sizes differ or the stacks do not broadcast.
    """
    kept = next(shape_of(x) for x, plain in zip(operands, raw, strict=True) if not plain)
    tail = kept[len(kept) - count :]
    arrays = [ops.asarray(x) if not ops.is_array(x) else x for x in operands]
    shapes = [
        shape_of(x) if plain else shape_of(x)[: len(shape_of(x)) - count] for x, plain in zip(arrays, raw, strict=True)
    ]
    _check(*shapes)
    rank = max(2, *map(len, shapes))
    wide = [
        _leading(ops, x, shape, plain, tail, rank, first)
        for x, shape, plain, first in zip(arrays, shapes, raw, (True, False), strict=True)
    ]
    product = ops.matmul(*wide)
    stack = broadcast_shapes([shapes[0][:-2], shapes[1][:-2]], "stacks of matrices")
    rows = shapes[0][-2:-1] if len(shapes[0]) > 1 else ()
    columns = shapes[1][-1:] if len(shapes[1]) > 1 else ()
    last = rank + 1
    flat = ops.transpose(product, (*range(1, last), 0))
    shape = (*stack, *rows, *columns, *tail)
    return flat if shape_of(flat) == shape else ops.reshape(flat, shape)


def _check(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    if not left or not right:
        raise LayoutError(f"matmul needs batch axes on both sides, the batch shapes are {left} and {right}")
    inner = right[-2] if len(right) > 1 else right[0]
    if left[-1] != inner:
        raise LayoutError(f"matmul: the inner sizes of batch shapes {left} and {right} differ")


def _leading(
    ops: Any, x: Any, shape: tuple[int, ...], plain: bool, tail: tuple[int, ...], rank: int, left: bool
) -> Any:
    """One axis for all coordinates in front, vectors as matrices, stacks padded to one rank."""
    coordinates = 1 if plain else math.prod(tail)
    matrix = shape if len(shape) > 1 else ((1, *shape) if left else (*shape, 1))
    padded = (1,) * (rank - len(matrix)) + matrix
    if plain:
        return ops.reshape(x, (1, *padded))
    wanted = (*padded, coordinates)
    wide = x if shape_of(x) == wanted else ops.reshape(x, wanted)
    return ops.transpose(wide, (rank, *range(rank)))
