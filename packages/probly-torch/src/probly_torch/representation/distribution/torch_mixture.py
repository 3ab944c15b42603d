"""Mixtures over Torch tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from probly.representation.distribution.base import Distribution
from probly.representation.distribution.mixture import MixtureDistribution
from probly_torch.representation._protected_axis.torch import TorchAxisProtected

__all__ = ["TorchMixtureDistribution"]


@dataclass(frozen=True, eq=False)
class TorchMixtureDistribution(MixtureDistribution, TorchAxisProtected[torch.Tensor]):
    """Finite mixtures over Torch tensors; see the family for parameters, laws and errors."""

    components: Distribution
    mixture_weights: torch.Tensor
