"""Conformal prediction sets (C-1, C-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from probly.dispatch import convert
from probly.errors import InvalidValueError, LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.layout import broadcast_shapes, shape_of
from probly.representation.checks import require_array, require_floating, require_rank
from probly.validation import check_values

__all__ = ["ConformalSet", "IntervalConformalSet", "OneHotConformalSet"]


class ConformalSet(ProtectedAxes):
    """A batch of prediction sets, with ``set_size`` and ``contains(y)``."""

    @property
    def set_size(self) -> Any:
        """Size of each set, of the batch shape."""
        raise NotImplementedError

    def contains(self, y: Any) -> Any:
        """Mask of the batch shape: whether each set holds its outcome."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class OneHotConformalSet(ConformalSet):
    """Sets of classes, as masks.

    Parameters
    ----------
    array : array of shape (..., K)
        Boolean, or integer with zeros and ones only, which become boolean. Empty sets are legal.

    Raises
    ------
    TypeError
        For another backend's array.
    ValueError
        For other numbers or dtypes, and for rank 0.
    """

    array: Any
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}

    def __post_init__(self) -> None:
        ops = self._ops
        array = require_array(self, "array", ("bool", "integer", "floating", "complex", "other"))
        require_rank(self, "array", 1)
        kind = ops.kind(array)
        if kind == "bool":
            return
        if kind != "integer":
            raise InvalidValueError(f"membership must be one-hot encoded as booleans or integers, not {array.dtype}")
        check_values(
            ops,
            lambda: ops.logical_or(ops.equal(array, 0), ops.equal(array, 1)),
            "membership must be one-hot encoded: zeros and ones",
        )
        object.__setattr__(self, "array", ops.not_equal(array, 0))

    @property
    def set_size(self) -> Any:
        """Number of classes in each set."""
        return self._ops.sum(self.array, axis=-1)

    def contains(self, y: Any) -> Any:
        """Whether each set holds its class label; labels broadcast to the batch."""
        ops = self._ops
        labels = convert(y, ops, self.array)
        if ops.kind(labels) != "integer":
            raise TypeError(f"class labels are integers, not {labels.dtype}")
        hit = ops.equal(ops.expand_dims(labels, len(shape_of(labels))), ops.arange(self.array.shape[-1], self.array))
        return ops.any(ops.logical_and(self.array, hit), axis=-1)


@dataclass(frozen=True, eq=False)
class IntervalConformalSet(ConformalSet):
    """Intervals, as lower and upper bounds.

    Parameters
    ----------
    array : array of shape (..., 2)
        Lower and upper bound; an interval whose lower bound is above its upper one is empty.

    Raises
    ------
    TypeError
        For another backend's array, and boolean, complex or other dtypes.
    ValueError
        If the last axis has not size 2.
    """

    array: Any
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}

    def __post_init__(self) -> None:
        require_floating(self, "array")
        shape = shape_of(self.array)
        if not shape or shape[-1] != 2:
            raise LayoutError(f"intervals have a last axis of size 2, the shape is {shape}")

    @classmethod
    def from_bounds(cls, lower: Any, upper: Any) -> Self:
        """Make from two arrays of one shape."""
        if shape_of(lower) != shape_of(upper):
            raise LayoutError(f"lower of shape {shape_of(lower)} and upper of shape {shape_of(upper)} differ")
        return cls(cls._ops.stack([lower, upper], len(shape_of(lower))))

    @property
    def lower(self) -> Any:
        """Lower bounds."""
        return self._ops.index(self.array, (..., 0))

    @property
    def upper(self) -> Any:
        """Upper bounds."""
        return self._ops.index(self.array, (..., 1))

    @property
    def set_size(self) -> Any:
        """Upper minus lower bound; negative for an empty interval."""
        return self._ops.subtract(self.upper, self.lower)

    @property
    def is_empty(self) -> Any:
        """Whether the lower bound is above the upper one."""
        return self._ops.greater(self.lower, self.upper)

    def contains(self, y: Any) -> Any:
        """Whether lower <= y <= upper; outcomes broadcast to the batch."""
        ops, value = self._ops, convert(y, self._ops, self.array)
        broadcast_shapes([shape_of(value), self.shape], "outcomes and batch shapes")
        return ops.logical_and(ops.greater_equal(value, self.lower), ops.less_equal(value, self.upper))
