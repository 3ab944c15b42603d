"""Representations of many layouts for tests, and random arguments for hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st

from probly.array_ops import BINARY, UNARY
from probly.representation._protected_axis.numpy import NumpyAxisProtected

ALL = frozenset({*BINARY, *UNARY, "mean", "sum", "average", "std", "var", "min", "max", "prod"})

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Zero(NumpyAxisProtected[Array]):
    array: Array
    protected_axes: ClassVar[dict[str, int]] = {"array": 0}
    permitted_operations = ALL


@dataclass(frozen=True, eq=False)
class One(NumpyAxisProtected[Array]):
    array: Array
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_operations = ALL


@dataclass(frozen=True, eq=False)
class Two(NumpyAxisProtected[Array]):
    array: Array
    other: Array
    label: str = "kept"
    protected_axes: ClassVar[dict[str, int]] = {"array": 2, "other": 0}
    permitted_operations = ALL


@dataclass(frozen=True, eq=False)
class Nested(NumpyAxisProtected[Array]):
    """The inner object's last batch axis is protected here."""

    inner: One
    extra: Array
    protected_axes: ClassVar[dict[str, int]] = {"inner": 1, "extra": 3}
    permitted_operations = ALL


@dataclass(frozen=True, eq=False)
class Plain(NumpyAxisProtected[Array]):
    array: Array
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}


def fill(shape: tuple[int, ...], start: int = 0) -> Array:
    return np.arange(start, start + int(np.prod(shape)), dtype=np.int64).reshape(shape)


def make(kind: type[Any], batch: tuple[int, ...], start: int = 1) -> Any:
    if kind is Two:
        return Two(fill((*batch, 2, 3), start), fill(batch, start + 5))
    if kind is Nested:
        return Nested(One(fill((*batch, 2, 3), start)), fill((*batch, 1, 2, 2), start + 7))
    return kind(fill((*batch, 3) if kind is One or kind is Plain else batch, start))


KINDS = (Zero, One, Two, Nested)


def raw_fields(x: Any) -> list[tuple[Array, int]]:
    """Every array of an object with its total number of protected axes."""
    found = []
    for name, count in x.protected_axes.items():
        value = getattr(x, name)
        if isinstance(value, np.ndarray | np.generic):
            found.append((np.asarray(value), count))
        else:
            found.extend((array, inner + count) for array, inner in raw_fields(value))
    return found


def by_element(x: Any) -> list[Array]:
    """Each field as one number per batch element, a digest of its protected part."""
    result = []
    for array, count in raw_fields(x):
        batch = array.shape[: array.ndim - count]
        cells = np.empty(batch, dtype=np.int64)
        for index in np.ndindex(*batch):
            cells[index] = hash(array[index].tobytes())
        result.append(cells)
    return result


def assert_same_cells(x: Any, cells: list[Array]) -> None:
    found = by_element(x)
    assert len(found) == len(cells)
    for mine, wanted in zip(found, cells, strict=True):
        assert mine.shape == wanted.shape
        assert np.array_equal(mine, wanted)


batches = st.lists(st.integers(1, 3), min_size=0, max_size=3).map(tuple)
objects = st.builds(make, st.sampled_from(KINDS), batches)
