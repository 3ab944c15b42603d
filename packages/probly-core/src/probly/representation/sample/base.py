"""Samples: members along one axis, with optional weights (R-1 to R-4)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from probly.dispatch import class_of, convert, ops_of
from probly.errors import BackendNotFoundError, LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.layout import normalize_axis, shape_of
from probly.representation._protected_axis.reductions import weighted_average
from probly.representation._protected_axis.spelling import Step
from probly.representation.sample.tracking import locate

__all__ = ["ListSample", "Sample", "create_sample"]


@dataclass(frozen=True, eq=False)
class Sample(ProtectedAxes):
    """Members of an array or representation along one of its axes.

    Structural functions, indexing and reductions keep track of the member axis; a result without it is the plain array
    or representation.

    Parameters
    ----------
    array : array or representation
        For a representation, ``sample_axis`` counts batch axes.
    sample_axis : int
        Stored as a non-negative number.
    weights : array of shape (sample_size,), optional
        Relative weights of the members.

    Raises
    ------
    TypeError
        For another backend's array, or an axis that is no integer.
    ValueError
        For an axis out of range, or weights of another shape.
    """

    array: Any
    sample_axis: int = 0
    weights: Any = None
    protected_axes: ClassVar[dict[str, int]] = {"array": 0}
    permitted_operations: ClassVar[frozenset[str]] = frozenset({"mean", "sum", "std", "var", "average"})

    def __post_init__(self) -> None:
        nested = isinstance(self.array, ProtectedAxes) and self.array._ops is self._ops
        if not nested and not self._ops.is_array(self.array):
            raise TypeError(f"{type(self).__name__} of {type(self.array).__name__}: not of backend {self._ops.name!r}")
        object.__setattr__(self, "sample_axis", normalize_axis(self.sample_axis, len(self.array.shape)))
        if self.weights is None:
            return
        if not self._ops.is_array(self.weights):
            object.__setattr__(self, "weights", convert(self.weights, self._ops))
        if shape_of(self.weights) != (self.sample_size,):
            raise LayoutError(f"weights of shape {shape_of(self.weights)} for {self.sample_size} members")

    # -- members ----------------------------------------------------------------------------------------------------

    @property
    def sample_dim(self) -> int:
        """The member axis, by its Torch name."""
        return self.sample_axis

    @property
    def sample_size(self) -> int:
        """Number of members."""
        return int(self.array.shape[self.sample_axis])

    @property
    def is_weighted(self) -> bool:
        """Whether the members have weights."""
        return self.weights is not None

    @property
    def samples(self) -> Any:
        """The array or representation with the member axis first."""
        return self.array if self.sample_axis == 0 else _move(self._ops, self.array, self.sample_axis, 0)

    def move_sample_axis(self, axis: int) -> Self:
        """The same members along another axis."""
        target = normalize_axis(axis, self.ndim)
        return dataclasses.replace(
            self, array=_move(self._ops, self.array, self.sample_axis, target), sample_axis=target
        )

    def concat(self, other: Self) -> Self:
        """The members of both; equal weights stand in where one sample has none."""
        moved = other.move_sample_axis(self.sample_axis)
        return self._functions.run("concatenate", [self, moved], self.sample_axis)

    @classmethod
    def from_iterable(cls, members: Iterable[Any], weights: Any = None, sample_axis: Any = "auto") -> Self:
        """Stack members along an axis of the result; "auto" is the last one."""
        listed = list(members)
        if not listed:
            raise LayoutError("a sample needs at least one member")
        rank = len(shape_of(listed[0])) + 1
        axis = rank - 1 if sample_axis == "auto" else normalize_axis(sample_axis, rank)
        return cls(_stacked(cls, listed, axis), axis, weights)

    @classmethod
    def from_sample(cls, sample: Sample, sample_axis: Any = "auto") -> Self:
        """The members of another sample along an axis; "auto" keeps it."""
        made = cls(sample.array, sample.sample_axis, sample.weights)
        return made if sample_axis == "auto" else made.move_sample_axis(sample_axis)

    # -- statistics -------------------------------------------------------------------------------------------------

    def sample_mean(self) -> Any:
        """Weighted average of the members; a categorical one for categorical members."""
        return self._average(self.array)

    def sample_var(self, ddof: int = 0) -> Any:
        """Weighted average of the squared deviation.

        Raises
        ------
        ValueError
            If a weighted sample is given ``ddof`` other than 0.
        TypeError
            If the members permit no variance.
        """
        if self.weights is not None and ddof != 0:
            raise LayoutError("the variance of a weighted sample has no ddof correction: use ddof=0")
        if isinstance(self.array, ProtectedAxes):
            return self._functions.run("var", self.array, self.sample_axis, ddof=ddof)
        if self.weights is None:
            return self._ops.var(self._ops.to_floating(self.array), axis=self.sample_axis, ddof=ddof)
        mean = self._ops.expand_dims(self.sample_mean(), self.sample_axis)
        deviation = self._ops.subtract(self.array, mean)
        return self._average(self._ops.multiply(deviation, deviation))

    def sample_std(self, ddof: int = 0) -> Any:
        """Square root of :meth:`sample_var`."""
        return self._ops.sqrt(self.sample_var(ddof))

    def _average(self, array: Any) -> Any:
        """Weighted average over the member axis of an array of this sample's shape."""
        axis = self.sample_axis
        if isinstance(array, ProtectedAxes):
            return array._functions.run("average", array, axis, self.weights)
        if self.weights is None:
            return self._ops.mean(array, axis=axis)
        wide = tuple(self.sample_size if a == axis else 1 for a in range(len(array.shape)))
        return weighted_average(self._ops, array, self._ops.reshape(self.weights, wide), axis)

    # -- tracking ---------------------------------------------------------------------------------------------------

    def _rebuild(self, values: Mapping[str, Any], func: Callable[..., Any], step: Step) -> Any:
        axis, weights = locate(self, step)
        if axis is None:
            return values["array"]
        return dataclasses.replace(self, array=values["array"], sample_axis=axis, weights=weights)

    def _joined_weights(self, members: list[Any]) -> Any:
        if not any(member.is_weighted for member in members):
            return None
        like = next(member.weights for member in members if member.is_weighted)
        parts = [m.weights if m.is_weighted else self._ops.full((m.sample_size,), 1, like) for m in members]
        return self._ops.concatenate(parts, 0)


