"""Samples over JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax

from probly.representation.sample.base import Sample
from probly_jax.representation._protected_axis.jax import JaxAxisProtected

__all__ = ["JaxSample"]


@dataclass(frozen=True, eq=False)
class JaxSample(Sample, JaxAxisProtected[jax.Array]):
    """Samples over JAX arrays; see the family for parameters, laws and errors."""

    array: Any
    sample_axis: int = 0
    weights: jax.Array | None = None
