"""Dirichlet distributions over JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass

import jax

from probly.representation.distribution.dirichlet import DirichletDistribution
from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.distribution.sampling import JaxSampling

__all__ = ["JaxDirichletDistribution"]


@dataclass(frozen=True, eq=False)
class JaxDirichletDistribution(JaxSampling, DirichletDistribution, JaxAxisProtected[jax.Array]):
    """Dirichlet distributions over JAX arrays; see the family for parameters, laws and errors."""

    alphas: jax.Array
