"""Conformal prediction sets."""

from probly.representation.conformal_set.numpy_sets import NumpyIntervalConformalSet, NumpyOneHotConformalSet
from probly.representation.conformal_set.sets import ConformalSet, IntervalConformalSet, OneHotConformalSet

__all__ = [
    "ConformalSet",
    "IntervalConformalSet",
    "NumpyIntervalConformalSet",
    "NumpyOneHotConformalSet",
    "OneHotConformalSet",
]
