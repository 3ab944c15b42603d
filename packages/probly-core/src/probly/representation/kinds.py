"""The kinds of representations that a backend supplies, each with its family."""

from __future__ import annotations

import dataclasses
from typing import Any

from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation.conformal_set.sets import IntervalConformalSet, OneHotConformalSet
from probly.representation.credal_set.balls import DistanceBasedCredalSet
from probly.representation.credal_set.intervals import ProbabilityIntervalsCredalSet
from probly.representation.credal_set.level_set import DirichletLevelSetCredalSet
from probly.representation.credal_set.vertices import ConvexCredalSet, DiscreteCredalSet, SingletonCredalSet
from probly.representation.distribution.bernoulli import LogitBernoulli, ProbabilityBernoulli
from probly.representation.distribution.categorical import LogitCategorical, ProbabilityCategorical
from probly.representation.distribution.dirichlet import DirichletDistribution
from probly.representation.distribution.gaussian import GaussianDistribution
from probly.representation.distribution.mixture import MixtureDistribution
from probly.representation.distribution.sparse import SparseLogCategorical
from probly.representation.sample.base import Sample

__all__ = ["KINDS", "class_name", "define_classes"]

#: Kind to family.
KINDS: dict[str, type[Any]] = {
    "probability_categorical": ProbabilityCategorical,
    "logit_categorical": LogitCategorical,
    "probability_bernoulli": ProbabilityBernoulli,
    "logit_bernoulli": LogitBernoulli,
    "sparse_log_categorical": SparseLogCategorical,
    "dirichlet": DirichletDistribution,
    "gaussian": GaussianDistribution,
    "mixture": MixtureDistribution,
    "sample": Sample,
    "onehot_set": OneHotConformalSet,
    "interval_set": IntervalConformalSet,
    "convex_credal": ConvexCredalSet,
    "discrete_credal": DiscreteCredalSet,
    "singleton_credal": SingletonCredalSet,
    "distance_credal": DistanceBasedCredalSet,
    "intervals_credal": ProbabilityIntervalsCredalSet,
    "level_set_credal": DirichletLevelSetCredalSet,
}

#: Families whose public class name is longer than the family's.
_LONG = {
    "probability_categorical": "ProbabilityCategoricalDistribution",
    "logit_categorical": "LogitCategoricalDistribution",
    "probability_bernoulli": "ProbabilityBernoulliDistribution",
    "logit_bernoulli": "LogitBernoulliDistribution",
    "sparse_log_categorical": "SparseLogCategoricalDistribution",
}


def class_name(prefix: str, kind: str) -> str:
    """Name of a backend's class of one kind.

    Examples
    --------
    >>> class_name("Jax", "probability_categorical"), class_name("Torch", "gaussian")
    ('JaxProbabilityCategoricalDistribution', 'TorchGaussianDistribution')
    """
    return prefix + _LONG.get(kind, KINDS[kind].__name__)


def define_classes(base: type[ProtectedAxes], prefix: str, module: str) -> dict[str, type[Any]]:
    """Make a backend's class of every kind; pickle finds them if ``module`` binds them by their names.

    Parameters
    ----------
    base : type
        The backend's protected-axis base class.
    prefix : str
        Such as ``"Toy"``.
    module : str
        ``__name__`` of the module that will hold the classes.
    """
    return {kind: _define(class_name(prefix, kind), family, base, module) for kind, family in KINDS.items()}


def _define(name: str, family: type[Any], base: type[ProtectedAxes], module: str) -> type[Any]:
    namespace = {"__module__": module, "__doc__": family.__doc__}
    return dataclasses.dataclass(frozen=True, eq=False)(type(name, (family, base), namespace))
