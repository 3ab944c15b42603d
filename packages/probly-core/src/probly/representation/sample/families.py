"""Samples by the family of their members (R-5): ``isinstance(s, CategoricalDistributionSample)``."""

from __future__ import annotations

from typing import Any

from probly.representation.distribution.bernoulli import BernoulliDistribution
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.representation.distribution.dirichlet import DirichletDistribution
from probly.representation.distribution.gaussian import GaussianDistribution
from probly.representation.sample.base import ListSample, Sample

__all__ = [
    "BernoulliDistributionSample",
    "CategoricalDistributionSample",
    "DirichletDistributionSample",
    "GaussianDistributionSample",
]


class _ByMembers(type):
    """A virtual class whose instances are samples with members of ``family``."""

    family: type[Any]

    def __instancecheck__(cls, instance: object) -> bool:
        if isinstance(instance, ListSample):
            return all(isinstance(member, cls.family) for member in instance.samples)
        return isinstance(instance, Sample) and isinstance(instance.array, cls.family)


class CategoricalDistributionSample(metaclass=_ByMembers):
    """A sample of categorical distributions."""

    family = CategoricalDistribution


class BernoulliDistributionSample(metaclass=_ByMembers):
    """A sample of Bernoulli distributions."""

    family = BernoulliDistribution


class DirichletDistributionSample(metaclass=_ByMembers):
    """A sample of Dirichlet distributions."""

    family = DirichletDistribution


class GaussianDistributionSample(metaclass=_ByMembers):
    """A sample of Gaussian distributions."""

    family = GaussianDistribution
