"""Bernoulli distributions over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.distribution.bernoulli import LogitBernoulli, ProbabilityBernoulli

__all__ = ["NumpyLogitBernoulliDistribution", "NumpyProbabilityBernoulliDistribution"]


@dataclass(frozen=True, eq=False)
class NumpyProbabilityBernoulliDistribution(ProbabilityBernoulli, NumpyAxisProtected[np.ndarray]):
    """Bernoulli distributions by probabilities over NumPy arrays; see the family for parameters, laws and errors."""

    array: np.ndarray


@dataclass(frozen=True, eq=False)
class NumpyLogitBernoulliDistribution(LogitBernoulli, NumpyAxisProtected[np.ndarray]):
    """Bernoulli distributions by log-odds over NumPy arrays; see the family for parameters, laws and errors."""

    array: np.ndarray
