"""Credal sets over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.credal_set.balls import DistanceBasedCredalSet
from probly.representation.credal_set.intervals import ProbabilityIntervalsCredalSet
from probly.representation.credal_set.level_set import DirichletLevelSetCredalSet
from probly.representation.credal_set.vertices import ConvexCredalSet, DiscreteCredalSet, SingletonCredalSet
from probly.representation.distribution.categorical import CategoricalDistribution

__all__ = [
    "NumpyConvexCredalSet",
    "NumpyDirichletLevelSetCredalSet",
    "NumpyDiscreteCredalSet",
    "NumpyDistanceBasedCredalSet",
    "NumpyProbabilityIntervalsCredalSet",
    "NumpySingletonCredalSet",
]


@dataclass(frozen=True, eq=False)
class NumpyConvexCredalSet(ConvexCredalSet, NumpyAxisProtected[np.ndarray]):
    """Convex hulls over NumPy arrays; see the family for parameters, laws and errors."""

    array: CategoricalDistribution


@dataclass(frozen=True, eq=False)
class NumpyDiscreteCredalSet(DiscreteCredalSet, NumpyAxisProtected[np.ndarray]):
    """Finite sets over NumPy arrays; see the family for parameters, laws and errors."""

    array: CategoricalDistribution


@dataclass(frozen=True, eq=False)
class NumpySingletonCredalSet(SingletonCredalSet, NumpyAxisProtected[np.ndarray]):
    """Sets of one distribution over NumPy arrays; see the family for parameters, laws and errors."""

    array: CategoricalDistribution


@dataclass(frozen=True, eq=False)
class NumpyDistanceBasedCredalSet(DistanceBasedCredalSet, NumpyAxisProtected[np.ndarray]):
    """Balls over NumPy arrays; see the family for parameters, laws and errors."""

    nominal: CategoricalDistribution
    radius: Any
    metric: str = "total_variation"


@dataclass(frozen=True, eq=False)
class NumpyProbabilityIntervalsCredalSet(ProbabilityIntervalsCredalSet, NumpyAxisProtected[np.ndarray]):
    """Probability intervals over NumPy arrays; see the family for parameters, laws and errors."""

    lower_bounds: np.ndarray
    upper_bounds: np.ndarray


@dataclass(frozen=True, eq=False)
class NumpyDirichletLevelSetCredalSet(DirichletLevelSetCredalSet, NumpyAxisProtected[np.ndarray]):
    """Level sets over NumPy arrays; see the family for parameters, laws and errors."""

    alphas: np.ndarray
    threshold: np.ndarray
