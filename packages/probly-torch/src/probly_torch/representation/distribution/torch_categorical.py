"""Categorical distributions over Torch tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from probly.representation.distribution.categorical import LogitCategorical, ProbabilityCategorical
from probly_torch.representation._protected_axis.torch import TorchAxisProtected

__all__ = ["TorchLogitCategoricalDistribution", "TorchProbabilityCategoricalDistribution"]


@dataclass(frozen=True, eq=False)
class TorchProbabilityCategoricalDistribution(ProbabilityCategorical, TorchAxisProtected[torch.Tensor]):
    """Categorical distributions by weights over Torch tensors; see the family for parameters, laws and errors."""

    array: torch.Tensor


@dataclass(frozen=True, eq=False)
class TorchLogitCategoricalDistribution(LogitCategorical, TorchAxisProtected[torch.Tensor]):
    """Categorical distributions by logits over Torch tensors; see the family for parameters, laws and errors."""

    array: torch.Tensor
