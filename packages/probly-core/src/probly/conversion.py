"""Moving values between backends (P-17)."""

from __future__ import annotations

import dataclasses
from typing import Any

from probly.array_ops import ArrayOps
from probly.dispatch import class_of, convert, ops
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation.kinds import KINDS

__all__ = ["to_backend", "to_jax_like", "to_numpy_like", "to_torch_like"]

#: Method by which an object says how it looks to a backend.
_OWN = {"numpy": "__array_like__", "torch": "__torch_like__", "jax": "__jax_like__"}


def to_backend(value: Any, name: str) -> Any:
    """Return a value over another backend: arrays converted, representations rebuilt as the same kind.

    Everything else of a representation is kept, such as a sample's axis and weights.

    Raises
    ------
    TypeError
        If a representation is of no kind that every backend has, or a value has no array form.

    Examples
    --------
    >>> to_backend([1.0, 2.0], "numpy")
    array([1., 2.])
    """
    own = getattr(value, _OWN.get(name, ""), None)
    if own is not None:
        return own()
    target = ops(name)
    if not isinstance(value, ProtectedAxes):
        return convert(value, target)
    if value._ops is target:
        return value
    kind = next((kind for kind, family in KINDS.items() if isinstance(value, family)), None)
    if kind is None:
        raise TypeError(f"{type(value).__name__} is no kind that backend {name!r} has: {', '.join(KINDS)}")
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}  # type: ignore[arg-type]
    return class_of(target, kind)(**{key: _converted(value, item, target) for key, item in fields.items()})


def _converted(owner: ProtectedAxes, item: Any, target: ArrayOps) -> Any:
    if isinstance(item, ProtectedAxes) or owner._ops.is_array(item):
        return to_backend(item, target.name)
    return item


def to_numpy_like(value: Any) -> Any:
    """Return a value over NumPy; see :func:`to_backend`.

    Examples
    --------
    >>> to_numpy_like(2.0)
    array(2.)
    """
    return to_backend(value, "numpy")


def to_torch_like(value: Any) -> Any:
    """Return a value over Torch; see :func:`to_backend`."""
    return to_backend(value, "torch")


def to_jax_like(value: Any) -> Any:
    """Return a value over JAX; see :func:`to_backend`."""
    return to_backend(value, "jax")
