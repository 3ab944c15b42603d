"""Sparse log-categorical distributions over Torch tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from probly.representation.distribution.sparse import SparseLogCategorical
from probly_torch.representation._protected_axis.torch import TorchAxisProtected

__all__ = ["TorchSparseLogCategoricalDistribution"]


@dataclass(frozen=True, eq=False)
class TorchSparseLogCategoricalDistribution(SparseLogCategorical, TorchAxisProtected[torch.Tensor]):
    """Categorical distributions by logits of a few classes, over Torch tensors; see the family for laws and errors."""

    group_ids: torch.Tensor
    entry_logits: torch.Tensor
