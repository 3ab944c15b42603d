"""Sparse log-categorical distributions over JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass

import jax

from probly.representation.distribution.sparse import SparseLogCategorical
from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.distribution.sampling import JaxSampling

__all__ = ["JaxSparseLogCategoricalDistribution"]


@dataclass(frozen=True, eq=False)
class JaxSparseLogCategoricalDistribution(JaxSampling, SparseLogCategorical, JaxAxisProtected[jax.Array]):
    """Categorical distributions by logits of a few classes, over JAX arrays; see the family for laws and errors."""

    group_ids: jax.Array
    entry_logits: jax.Array
