"""Bernoulli distributions over Torch tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from probly.representation.distribution.bernoulli import LogitBernoulli, ProbabilityBernoulli
from probly_torch.representation._protected_axis.torch import TorchAxisProtected

__all__ = ["TorchLogitBernoulliDistribution", "TorchProbabilityBernoulliDistribution"]


@dataclass(frozen=True, eq=False)
class TorchProbabilityBernoulliDistribution(ProbabilityBernoulli, TorchAxisProtected[torch.Tensor]):
    """Bernoulli distributions by probabilities over Torch tensors; see the family for parameters, laws and errors."""

    array: torch.Tensor


@dataclass(frozen=True, eq=False)
class TorchLogitBernoulliDistribution(LogitBernoulli, TorchAxisProtected[torch.Tensor]):
    """Bernoulli distributions by log-odds over Torch tensors; see the family for parameters, laws and errors."""

    array: torch.Tensor
