"""Credal sets as level sets of a Dirichlet density (K-5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from probly.dispatch import class_of, convert
from probly.errors import LayoutError
from probly.representation._protected_axis.layout import shape_of
from probly.representation.checks import require_floating, require_rank
from probly.representation.credal_set.base import CategoricalCredalSet
from probly.validation import check_values

__all__ = ["DirichletLevelSetCredalSet"]


@dataclass(frozen=True, eq=False)
class DirichletLevelSetCredalSet(CategoricalCredalSet):
    """All distributions whose Dirichlet density is at least a fraction of the density at the mode.

    The relative density of p is prod (p_k / m_k)^(alpha_k - 1) with the mode m_k = (alpha_k - 1) / (alpha_0 - K), which
    exists if all concentrations exceed 1. A threshold of 0 gives the whole simplex, 1 the mode alone.

    Parameters
    ----------
    alphas : array of shape (..., K), K >= 2
        Greater than 1.
    threshold : array of the batch shape
        In [0, 1].

    Raises
    ------
    TypeError
        For another backend's array, and boolean, complex or other dtypes.
    ValueError
        For other values and shapes.
    """

    alphas: Any
    threshold: Any
    protected_axes: ClassVar[dict[str, int]] = {"alphas": 1, "threshold": 0}

    def __post_init__(self) -> None:
        ops = self._ops
        alphas, threshold = require_floating(self, "alphas"), require_floating(self, "threshold")
        require_rank(self, "alphas", 1, 2)
        if shape_of(threshold) != shape_of(alphas)[:-1]:
            raise LayoutError(f"threshold of shape {shape_of(threshold)} for alphas of shape {shape_of(alphas)}")
        check_values(
            ops, lambda: ops.greater(alphas, 1), "level sets need concentrations above 1, else there is no mode"
        )
        check_values(
            ops,
            lambda: ops.logical_and(ops.greater_equal(threshold, 0), ops.less_equal(threshold, 1)),
            "the threshold must be in [0, 1]",
        )

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        return int(self.alphas.shape[-1])

    @property
    def barycenter(self) -> Any:
        """The mode of the density."""
        return self._categorical(self._ops.subtract(self.alphas, 1.0))

    def contains(self, distribution: Any) -> Any:
        """Mask: whether a categorical, or probabilities of shape (..., K), are in the set."""
        ops = self._ops
        p = getattr(distribution, "probabilities", None)
        return self._within(convert(distribution, ops, self.alphas) if p is None else p)

    def _within(self, p: Any) -> Any:
        ops, power = self._ops, self._ops.subtract(self.alphas, 1.0)
        ratio = ops.subtract(ops.log(p), ops.log(self.barycenter.probabilities))
        relative = ops.sum(ops.multiply(power, ratio), axis=-1)
        return ops.greater_equal(relative, ops.log(self.threshold))

    def bounds(self, num_samples: int = 10_000, rng: Any = None) -> tuple[Any, Any]:
        """Estimate the envelopes by the extremes over draws of the Dirichlet that are in the set.

        The mode is always among the draws. The estimate is inside the true envelope, and approaches it slowly: with N
        accepted draws the missing mass of a class's marginal at each end is of order 1/N.

        Parameters
        ----------
        num_samples : int
        rng : source of randomness, optional

        Returns
        -------
        pair of arrays of shape (..., K)
        """
        ops = self._ops
        draws = class_of(ops, "dirichlet")(self.alphas).sample(num_samples, rng).samples.probabilities
        mode = self.barycenter.probabilities
        kept = ops.expand_dims(self._within(draws), len(shape_of(draws)) - 1)
        kept_or_mode = ops.where(kept, draws, mode)
        low, high = ops.min(kept_or_mode, axis=0), ops.max(kept_or_mode, axis=0)
        return ops.minimum(low, mode), ops.maximum(high, mode)

    def lower(self, num_samples: int = 10_000, rng: Any = None) -> Any:
        """Lower envelope by :meth:`bounds`."""
        return self.bounds(num_samples, rng)[0]

    def upper(self, num_samples: int = 10_000, rng: Any = None) -> Any:
        """Upper envelope by :meth:`bounds`."""
        return self.bounds(num_samples, rng)[1]
