"""Conformal sets over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.conformal_set.sets import IntervalConformalSet, OneHotConformalSet

__all__ = ["NumpyIntervalConformalSet", "NumpyOneHotConformalSet"]


@dataclass(frozen=True, eq=False)
class NumpyOneHotConformalSet(OneHotConformalSet, NumpyAxisProtected[np.ndarray]):
    """Sets of classes over NumPy arrays; see the family for parameters, laws and errors."""

    array: np.ndarray


@dataclass(frozen=True, eq=False)
class NumpyIntervalConformalSet(IntervalConformalSet, NumpyAxisProtected[np.ndarray]):
    """Intervals over NumPy arrays; see the family for parameters, laws and errors."""

    array: np.ndarray
