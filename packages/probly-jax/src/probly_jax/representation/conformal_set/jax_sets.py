"""Conformal sets over JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass

import jax

from probly.representation.conformal_set.sets import IntervalConformalSet, OneHotConformalSet
from probly_jax.representation._protected_axis.jax import JaxAxisProtected

__all__ = ["JaxIntervalConformalSet", "JaxOneHotConformalSet"]


@dataclass(frozen=True, eq=False)
class JaxOneHotConformalSet(OneHotConformalSet, JaxAxisProtected[jax.Array]):
    """Sets of classes over JAX arrays; see the family for parameters, laws and errors."""

    array: jax.Array


@dataclass(frozen=True, eq=False)
class JaxIntervalConformalSet(IntervalConformalSet, JaxAxisProtected[jax.Array]):
    """Intervals over JAX arrays; see the family for parameters, laws and errors."""

    array: jax.Array
