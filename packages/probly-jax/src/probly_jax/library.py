"""What the JAX backend has once it is loaded."""

from __future__ import annotations

from typing import Any

import jax
from jax.experimental import checkify

from probly.hooks import Library
from probly.numpy_backend.library import classes_of
from probly_jax.functions import TABLE
from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.conformal_set import jax_sets as conformal
from probly_jax.representation.credal_set import jax_sets as credal
from probly_jax.representation.distribution import (
    jax_bernoulli,
    jax_categorical,
    jax_dirichlet,
    jax_gaussian,
    jax_mixture,
    jax_sparse,
)
from probly_jax.representation.sample import jax_sample

__all__ = ["LIBRARY"]

_MODULES = (
    *(jax_categorical, jax_bernoulli, jax_sparse, jax_dirichlet, jax_gaussian, jax_mixture),
    *(jax_sample, conformal, credal),
)

_NAMES = ("mean", "sum", "average", "stack", "concatenate", "reshape", "squeeze", "moveaxis", "swapaxes", "expand_dims")


def checked(pair: tuple[checkify.Error, Any]) -> Any:
    """Result of a checkified call; raises its error."""
    error: Any = pair[0]
    error.throw()
    return pair[1]


def has_error(pair: tuple[checkify.Error, Any]) -> bool:
    """Whether a checkified call found an error."""
    return pair[0].get() is not None


LIBRARY = Library(
    base=JaxAxisProtected,
    classes=classes_of(_MODULES),
    functions={**{name: TABLE.natives[name] for name in _NAMES}, "size": lambda x: x.size},
    extras={
        "jit": jax.jit,
        "vmap": jax.vmap,
        "grad": jax.grad,
        "checkify": checkify.checkify,
        "checked": checked,
        "has_error": has_error,
    },
)
