"""Representations for the tests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import numpy as np

from probly_jax.functions import OPERATORS
from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.jax_functions import jax_add, jax_average, jax_mean, jax_sum

__all__ = ["Adds", "Denied", "Pair", "Sidecar", "Vectors"]

_ALL = {*OPERATORS.values(), jax_mean, jax_sum, jax_average}


@dataclass(frozen=True, eq=False)
class Vectors(JaxAxisProtected[jax.Array]):
    array: jax.Array
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_functions: ClassVar[set[Callable[..., Any]]] = _ALL


@dataclass(frozen=True, eq=False)
class Adds(JaxAxisProtected[jax.Array]):
    array: jax.Array
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_functions: ClassVar[set[Callable[..., Any]]] = {jax_add}


@dataclass(frozen=True, eq=False)
class Denied(JaxAxisProtected[jax.Array]):
    array: jax.Array
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}


@dataclass(frozen=True, eq=False)
class Pair(JaxAxisProtected[jax.Array]):
    first: jax.Array
    second: jax.Array
    protected_axes: ClassVar[dict[str, int]] = {"first": 1, "second": 2}
    permitted_functions: ClassVar[set[Callable[..., Any]]] = _ALL


@dataclass(frozen=True, eq=False)
class Sidecar(JaxAxisProtected[jax.Array]):
    array: jax.Array
    text: np.ndarray
    tag: str = "plain"
    protected_axes: ClassVar[dict[str, int]] = {"array": 1, "text": 0}
    permitted_functions: ClassVar[set[Callable[..., Any]]] = _ALL
