"""Credal sets by probability intervals (K-4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from probly.dispatch import convert
from probly.errors import LayoutError
from probly.representation._protected_axis.layout import broadcast_shapes, shape_of
from probly.representation.checks import require_floating, require_rank, require_same_shape
from probly.representation.credal_set.base import CategoricalCredalSet, categorical_members
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.representation.sample.base import Sample
from probly.validation import check_values

__all__ = ["ProbabilityIntervalsCredalSet"]

#: How far rounding may carry a sum of bounds past 1.
_SLACK = 1e-5


@dataclass(frozen=True, eq=False)
class ProbabilityIntervalsCredalSet(CategoricalCredalSet):
    """All distributions whose probabilities lie within bounds.

    Parameters
    ----------
    lower_bounds, upper_bounds : arrays of shape (..., K)
        0 <= lower <= upper <= 1, and sum lower <= 1 <= sum upper (within 1e-5).

    Raises
    ------
    TypeError
        For another backend's array, and boolean, complex or other dtypes.
    ValueError
        For different shapes and for bounds that no distribution satisfies.
    """

    lower_bounds: Any
    upper_bounds: Any
    protected_axes: ClassVar[dict[str, int]] = {"lower_bounds": 1, "upper_bounds": 1}

    def __post_init__(self) -> None:
        ops = self._ops
        low, high = require_floating(self, "lower_bounds"), require_floating(self, "upper_bounds")
        require_rank(self, "lower_bounds", 1)
        require_same_shape(self, "lower_bounds", "upper_bounds")
        check_values(ops, lambda: ops.greater_equal(low, 0), "lower bounds must be 0 or more, not NaN")
        check_values(ops, lambda: ops.less_equal(low, high), "lower bounds must not exceed upper bounds")
        check_values(ops, lambda: ops.less_equal(high, 1), "upper bounds must be 1 or less, not NaN")
        check_values(
            ops, lambda: ops.less_equal(ops.sum(low, axis=-1), 1 + _SLACK), "lower bounds must sum to 1 or less"
        )
        check_values(
            ops, lambda: ops.greater_equal(ops.sum(high, axis=-1), 1 - _SLACK), "upper bounds must sum to 1 or more"
        )

    @classmethod
    def from_sample(cls, sample: Sample) -> Self:
        """Smallest intervals that hold all members of a sample of categoricals."""
        p = categorical_members(sample).probabilities
        return cls(cls._ops.min(p, axis=0), cls._ops.max(p, axis=0))

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        return int(self.lower_bounds.shape[-1])

    @property
    def width(self) -> Any:
        """Upper minus lower bound, shape (..., K)."""
        return self._ops.subtract(self.upper_bounds, self.lower_bounds)

    @property
    def barycenter(self) -> Any:
        """Lower bounds plus the missing mass in proportion to the widths; the lower bounds where all widths are 0."""
        ops, width = self._ops, self.width
        total = ops.sum(width, axis=-1, keepdims=True)
        missing = ops.subtract(1.0, ops.sum(self.lower_bounds, axis=-1, keepdims=True))
        share = ops.true_divide(ops.multiply(missing, width), ops.where(ops.greater(total, 0), total, 1.0))
        return self._categorical(ops.maximum(ops.add(self.lower_bounds, share), 0.0))

    def lower(self) -> Any:
        """Lower bounds, as given."""
        return self.lower_bounds

    def upper(self) -> Any:
        """Upper bounds, as given."""
        return self.upper_bounds

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Lower and upper bounds on axis -2."""
        pair = [self._ops.to_numpy(self.lower_bounds), self._ops.to_numpy(self.upper_bounds)]
        return np.stack(pair, axis=-2).astype(dtype or pair[0].dtype, copy=False)

    def contains(self, distribution: Any) -> Any:
        """Mask: whether a categorical's probabilities, or an array's rows, lie within the bounds."""
        ops = self._ops
        given = isinstance(distribution, CategoricalDistribution)
        p = distribution.probabilities if given else convert(distribution, ops, self.lower_bounds)
        if shape_of(p)[-1:] != (self.num_classes,):
            raise LayoutError(f"probabilities of shape {shape_of(p)} for {self.num_classes} classes")
        broadcast_shapes([shape_of(p), shape_of(self.lower_bounds)], "probabilities and bounds of shapes")
        within = ops.logical_and(ops.less_equal(self.lower_bounds, p), ops.less_equal(p, self.upper_bounds))
        return ops.all(within, axis=-1)
