"""Entry point of the JAX backend; imports no JAX."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from probly.array_ops import ArrayOps
from probly.hooks import Backend, Library, claim_instances, hookimpl

__all__ = ["probly_backends"]


@hookimpl
def probly_backends() -> Iterable[Backend]:
    """Give the JAX backend."""
    return [Backend("jax", "probly-jax", claim_instances("jax", "Array"), load, ops, convert)]


def ops() -> ArrayOps:
    """Array vocabulary."""
    from probly_jax.ops import JAX

    return JAX


def load() -> Library:
    """Representation classes and functions."""
    from probly_jax.library import LIBRARY

    return LIBRARY


def convert(value: object, like: Any) -> Any:
    """A number, nested list or foreign array as a JAX array."""
    from probly_jax.conversion import to_jax

    return to_jax(value)
