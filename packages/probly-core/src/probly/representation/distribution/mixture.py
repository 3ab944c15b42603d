"""Finite mixtures (D-18)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from probly.array_math import normalize
from probly.errors import LayoutError
from probly.representation._protected_axis.layout import shape_of
from probly.representation.checks import require_array, require_nested
from probly.representation.distribution.base import Distribution
from probly.representation.distribution.gaussian import GaussianDistribution
from probly.validation import check_values

__all__ = ["MixtureDistribution"]


@dataclass(frozen=True, eq=False)
class MixtureDistribution(Distribution):
    """Mixtures of C components each.

    Parameters
    ----------
    components : distribution of batch shape (..., C)
        Its last batch axis enumerates the components.
    mixture_weights : array of shape (..., C)
        Non-negative, finite, with a positive sum in every row; normalized where used.

    Raises
    ------
    TypeError
        If the components are no distribution of the same backend.
    ValueError
        For other weights, and for different shapes.
    """

    components: Any
    mixture_weights: Any
    type: ClassVar[str] = "mixture"
    protected_axes: ClassVar[dict[str, int]] = {"components": 1, "mixture_weights": 1}

    def __post_init__(self) -> None:
        require_nested(self, "components", Distribution)
        weights, ops = require_array(self, "mixture_weights"), self._ops
        if shape_of(weights) != self.components.shape or not shape_of(weights):
            raise LayoutError(f"weights of shape {shape_of(weights)} for components of shape {self.components.shape}")
        check_values(ops, lambda: ops.greater_equal(weights, 0), "mixture weights must be non-negative, not NaN")
        check_values(ops, lambda: self._proper(), "mixture weights need a positive, finite sum in every row")

    def _proper(self) -> Any:
        total = self._ops.sum(self._ops.to_floating(self.mixture_weights), axis=-1)
        return self._ops.logical_and(self._ops.greater(total, 0), self._ops.less(total, float("inf")))

    @property
    def weights(self) -> Any:
        """Normalized weights, shape (..., C)."""
        return normalize(self._ops, self.mixture_weights)

    @property
    def mean(self) -> Any:
        """Weighted average of the components' means: an array for Gaussian components, else a distribution.

        Raises
        ------
        TypeError
            If the components permit no average.
        """
        if isinstance(self.components, GaussianDistribution):
            return self._ops.vecdot(self.weights, self.components.mean)
        parts = getattr(self.components, "mean", self.components)
        return parts._functions.run("average", parts, -1, self.weights)

    def _reference(self) -> Any:
        return self._ops.to_floating(self.mixture_weights)

    def sample(self, num_samples: int = 1, rng: Any = None) -> Any:
        """Draw a component, then a value of it; see :meth:`Distribution.sample`."""
        choose, draw = self._ops.generators(rng, 2, self._reference())
        values = self.components.sample(num_samples, draw)
        logits = self._ops.log(self._ops.to_floating(self.mixture_weights))
        chosen = self._ops.expand_dims(self._ops.categorical(choose, num_samples, logits), self.ndim + 1)
        picked = values._functions.run("take_along_axis", values, chosen, self.ndim + 1)
        return picked.squeeze(self.ndim + 1)
