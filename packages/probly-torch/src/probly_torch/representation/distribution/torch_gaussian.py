"""Gaussian distributions over Torch tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from probly.representation.distribution.gaussian import GaussianDistribution
from probly_torch.representation._protected_axis.torch import TorchAxisProtected

__all__ = ["TorchGaussianDistribution"]


@dataclass(frozen=True, eq=False)
class TorchGaussianDistribution(GaussianDistribution, TorchAxisProtected[torch.Tensor]):
    """Gaussian distributions over Torch tensors; see the family for parameters, laws and errors."""

    mean: torch.Tensor
    var: torch.Tensor
