"""Credal sets over Torch tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from probly.representation.credal_set.balls import DistanceBasedCredalSet
from probly.representation.credal_set.intervals import ProbabilityIntervalsCredalSet
from probly.representation.credal_set.level_set import DirichletLevelSetCredalSet
from probly.representation.credal_set.vertices import ConvexCredalSet, DiscreteCredalSet, SingletonCredalSet
from probly.representation.distribution.categorical import CategoricalDistribution
from probly_torch.representation._protected_axis.torch import TorchAxisProtected

__all__ = [
    "TorchConvexCredalSet",
    "TorchDirichletLevelSetCredalSet",
    "TorchDiscreteCredalSet",
    "TorchDistanceBasedCredalSet",
    "TorchProbabilityIntervalsCredalSet",
    "TorchSingletonCredalSet",
]


@dataclass(frozen=True, eq=False)
class TorchConvexCredalSet(ConvexCredalSet, TorchAxisProtected[torch.Tensor]):
    """Convex hulls over Torch tensors; see the family for parameters, laws and errors."""

    array: CategoricalDistribution


@dataclass(frozen=True, eq=False)
class TorchDiscreteCredalSet(DiscreteCredalSet, TorchAxisProtected[torch.Tensor]):
    """Finite sets over Torch tensors; see the family for parameters, laws and errors."""

    array: CategoricalDistribution


@dataclass(frozen=True, eq=False)
class TorchSingletonCredalSet(SingletonCredalSet, TorchAxisProtected[torch.Tensor]):
    """Sets of one distribution over Torch tensors; see the family for parameters, laws and errors."""

    array: CategoricalDistribution


@dataclass(frozen=True, eq=False)
class TorchDistanceBasedCredalSet(DistanceBasedCredalSet, TorchAxisProtected[torch.Tensor]):
    """Balls over Torch tensors; see the family for parameters, laws and errors."""

    nominal: CategoricalDistribution
    radius: Any
    metric: str = "total_variation"


@dataclass(frozen=True, eq=False)
class TorchProbabilityIntervalsCredalSet(ProbabilityIntervalsCredalSet, TorchAxisProtected[torch.Tensor]):
    """Probability intervals over Torch tensors; see the family for parameters, laws and errors."""

    lower_bounds: torch.Tensor
    upper_bounds: torch.Tensor


@dataclass(frozen=True, eq=False)
class TorchDirichletLevelSetCredalSet(DirichletLevelSetCredalSet, TorchAxisProtected[torch.Tensor]):
    """Level sets over Torch tensors; see the family for parameters, laws and errors."""

    alphas: torch.Tensor
    threshold: torch.Tensor
