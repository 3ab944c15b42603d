"""Credal sets given by distributions: convex hulls, finite sets, single distributions (K-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from probly.dispatch import convert
from probly.errors import LayoutError
from probly.representation.checks import require_nested
from probly.representation.credal_set.base import CategoricalCredalSet, categorical_members
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.representation.sample.base import Sample

__all__ = ["ConvexCredalSet", "DiscreteCredalSet", "SingletonCredalSet"]


class _Vertices(CategoricalCredalSet):
    """Sets spanned by M distributions each; envelopes are the extremes over them."""

    array: Any
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}

    def __post_init__(self) -> None:
        require_nested(self, "array", CategoricalDistribution)
        if not self.array.ndim or not self.array.shape[-1]:
            raise LayoutError(f"the last batch axis enumerates one or more vertices, the shape is {self.array.shape}")

    @classmethod
    def from_vertices(cls, vertices: Any) -> Self:
        """Make from probabilities of shape (..., M, K)."""
        from probly.dispatch import class_of

        return cls(class_of(cls._ops, "probability_categorical")(convert(vertices, cls._ops)))  # type: ignore[call-arg]

    @classmethod
    def from_sample(cls, sample: Sample) -> Self:
        """Make from the members of a sample of categoricals."""
        members = categorical_members(sample)
        return cls(members._functions.run("moveaxis", members, 0, -1))  # type: ignore[call-arg]

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        return int(self.array.num_classes)

    @property
    def barycenter(self) -> Any:
        """Mean of the vertices."""
        return self.array._functions.run("mean", self.array, -1)

    def lower(self) -> Any:
        """Minimum over the vertices."""
        return self._ops.min(self.array.probabilities, axis=self.ndim)

    def upper(self) -> Any:
        """Maximum over the vertices."""
        return self._ops.max(self.array.probabilities, axis=self.ndim)


@dataclass(frozen=True, eq=False)
class ConvexCredalSet(_Vertices):
    """Convex hulls of M categorical distributions each.

    Parameters
    ----------
    array : categorical distribution of batch shape (..., M)
        The vertices.

    Raises
    ------
    TypeError
        If it is no categorical of the same backend.
    ValueError
        If there is no vertex.
    """

    array: Any


@dataclass(frozen=True, eq=False)
class DiscreteCredalSet(_Vertices):
    """Finite sets of M categorical distributions each; parameters and errors as for a convex hull.

    Parameters
    ----------
    array : categorical distribution of batch shape (..., M)
        The members.
    """

    array: Any


@dataclass(frozen=True, eq=False)
class SingletonCredalSet(CategoricalCredalSet):
    """Sets of one categorical distribution each.

    Parameters
    ----------
    array : categorical distribution
        The only members.
    """

    array: Any
    protected_axes: ClassVar[dict[str, int]] = {"array": 0}

    def __post_init__(self) -> None:
        require_nested(self, "array", CategoricalDistribution)

    @classmethod
    def from_sample(cls, sample: Sample) -> Self:
        """Make from the mean of a sample of categoricals."""
        categorical_members(sample)
        return cls(sample.sample_mean())

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        return int(self.array.num_classes)

    @property
    def barycenter(self) -> Any:
        """The member."""
        return self.array

    def lower(self) -> Any:
        """Its probabilities."""
        return self.array.probabilities

    def upper(self) -> Any:
        """Its probabilities."""
        return self.array.probabilities
