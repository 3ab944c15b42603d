"""Type and shape checks of constructors; plain Python, active while tracing too."""

from __future__ import annotations

from typing import Any

from probly.errors import LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.layout import shape_of

__all__ = ["require_array", "require_floating", "require_nested", "require_rank", "require_same_shape"]


def require_array(owner: ProtectedAxes, name: str, kinds: tuple[str, ...] = ("integer", "floating")) -> Any:
    """Return a field that must be an array of the owner's backend, of one of some kinds of dtype.

    Raises
    ------
    TypeError
        Naming the field and what it is instead.
    """
    value = getattr(owner, name)
    where = f"{type(owner).__name__}.{name}"
    if not owner._ops.is_array(value):
        raise TypeError(f"{where} is {type(value).__name__}, not an array of backend {owner._ops.name!r}")
    if owner._ops.kind(value) not in kinds:
        raise TypeError(f"{where} has dtype {value.dtype}, not {' or '.join(kinds)}")
    return value


def require_floating(owner: ProtectedAxes, name: str) -> Any:
    """Return a real field, stored as floating: integers are promoted in place of the given array."""
    value = owner._ops.to_floating(require_array(owner, name))
    object.__setattr__(owner, name, value)
    return value


def require_nested(owner: ProtectedAxes, name: str, family: type[Any]) -> Any:
    """Return a field that must be a representation of a family, over the same backend."""
    value = getattr(owner, name)
    if not isinstance(value, family) or value._ops is not owner._ops:
        raise TypeError(
            f"{type(owner).__name__}.{name} is {type(value).__name__}, not a {family.__name__} "
            f"of backend {owner._ops.name!r}"
        )
    return value


def require_rank(owner: ProtectedAxes, name: str, least: int, last: int = 1) -> None:
    """Refuse a field with fewer than ``least`` axes, or a last axis shorter than ``last``."""
    shape = shape_of(getattr(owner, name))
    if len(shape) < least or (least and shape[-1] < last):
        raise LayoutError(
            f"{type(owner).__name__}.{name} of shape {shape} needs {least} axes, the last of size {last} or more"
        )


def require_same_shape(owner: ProtectedAxes, first: str, second: str) -> None:
    """Refuse two fields of different shape."""
    left, right = shape_of(getattr(owner, first)), shape_of(getattr(owner, second))
    if left != right:
        raise LayoutError(f"{type(owner).__name__}: {first} of shape {left} and {second} of shape {right} differ")
