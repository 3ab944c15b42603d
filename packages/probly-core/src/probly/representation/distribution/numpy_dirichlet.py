"""Dirichlet distributions over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.distribution.dirichlet import DirichletDistribution

__all__ = ["NumpyDirichletDistribution"]


@dataclass(frozen=True, eq=False)
class NumpyDirichletDistribution(DirichletDistribution, NumpyAxisProtected[np.ndarray]):
    """Dirichlet distributions over NumPy arrays; see the family for parameters, laws and errors."""

    alphas: np.ndarray
