"""Categorical distributions over JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass

import jax

from probly.representation.distribution.categorical import LogitCategorical, ProbabilityCategorical
from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.distribution.sampling import JaxSampling

__all__ = ["JaxLogitCategoricalDistribution", "JaxProbabilityCategoricalDistribution"]


@dataclass(frozen=True, eq=False)
class JaxProbabilityCategoricalDistribution(JaxSampling, ProbabilityCategorical, JaxAxisProtected[jax.Array]):
    """Categorical distributions by weights over JAX arrays; see the family for parameters, laws and errors."""

    array: jax.Array


@dataclass(frozen=True, eq=False)
class JaxLogitCategoricalDistribution(JaxSampling, LogitCategorical, JaxAxisProtected[jax.Array]):
    """Categorical distributions by logits over JAX arrays; see the family for parameters, laws and errors."""

    array: jax.Array
