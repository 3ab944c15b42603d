"""Samples over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.sample.base import Sample

__all__ = ["NumpySample"]


@dataclass(frozen=True, eq=False)
class NumpySample(Sample, NumpyAxisProtected[np.ndarray]):
    """Samples over NumPy arrays; see the family for parameters, laws and errors."""

    array: Any
    sample_axis: int = 0
    weights: np.ndarray | None = None
