"""Conformal sets over Torch tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from probly.representation.conformal_set.sets import IntervalConformalSet, OneHotConformalSet
from probly_torch.representation._protected_axis.torch import TorchAxisProtected

__all__ = ["TorchIntervalConformalSet", "TorchOneHotConformalSet"]


@dataclass(frozen=True, eq=False)
class TorchOneHotConformalSet(OneHotConformalSet, TorchAxisProtected[torch.Tensor]):
    """Sets of classes over Torch tensors; see the family for parameters, laws and errors."""

    array: torch.Tensor


@dataclass(frozen=True, eq=False)
class TorchIntervalConformalSet(IntervalConformalSet, TorchAxisProtected[torch.Tensor]):
    """Intervals over Torch tensors; see the family for parameters, laws and errors."""

    array: torch.Tensor
