"""Categorical distributions over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.distribution.categorical import LogitCategorical, ProbabilityCategorical

__all__ = ["NumpyLogitCategoricalDistribution", "NumpyProbabilityCategoricalDistribution"]


@dataclass(frozen=True, eq=False)
class NumpyProbabilityCategoricalDistribution(ProbabilityCategorical, NumpyAxisProtected[np.ndarray]):
    """Categorical distributions by weights over NumPy arrays; see the family for parameters, laws and errors."""

    array: np.ndarray


@dataclass(frozen=True, eq=False)
class NumpyLogitCategoricalDistribution(LogitCategorical, NumpyAxisProtected[np.ndarray]):
    """Categorical distributions by logits over NumPy arrays; see the family for parameters, laws and errors."""

    array: np.ndarray
