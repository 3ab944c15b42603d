"""Gaussian distributions over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.distribution.gaussian import GaussianDistribution

__all__ = ["NumpyGaussianDistribution"]


@dataclass(frozen=True, eq=False)
class NumpyGaussianDistribution(GaussianDistribution, NumpyAxisProtected[np.ndarray]):
    """Gaussian distributions over NumPy arrays; see the family for parameters, laws and errors."""

    mean: np.ndarray
    var: np.ndarray
