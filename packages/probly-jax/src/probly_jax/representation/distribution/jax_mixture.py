"""Mixtures over JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass

import jax

from probly.representation.distribution.base import Distribution
from probly.representation.distribution.mixture import MixtureDistribution
from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.distribution.sampling import JaxSampling

__all__ = ["JaxMixtureDistribution"]


@dataclass(frozen=True, eq=False)
class JaxMixtureDistribution(JaxSampling, MixtureDistribution, JaxAxisProtected[jax.Array]):
    """Finite mixtures over JAX arrays; see the family for parameters, laws and errors."""

    components: Distribution
    mixture_weights: jax.Array
