"""Reading and writing elements of tensors by NumPy's keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from probly.errors import LayoutError
from probly_torch.making import to_tensor

__all__ = ["assign", "index", "take", "take_along_axis"]

Tensor = torch.Tensor


def index(a: Tensor, key: Any) -> Tensor:
    """``a[key]``; index arrays of any integer dtype are integers, and slices may step backwards."""
    parts = []
    backwards = False
    for part in key if type(key) is tuple else (key,):
        if type(part) is slice:
            backwards = backwards or (part.step is not None and part.step < 0)
            parts.append(part)
        else:
            parts.append(part if type(part) is int or part is None else _part(part, a))
    return _backwards(a, parts) if backwards else a[tuple(parts)]


def _part(part: Any, a: Tensor) -> Any:
    """Index arrays as int64 or boolean tensors: Torch would read uint8 as a mask."""
    if isinstance(part, np.ndarray):
        part = to_tensor(part, a)
    if isinstance(part, Tensor) and part.dtype not in (torch.int64, torch.bool):
        return part.long()
    return part


def _backwards(a: Tensor, parts: list[Any]) -> Tensor:
    """Flip the axes of negative steps first, which Torch's slices refuse, and go forwards there."""
    spelled = _spelled(parts, a.ndim)
    flipped, axis = [], 0
    for position, part in enumerate(spelled):
        if type(part) is slice and part.step is not None and part.step < 0:
            spelled[position] = _forwards(part, a.shape[axis])
            flipped.append(axis)
        axis += _width(part)
    return a.flip(flipped)[tuple(spelled)]


def _spelled(parts: list[Any], rank: int) -> list[Any]:
    """A key with its Ellipsis written out."""
    where = next((position for position, part in enumerate(parts) if part is Ellipsis), None)
    if where is None:
        return list(parts)
    missing = rank - sum(map(_width, parts))
    return [*parts[:where], *(slice(None),) * missing, *parts[where + 1 :]]


def _width(part: Any) -> int:
    """Number of axes that a part of a key uses up."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, Tensor) and part.dtype is torch.bool else 1


def _forwards(part: slice, n: int) -> slice:
    """The slice of the flipped axis that picks the same elements in the same order."""
    picked = range(*part.indices(n))
    return slice(n - 1 - picked[0], n - picked[-1], -picked.step) if picked else slice(0, 0)


def assign(a: Tensor, key: Any, value: Any) -> None:
    """``a[key] = value``.

    Raises
    ------
    LayoutError
        If the value does not broadcast to the elements.
    """
    parts = tuple(_part(part, a) for part in (key if type(key) is tuple else (key,)))
    try:
        a[parts] = value
    except RuntimeError as error:
        target, given = tuple(a[parts].shape), tuple(getattr(value, "shape", ()))
        if _fits(given, target):
            raise
        raise LayoutError(f"a value of shape {given} does not broadcast to elements of shape {target}") from error


def _fits(given: Sequence[int], target: Sequence[int]) -> bool:
    pairs = zip(reversed(given), reversed(target), strict=False)
    return len(given) <= len(target) and all(n in (1, m) for n, m in pairs)


def take(a: Tensor, indices: Any, axis: int) -> Tensor:
    """Elements along an axis; integer indices of any shape, or one integer."""
    picked = indices if isinstance(indices, int | np.integer | np.ndarray | Tensor) else to_tensor(indices, a)
    return index(a, (*(slice(None),) * (axis % a.ndim), picked))


def take_along_axis(a: Tensor, indices: Any, axis: int) -> Tensor:
    """Elements along an axis by indices of equal rank; other axes broadcast."""
    picked = indices if isinstance(indices, Tensor) else to_tensor(indices, a)
    return torch.take_along_dim(a, picked.long(), axis)
