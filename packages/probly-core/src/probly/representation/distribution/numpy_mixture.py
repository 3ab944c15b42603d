"""Mixtures over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.distribution.base import Distribution
from probly.representation.distribution.mixture import MixtureDistribution

__all__ = ["NumpyMixtureDistribution"]


@dataclass(frozen=True, eq=False)
class NumpyMixtureDistribution(MixtureDistribution, NumpyAxisProtected[np.ndarray]):
    """Finite mixtures over NumPy arrays; see the family for parameters, laws and errors."""

    components: Distribution
    mixture_weights: np.ndarray
