"""Shapes and axes: pure arithmetic on tuples of integers."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from probly.errors import LayoutError

__all__ = ["broadcast_shapes", "normalize_axes", "normalize_axis", "shape_of"]

Shape = tuple[int, ...]


def shape_of(value: Any) -> Shape:
    """Shape of an array or number; a representation's shape is its batch shape."""
    shape = getattr(value, "shape", ())
    return shape if type(shape) is tuple else tuple(shape)


def normalize_axis(axis: Any, rank: int, what: str = "batch") -> int:
    """Return an axis as a number in ``0..rank-1``.

    Raises
    ------
    TypeError
        If it is no integer.
    LayoutError
        If it is out of range.

    Examples
    --------
    >>> normalize_axis(-1, 2)
    1
    """
    if type(axis) is int and 0 <= axis < rank:
        return axis
    if isinstance(axis, bool):
        raise TypeError("an axis is an integer, not a bool")
    try:
        number = operator.index(axis)
    except TypeError:
        raise TypeError(f"an axis is an integer, not {axis!r}") from None
    if not -rank <= number < rank:
        raise LayoutError(f"axis {number} is out of range: there are {rank} {what} axes")
    return number % rank


def normalize_axes(axes: Any, rank: int, what: str = "batch") -> tuple[int, ...]:
    """Return one axis, or a list or tuple of distinct axes, as non-negative numbers; None means all of them.

    Examples
    --------
    >>> normalize_axes((0, -1), 3)
    (0, 2)
    """
    if axes is None:
        return tuple(range(rank))
    if not isinstance(axes, (tuple, list)):
        return (normalize_axis(axes, rank, what),)
    numbers = tuple([normalize_axis(axis, rank, what) for axis in axes])
    if len(set(numbers)) != len(numbers):
        raise LayoutError(f"axes {tuple(axes)} name one axis twice")
    return numbers


def broadcast_shapes(shapes: Sequence[Shape] | Iterable[Shape], what: str = "shapes") -> Shape:
    """Shape that results from broadcasting.

    Raises
    ------
    LayoutError
        If the shapes do not broadcast; the message lists them.

    Examples
    --------
    >>> broadcast_shapes([(2, 1), (4,)])
    (2, 4)
    """
    given = list(shapes)
    rank = max(map(len, given), default=0)
    result = [1] * rank
    for shape in given:
        offset = rank - len(shape)
        for position, size in enumerate(shape, offset):
            if size != 1 and result[position] != size:
                if result[position] != 1:
                    raise LayoutError(f"{what} {', '.join(map(str, given))} do not broadcast")
                result[position] = size
    return tuple(result)
