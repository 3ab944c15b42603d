"""Representations as pytrees whose unflattening runs no constructor (J-8, J-9).

JAX unflattens with tracers, shape structures and arbitrary sentinels; a constructor would refuse them.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable
from typing import Any, TypeVar

import jax
import numpy as np
from jax.tree_util import GetAttrKey, register_pytree_with_keys

from probly.representation._protected_axis.base import ProtectedAxes
from probly_jax.ops import JAX

__all__ = ["register"]

T = TypeVar("T")

#: Names of the children, and the other fields as (name, value).
Aux = tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]

#: Where an unflattened object notes which fields are children, whatever a caller has put into them.
_NOTE = "_pytree_children"


class _ByIdentity:
    """Hashable stand-in for an array that JAX cannot hold."""

    __slots__ = ("value",)

    def __init__(self, value: np.ndarray) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def register(cls: type[Any]) -> None:
    """Make a class a pytree node: fields with arrays, representations or None are children, the rest is static.

    Text and objects in NumPy arrays are static too, and equal if they are the same array.
    """

    def unflatten(aux: Aux, children: Iterable[Any]) -> Any:
        return _unflatten(cls, aux, children)

    register_pytree_with_keys(cls, _flatten_with_keys, unflatten, _flatten)


def _flatten(value: Any) -> tuple[tuple[Any, ...], Aux]:
    names = [field.name for field in dataclasses.fields(value)]
    noted = getattr(value, _NOTE, None)
    children = tuple(name for name in names if _is_child(value, name)) if noted is None else noted
    static = tuple((name, _hold(getattr(value, name))) for name in names if name not in children)
    return tuple(getattr(value, name) for name in children), (children, static)


def _flatten_with_keys(value: Any) -> tuple[tuple[tuple[Any, Any], ...], Aux]:
    children, aux = _flatten(value)
    return tuple((GetAttrKey(name), child) for name, child in zip(aux[0], children, strict=True)), aux


def _unflatten(cls: type[T], aux: Aux, children: Iterable[Any]) -> T:
    made = object.__new__(cls)
    names, static = aux
    for name, child in zip(names, children, strict=True):
        object.__setattr__(made, name, child)
    for name, held in static:
        object.__setattr__(made, name, held.value if isinstance(held, _ByIdentity) else held)
    with contextlib.suppress(AttributeError):  # a class with slots
        object.__setattr__(made, _NOTE, names)
    return made


def _is_child(owner: Any, name: str) -> bool:
    value = getattr(owner, name)
    if isinstance(value, np.ndarray) and JAX.kind(value) == "other":
        return False
    return name in owner.protected_axes or value is None or isinstance(value, jax.Array | np.ndarray | ProtectedAxes)


def _hold(value: Any) -> Any:
    return _ByIdentity(value) if isinstance(value, np.ndarray) else value
