"""Credal sets as balls around a distribution (K-3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from probly.dispatch import class_of, convert
from probly.errors import LayoutError
from probly.representation._protected_axis.layout import broadcast_shapes, shape_of
from probly.representation.checks import require_floating, require_nested
from probly.representation.credal_set.base import CategoricalCredalSet, categorical_members
from probly.representation.credal_set.envelopes import ENVELOPES
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.representation.sample.base import Sample
from probly.validation import check_values

__all__ = ["DistanceBasedCredalSet"]


@dataclass(frozen=True, eq=False)
class DistanceBasedCredalSet(CategoricalCredalSet):
    """All distributions within a distance of a nominal one.

    Parameters
    ----------
    nominal : categorical distribution
    radius : array of the batch shape, or one number
        Non-negative; a number holds for the whole batch.
    metric : str
        The distance: "total_variation", "wasserstein", "kl_divergence" or "inner_product", as the score of that name
        with the nominal distribution as prediction and the member as target.

    Raises
    ------
    TypeError
        If ``nominal`` is no categorical of the same backend.
    ValueError
        For a negative or NaN radius, a radius of another shape, and an unknown metric.
    """

    nominal: Any
    radius: Any
    metric: str = "total_variation"
    protected_axes: ClassVar[dict[str, int]] = {"nominal": 0, "radius": 0}

    def __post_init__(self) -> None:
        ops = self._ops
        require_nested(self, "nominal", CategoricalDistribution)
        if self.metric not in ENVELOPES:
            raise ValueError(f"metric is one of {', '.join(ENVELOPES)}, not {self.metric!r}")
        if isinstance(self.radius, int | float):
            object.__setattr__(self, "radius", ops.full((), float(self.radius), self.nominal.probabilities))
        radius = require_floating(self, "radius")
        if broadcast_shapes([shape_of(radius), self.nominal.shape], "radius and batch shapes") != self.nominal.shape:
            raise LayoutError(f"radius of shape {shape_of(radius)} for a batch of shape {self.nominal.shape}")
        if shape_of(radius) != self.nominal.shape:
            object.__setattr__(self, "radius", ops.broadcast_to(radius, self.nominal.shape))
        check_values(ops, lambda: ops.greater_equal(radius, 0), "the radius must be non-negative")

    @classmethod
    def from_parts(cls, nominal: Any, radius: Any, metric: str = "total_variation") -> Self:
        """Make from probabilities of shape (..., K), or a categorical, and a radius."""
        if not isinstance(nominal, CategoricalDistribution):
            nominal = class_of(cls._ops, "probability_categorical")(convert(nominal, cls._ops))
        return cls(nominal, radius if isinstance(radius, int | float) else convert(radius, cls._ops), metric)

    @classmethod
    def from_sample(cls, sample: Sample) -> Self:
        """Ball of total variation around the sample's mean that holds all members."""
        members, nominal = categorical_members(sample), sample.sample_mean()
        ops = cls._ops
        gap = ops.absolute(ops.subtract(members.probabilities, nominal.probabilities))
        return cls(nominal, ops.max(ops.multiply(ops.sum(gap, axis=-1), 0.5), axis=0))

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        return int(self.nominal.num_classes)

    @property
    def barycenter(self) -> Any:
        """The nominal distribution."""
        return self.nominal

    def lower(self) -> Any:
        """Smallest probability of each class within the ball, exact for every metric."""
        return self._envelope()(self._ops, self.nominal.probabilities, self.radius, False)

    def upper(self) -> Any:
        """Largest probability of each class within the ball, exact for every metric."""
        return self._envelope()(self._ops, self.nominal.probabilities, self.radius, True)

    def _envelope(self) -> Callable[..., Any]:
        return ENVELOPES[self.metric]
