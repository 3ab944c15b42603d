"""Gaussian distributions over JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass

import jax

from probly.representation.distribution.gaussian import GaussianDistribution
from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.distribution.sampling import JaxSampling

__all__ = ["JaxGaussianDistribution"]


@dataclass(frozen=True, eq=False)
class JaxGaussianDistribution(JaxSampling, GaussianDistribution, JaxAxisProtected[jax.Array]):
    """Gaussian distributions over JAX arrays; see the family for parameters, laws and errors."""

    mean: jax.Array
    var: jax.Array
