"""Credal sets over JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax

from probly.representation.credal_set.balls import DistanceBasedCredalSet
from probly.representation.credal_set.intervals import ProbabilityIntervalsCredalSet
from probly.representation.credal_set.level_set import DirichletLevelSetCredalSet
from probly.representation.credal_set.vertices import ConvexCredalSet, DiscreteCredalSet, SingletonCredalSet
from probly.representation.distribution.categorical import CategoricalDistribution
from probly_jax.representation._protected_axis.jax import JaxAxisProtected

__all__ = [
    "JaxConvexCredalSet",
    "JaxDirichletLevelSetCredalSet",
    "JaxDiscreteCredalSet",
    "JaxDistanceBasedCredalSet",
    "JaxProbabilityIntervalsCredalSet",
    "JaxSingletonCredalSet",
]


@dataclass(frozen=True, eq=False)
class JaxConvexCredalSet(ConvexCredalSet, JaxAxisProtected[jax.Array]):
    """Convex hulls over JAX arrays; see the family for parameters, laws and errors."""

    array: CategoricalDistribution


@dataclass(frozen=True, eq=False)
class JaxDiscreteCredalSet(DiscreteCredalSet, JaxAxisProtected[jax.Array]):
    """Finite sets over JAX arrays; see the family for parameters, laws and errors."""

    array: CategoricalDistribution


@dataclass(frozen=True, eq=False)
class JaxSingletonCredalSet(SingletonCredalSet, JaxAxisProtected[jax.Array]):
    """Sets of one distribution over JAX arrays; see the family for parameters, laws and errors."""

    array: CategoricalDistribution


@dataclass(frozen=True, eq=False)
class JaxDistanceBasedCredalSet(DistanceBasedCredalSet, JaxAxisProtected[jax.Array]):
    """Balls over JAX arrays; see the family for parameters, laws and errors."""

    nominal: CategoricalDistribution
    radius: Any
    metric: str = "total_variation"


@dataclass(frozen=True, eq=False)
class JaxProbabilityIntervalsCredalSet(ProbabilityIntervalsCredalSet, JaxAxisProtected[jax.Array]):
    """Probability intervals over JAX arrays; see the family for parameters, laws and errors."""

    lower_bounds: jax.Array
    upper_bounds: jax.Array


@dataclass(frozen=True, eq=False)
class JaxDirichletLevelSetCredalSet(DirichletLevelSetCredalSet, JaxAxisProtected[jax.Array]):
    """Level sets over JAX arrays; see the family for parameters, laws and errors."""

    alphas: jax.Array
    threshold: jax.Array
