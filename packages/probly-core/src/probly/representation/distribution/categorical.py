"""Categorical distributions: by weights or by logits (D-2 to D-7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from probly.array_math import entropy_of, exp_shifted, log_softmax, normalize, softmax
from probly.array_ops import ArrayOps
from probly.dispatch import class_of
from probly.errors import LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation.checks import require_array, require_rank
from probly.representation.distribution.base import Distribution
from probly.validation import check_values

__all__ = ["CategoricalDistribution", "LogitCategorical", "ProbabilityCategorical"]

_AVERAGES = ("mean", "average")


class CategoricalDistribution(Distribution):
    """Distributions over classes 0..K-1; arrays have the classes on the last axis.

    ``mean`` and ``average`` over batch axes average normalized probabilities and give the probability variant.
    Equality compares normalized probabilities and gives a mask of the batch shape.
    """

    type: ClassVar[str] = "categorical"

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        raise NotImplementedError

    @property
    def unnormalized_probabilities(self) -> Any:
        """Relative weights, shape (..., K)."""
        raise NotImplementedError

    @property
    def probabilities(self) -> Any:
        """Normalized probabilities, shape (..., K)."""
        return normalize(self._ops, self.unnormalized_probabilities)

    @property
    def logits(self) -> Any:
        """Logarithms of relative weights, -inf for weight 0, shape (..., K)."""
        return self._ops.log(self._ops.to_floating(self.unnormalized_probabilities))

    @property
    def log_probabilities(self) -> Any:
        """Logarithms of the probabilities, shape (..., K)."""
        return log_softmax(self._ops, self.logits)

    def isclose(self, other: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
        """Mask of the batch elements whose probabilities agree: |p - q| <= atol + rtol |q| in every class."""
        classes = max(self.num_classes, other.num_classes)
        p, q = self.dense_probabilities(classes), other.dense_probabilities(classes)
        bound = self._ops.add(self._ops.multiply(self._ops.absolute(q), rtol), atol)
        return self._mask(self._ops.less_equal(self._ops.absolute(self._ops.subtract(p, q)), bound), 1)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, CategoricalDistribution) or other._ops is not self._ops:
            return self._equals_array(other)
        if type(other) is type(self) and other.num_classes == self.num_classes:
            return self._mask(self._ops.equal(self._compared(), other._compared()), 1)
        classes = max(self.num_classes, other.num_classes)
        return self._mask(self._ops.equal(self.dense_probabilities(classes), other.dense_probabilities(classes)), 1)

    def _equals_array(self, other: object) -> Any:
        """Compare the stored array with an ordinary one."""
        if isinstance(other, ProtectedAxes) or not (self._ops.is_array(other) or isinstance(other, int | float)):
            return NotImplemented
        count = next(iter(self.protected_axes.values()))
        return self._mask(self._ops.equal(self.protected_value(), other), count)

    def _compared(self) -> Any:
        """What two distributions of one class are compared by."""
        return self.probabilities

    def dense_probabilities(self, classes: int) -> Any:
        """Probabilities of exactly this many classes.

        Raises
        ------
        LayoutError
            If the distribution has another number of classes.
        """
        if self.num_classes != classes:
            raise LayoutError(f"a categorical distribution of {self.num_classes} classes where {classes} are needed")
        return self.probabilities

    def _classes(self) -> int:
        return self.num_classes

    def _entropy(self) -> Any:
        return entropy_of(self._ops, self.probabilities)

    def _draw(self, num: int, sources: tuple[Any, ...]) -> Any:
        return self._ops.categorical(sources[0], num, self.logits)


@dataclass(frozen=True, eq=False)
class ProbabilityCategorical(CategoricalDistribution):
    """Categorical distributions stored as relative weights.

    Parameters
    ----------
    array : array of shape (..., K)
        Non-negative, finite weights of any real dtype; no row sums to zero.

    Raises
    ------
    TypeError
        For another backend's array, and boolean, complex or other dtypes.
    ValueError
        For rank 0, negative or NaN weights, and rows that sum to zero.
    """

    array: Any
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_operations: ClassVar[frozenset[str]] = frozenset(_AVERAGES)

    def __post_init__(self) -> None:
        array, ops = require_array(self, "array"), self._ops
        require_rank(self, "array", 1)
        check_values(ops, lambda: ops.greater_equal(array, 0), "categorical weights must be non-negative, not NaN")
        check_values(ops, lambda: _proper(ops, array), "categorical weights need a positive, finite sum in every row")

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        return int(self.array.shape[-1])

    @property
    def unnormalized_probabilities(self) -> Any:
        """The stored weights."""
        return self.array

    def _postprocess_protected_values(self, values: dict[str, Any], func: Callable[..., Any]) -> dict[str, Any]:
        return {"array": self.probabilities} if self._functions.name_of(func) in _AVERAGES else values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return _as_numpy(self, dtype, copy)


@dataclass(frozen=True, eq=False)
class LogitCategorical(CategoricalDistribution):
    """Categorical distributions stored as logits.

    Parameters
    ----------
    array : array of shape (..., K)
        No NaN and no +inf; -inf means probability 0, but not in a whole row.

    Raises
    ------
    TypeError
        For another backend's array, and boolean, complex or other dtypes.
    ValueError
        For rank 0 and for values outside the domain.
    """

    array: Any
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_operations: ClassVar[frozenset[str]] = frozenset(_AVERAGES)

    def __post_init__(self) -> None:
        array, ops = require_array(self, "array"), self._ops
        require_rank(self, "array", 1)
        check_values(ops, lambda: ops.less(array, float("inf")), "logits must be neither NaN nor +inf")
        check_values(
            ops,
            lambda: ops.greater(ops.max(ops.to_floating(array), axis=-1), float("-inf")),
            "logits need a finite entry in every row",
        )

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        return int(self.array.shape[-1])

    @property
    def unnormalized_probabilities(self) -> Any:
        """exp(logits - max)."""
        return exp_shifted(self._ops, self.logits)

    @property
    def probabilities(self) -> Any:
        """Softmax of the logits."""
        return softmax(self._ops, self.logits)

    @property
    def logits(self) -> Any:
        """The stored logits, floating."""
        return self._ops.to_floating(self.array)

    def _compared(self) -> Any:
        return self.log_probabilities

    def _postprocess_protected_values(self, values: dict[str, Any], func: Callable[..., Any]) -> dict[str, Any]:
        return {"array": self.probabilities} if self._functions.name_of(func) in _AVERAGES else values

    def with_protected_values(self, values: Mapping[str, Any], func: Callable[..., Any] | None = None) -> Any:
        """As the base class; averages are of probabilities and give the probability variant."""
        if func is not None and self._functions.name_of(func) in _AVERAGES:
            return class_of(self._ops, "probability_categorical")(**values)
        return super().with_protected_values(values, func)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return _as_numpy(self, dtype, copy)


def _proper(ops: ArrayOps, weights: Any) -> Any:
    total = ops.sum(ops.to_floating(weights), axis=-1)
    return ops.logical_and(ops.greater(total, 0), ops.less(total, float("inf")))


def _as_numpy(distribution: CategoricalDistribution, dtype: Any, copy: bool | None) -> Any:
    """Normalized probabilities as a NumPy array."""
    import numpy as np

    if copy is False:
        raise ValueError("normalized probabilities are computed: they cannot be given without a copy")
    return np.array(distribution._ops.to_numpy(distribution.probabilities), dtype=dtype)
