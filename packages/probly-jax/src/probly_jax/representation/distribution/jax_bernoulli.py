"""Bernoulli distributions over JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass

import jax

from probly.representation.distribution.bernoulli import LogitBernoulli, ProbabilityBernoulli
from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.distribution.sampling import JaxSampling

__all__ = ["JaxLogitBernoulliDistribution", "JaxProbabilityBernoulliDistribution"]


@dataclass(frozen=True, eq=False)
class JaxProbabilityBernoulliDistribution(JaxSampling, ProbabilityBernoulli, JaxAxisProtected[jax.Array]):
    """Bernoulli distributions by probabilities over JAX arrays; see the family for parameters, laws and errors."""

    array: jax.Array


@dataclass(frozen=True, eq=False)
class JaxLogitBernoulliDistribution(JaxSampling, LogitBernoulli, JaxAxisProtected[jax.Array]):
    """Bernoulli distributions by log-odds over JAX arrays; see the family for parameters, laws and errors."""

    array: jax.Array
