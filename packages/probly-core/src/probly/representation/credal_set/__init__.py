"""Credal sets of categorical distributions."""

from probly.representation.credal_set.balls import DistanceBasedCredalSet
from probly.representation.credal_set.base import CategoricalCredalSet
from probly.representation.credal_set.intervals import ProbabilityIntervalsCredalSet
from probly.representation.credal_set.level_set import DirichletLevelSetCredalSet
from probly.representation.credal_set.vertices import ConvexCredalSet, DiscreteCredalSet, SingletonCredalSet

__all__ = [
    "CategoricalCredalSet",
    "ConvexCredalSet",
    "DirichletLevelSetCredalSet",
    "DiscreteCredalSet",
    "DistanceBasedCredalSet",
    "ProbabilityIntervalsCredalSet",
    "SingletonCredalSet",
]
