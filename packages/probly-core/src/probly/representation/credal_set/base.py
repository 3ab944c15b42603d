"""What all credal sets have in common (K-1)."""

from __future__ import annotations

from typing import Any

from probly.dispatch import class_of
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.representation.sample.base import Sample

__all__ = ["CategoricalCredalSet", "categorical_members"]


class CategoricalCredalSet(ProtectedAxes):
    """A batch of sets of categorical distributions.

    Every kind has ``num_classes``, a ``barycenter`` (categorical), and ``lower()`` and ``upper()``: the smallest and
    largest probability of each class over the set, arrays of shape (..., K).
    """

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        raise NotImplementedError

    @property
    def barycenter(self) -> Any:
        """A central distribution of each set."""
        raise NotImplementedError

    def lower(self) -> Any:
        """Smallest probability of each class."""
        raise NotImplementedError

    def upper(self) -> Any:
        """Largest probability of each class."""
        raise NotImplementedError

    def _categorical(self, probabilities: Any) -> Any:
        return class_of(self._ops, "probability_categorical")(probabilities)


def categorical_members(sample: Any) -> Any:
    """Members of a sample of categoricals as one categorical with the member axis first.

    Raises
    ------
    TypeError
        If it is no sample of categorical distributions.
    """
    if not isinstance(sample, Sample) or not isinstance(sample.array, CategoricalDistribution):
        raise TypeError(f"a credal set is made from a sample of categorical distributions, not {type(sample).__name__}")
    return sample.samples
