"""Dirichlet distributions over Torch tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from probly.representation.distribution.dirichlet import DirichletDistribution
from probly_torch.representation._protected_axis.torch import TorchAxisProtected

__all__ = ["TorchDirichletDistribution"]


@dataclass(frozen=True, eq=False)
class TorchDirichletDistribution(DirichletDistribution, TorchAxisProtected[torch.Tensor]):
    """Dirichlet distributions over Torch tensors; see the family for parameters, laws and errors."""

    alphas: torch.Tensor
