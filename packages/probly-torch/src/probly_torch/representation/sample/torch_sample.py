"""Samples over Torch tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from probly.representation.sample.base import Sample
from probly_torch.representation._protected_axis.torch import TorchAxisProtected

__all__ = ["TorchSample"]


@dataclass(frozen=True, eq=False)
class TorchSample(Sample, TorchAxisProtected[torch.Tensor]):
    """Samples over Torch tensors; see the family for parameters, laws and errors."""

    array: Any
    sample_axis: int = 0
    weights: torch.Tensor | None = None
