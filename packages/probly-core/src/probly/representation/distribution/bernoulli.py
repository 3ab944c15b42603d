"""Bernoulli distributions: categorical ones with two classes, stored as one number (D-10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from probly.dispatch import class_of
from probly.errors import LayoutError
from probly.representation.checks import require_array
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.validation import check_values

__all__ = ["BernoulliDistribution", "LogitBernoulli", "ProbabilityBernoulli"]

_AVERAGES = ("mean", "average")


class BernoulliDistribution(CategoricalDistribution):
    """Distributions over class 0 and class 1; the shape is the stored array's shape."""

    type: ClassVar[str] = "bernoulli"

    @property
    def num_classes(self) -> int:
        """Two."""
        return 2

    def to_categorical(self) -> Any:
        """The same distributions as categorical ones by weights ``(1 - p, p)``."""
        return class_of(self._ops, "probability_categorical")(self.probabilities)

    def _pair(self, first: Any, second: Any) -> Any:
        return self._ops.stack([first, second], len(first.shape))

    @classmethod
    def from_two_columns(cls, array: Any) -> Self:
        """Take the second of two columns (class 0, class 1) on the last axis.

        Raises
        ------
        LayoutError
            If the last axis has not size 2.
        """
        shape = tuple(array.shape)
        if not shape or shape[-1] != 2:
            raise LayoutError(f"two columns are needed on the last axis, the shape is {shape}")
        return cls(cls._ops.index(array, (..., 1)))  # type: ignore[call-arg]


@dataclass(frozen=True, eq=False)
class ProbabilityBernoulli(BernoulliDistribution):
    """Bernoulli distributions stored as the probability of class 1.

    Parameters
    ----------
    array : array of any shape
        Values in [0, 1]; integers 0 and 1 are allowed.

    Raises
    ------
    TypeError
        For another backend's array, and boolean, complex or other dtypes.
    ValueError
        For a value outside [0, 1], or NaN.
    """

    array: Any
    protected_axes: ClassVar[dict[str, int]] = {"array": 0}
    permitted_operations: ClassVar[frozenset[str]] = frozenset(_AVERAGES)

    def __post_init__(self) -> None:
        array, ops = require_array(self, "array"), self._ops
        check_values(
            ops,
            lambda: ops.logical_and(ops.greater_equal(array, 0), ops.less_equal(array, 1)),
            "Bernoulli probabilities must be in [0, 1]",
        )

    @property
    def unnormalized_probabilities(self) -> Any:
        """Columns 1 - p and p."""
        p = self._ops.to_floating(self.array)
        return self._pair(self._ops.subtract(1.0, p), p)

    @property
    def probabilities(self) -> Any:
        """Columns 1 - p and p."""
        return self.unnormalized_probabilities

    @property
    def logits(self) -> Any:
        """Columns 0 and log(p / (1 - p)); (-inf, 0) where p is 1."""
        ops, p = self._ops, self._ops.to_floating(self.array)
        sure = ops.equal(p, 1.0)
        odds = ops.subtract(ops.log(p), ops.log(ops.where(sure, 1.0, ops.subtract(1.0, p))))
        zero = ops.full(tuple(p.shape), 0.0, p)
        return self._pair(ops.where(sure, float("-inf"), zero), ops.where(sure, 0.0, odds))


@dataclass(frozen=True, eq=False)
class LogitBernoulli(BernoulliDistribution):
    """Bernoulli distributions stored as log-odds of class 1.

    Parameters
    ----------
    array : array of any shape
        Not NaN; infinite odds mean certainty.

    Raises
    ------
    TypeError
        For another backend's array, and boolean, complex or other dtypes.
    ValueError
        For NaN.
    """

    array: Any
    protected_axes: ClassVar[dict[str, int]] = {"array": 0}
    permitted_operations: ClassVar[frozenset[str]] = frozenset(_AVERAGES)

    def __post_init__(self) -> None:
        array, ops = require_array(self, "array"), self._ops
        check_values(ops, lambda: ops.equal(array, array), "log-odds must not be NaN")

    @property
    def unnormalized_probabilities(self) -> Any:
        """The probabilities."""
        return self.probabilities

    @property
    def probabilities(self) -> Any:
        """Columns 1 / (1 + e^x) and 1 / (1 + e^-x)."""
        return self._ops.exp(self.log_probabilities)

    @property
    def logits(self) -> Any:
        """Columns 0 and x; (-inf, 0) where x is +inf."""
        ops, x = self._ops, self._ops.to_floating(self.array)
        sure = ops.equal(x, float("inf"))
        zero = ops.full(tuple(x.shape), 0.0, x)
        return self._pair(ops.where(sure, float("-inf"), zero), ops.where(sure, 0.0, x))

    def _compared(self) -> Any:
        return self.log_probabilities

    def _postprocess_protected_values(self, values: dict[str, Any], func: Callable[..., Any]) -> dict[str, Any]:
        if self._functions.name_of(func) not in _AVERAGES:
            return values
        return {"array": self._ops.index(self.probabilities, (..., 1))}

    def with_protected_values(self, values: Mapping[str, Any], func: Callable[..., Any] | None = None) -> Any:
        """As the base class; averages are of probabilities and give the probability variant."""
        if func is not None and self._functions.name_of(func) in _AVERAGES:
            return class_of(self._ops, "probability_bernoulli")(**values)
        return super().with_protected_values(values, func)
