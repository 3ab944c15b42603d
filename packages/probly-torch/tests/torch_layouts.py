"""Representations of several layouts for tests, and their meaning: one raw tensor per protected coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch

from probly.array_ops import BINARY, UNARY
from probly.representation._protected_axis.torch import TorchAxisProtected

ALL = frozenset({*BINARY, *UNARY, "mean", "sum", "average", "std", "var", "min", "max", "prod", "any", "all"})


@dataclass(frozen=True, eq=False)
class Zero(TorchAxisProtected[torch.Tensor]):
    array: torch.Tensor
    protected_axes: ClassVar[dict[str, int]] = {"array": 0}
    permitted_operations = ALL


@dataclass(frozen=True, eq=False)
class One(TorchAxisProtected[torch.Tensor]):
    array: torch.Tensor
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_operations = ALL


@dataclass(frozen=True, eq=False)
class Two(TorchAxisProtected[torch.Tensor]):
    array: torch.Tensor
    other: torch.Tensor
    label: str = "kept"
    protected_axes: ClassVar[dict[str, int]] = {"array": 2, "other": 0}
    permitted_operations = ALL


@dataclass(frozen=True, eq=False)
class Nested(TorchAxisProtected[torch.Tensor]):
    """The inner object's last batch axis is protected here."""

    inner: One
    extra: torch.Tensor
    protected_axes: ClassVar[dict[str, int]] = {"inner": 1, "extra": 1}
    permitted_operations = ALL


@dataclass(frozen=True, eq=False)
class Plain(TorchAxisProtected[torch.Tensor]):
    """Permits nothing."""

    array: torch.Tensor
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}


@dataclass(frozen=True, eq=False)
class Sidecar(TorchAxisProtected[torch.Tensor]):
    """Text, one per batch element, and numbers."""

    text: np.ndarray[Any, Any]
    array: torch.Tensor
    protected_axes: ClassVar[dict[str, int]] = {"text": 0, "array": 1}
    permitted_operations = ALL


KINDS = (Zero, One, Two, Nested)


def fill(shape: tuple[int, ...], start: float = 1.0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.arange(start, start + int(np.prod(shape)), dtype=dtype).reshape(shape)


def make(kind: type[Any], batch: tuple[int, ...], start: float = 1.0) -> Any:
    if kind is Two:
        return Two(fill((*batch, 2, 3), start), fill(batch, start + 5))
    if kind is Nested:
        return Nested(One(fill((*batch, 2, 3), start)), fill((*batch, 4), start + 7))
    return kind(fill(batch if kind is Zero else (*batch, 3), start))


def cells(x: Any) -> list[torch.Tensor]:
    """One tensor of the batch shape for each field and protected coordinate."""
    found: list[torch.Tensor] = []
    for name, count in x.protected_axes.items():
        value = getattr(x, name)
        array = value.array if isinstance(value, One) else value
        rank = array.ndim - count - (value.protected_axes["array"] if isinstance(value, One) else 0)
        coordinates = np.ndindex(*array.shape[rank:])
        found.extend(array[(..., *coordinate)] for coordinate in coordinates)
    return found


def assert_cells(x: Any, wanted: list[torch.Tensor]) -> None:
    mine = cells(x)
    assert len(mine) == len(wanted)
    for one, other in zip(mine, wanted, strict=True):
        assert one.shape == other.shape
        assert torch.equal(one, other)


def assert_same(x: Any, y: Any) -> None:
    assert type(x) is type(y)
    assert_cells(x, cells(y))