@dataclass(frozen=True, eq=False)
class ListSample:
    """A sample of members that no backend can stack."""

    samples: tuple[Any, ...]
    weights: tuple[float, ...] | None = None

    @property
    def sample_size(self) -> int:
        """Number of members."""
        return len(self.samples)

    @property
    def is_weighted(self) -> bool:
        """Whether the members have weights."""
        return self.weights is not None


def create_sample(members: Iterable[Any], weights: Any = None, sample_axis: Any = "auto") -> Sample | ListSample:
    """Make a sample of the backend of the first member (R-2).

    Parameters
    ----------
    members : iterable
        Arrays, numbers or representations of one shape.
    weights : array, optional
    sample_axis : int or "auto"
        Position of the member axis in the result; "auto" is the last (batch) axis.

    Returns
    -------
    Sample or ListSample
        The latter if no backend knows the members.

    Examples
    --------
    >>> create_sample([[1.0, 2.0], [3.0, 4.0]]).sample_mean()
    array([2., 3.])
    """
    listed = list(members)
    if not listed:
        raise LayoutError("a sample needs at least one member")
    try:
        ops = ops_of(listed[0])
    except BackendNotFoundError:
        if weights is not None and len(weights) != len(listed):
            raise LayoutError(f"{len(weights)} weights for {len(listed)} members") from None
        return ListSample(tuple(listed), None if weights is None else tuple(weights))
    arrays = [m if isinstance(m, ProtectedAxes) else convert(m, ops) for m in listed]
    return class_of(ops, "sample").from_iterable(arrays, weights, sample_axis)


def _move(ops: Any, array: Any, source: int, target: int) -> Any:
    if isinstance(array, ProtectedAxes):
        return array._functions.run("moveaxis", array, source, target)
    return ops.moveaxis(array, source, target)


def _stacked(cls: type[Sample], members: list[Any], axis: int) -> Any:
    first = members[0]
    return (
        first._functions.run("stack", members, axis)
        if isinstance(first, ProtectedAxes)
        else cls._ops.stack(members, axis)
    )
