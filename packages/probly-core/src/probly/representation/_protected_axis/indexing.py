"""Indexing and assignment over batch axes (P-6, P-7)."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from probly.errors import LayoutError
from probly.representation._protected_axis.layout import shape_of
from probly.representation._protected_axis.marker import Representation

__all__ = ["complete", "consumed", "get", "incoming", "put"]

_FULL = slice(None)


def get(owner: Any, key: Any) -> Any:
    """Give ``x[key]``, protected axes taken whole.

    Raises
    ------
    IndexError
        If the key needs more axes than the batch has.
    """
    values = owner.protected_values()
    parts = complete(owner, key)
    results = {}
    for name, count in owner._axes:
        value = values[name]
        results[name] = _pick(owner, value, _on_field(parts, count))
        before, after = shape_of(value), shape_of(results[name])
        if len(after) < count or after[len(after) - count :] != before[len(before) - count :]:
            raise IndexError(f"the index changes the protected shape of {type(owner).__name__}.{name}")
    return owner._rebuild(results, get, ("index", parts))


def put(owner: Any, key: Any, value: Any) -> None:
    """Assign in place: an object of the same class, a tuple of fields, or an array for a single field.

    The new elements pass the constructor's checks before anything is written.

    Raises
    ------
    TypeError
        If the value is of another kind, or the arrays are immutable.
    LayoutError
        If a field of the value has another protected shape.
    """
    parts = complete(owner, key)
    values = incoming(owner, value)
    if type(value) is not type(owner):
        values = owner.with_protected_values(values).protected_values()
    for name, count in owner._axes:
        field, key = getattr(owner, name), _on_field(parts, count)
        if isinstance(field, Representation):
            put(field, key, values[name])
        else:
            _ops(owner, field).assign(field, key, values[name])


def consumed(owner: Any, part: Any) -> int:
    """Number of batch axes that one part of a key uses up.

    Raises
    ------
    IndexError
        If it is no index.
    """
    if part is None or part is Ellipsis:
        return 0
    if type(part) is int or type(part) is slice:
        return 1
    if owner._ops.is_array(part) or isinstance(part, np.ndarray):
        kind = owner._ops.kind(part) if owner._ops.is_array(part) else _KINDS.get(part.dtype.kind)
        if kind not in ("bool", "integer"):
            raise IndexError(f"an index array holds integers or booleans, not {part.dtype}")
        return len(part.shape) if kind == "bool" else 1
    if isinstance(part, bool | np.bool_):
        raise IndexError("a single boolean is no index")
    try:
        operator.index(part)
    except TypeError:
        raise IndexError(f"{part!r} is no index: use integers, slices, None, ... or arrays of them") from None
    return 1


_KINDS = {"b": "bool", "i": "integer", "u": "integer"}


def complete(owner: Any, key: Any) -> tuple[Any, ...]:
    """Parts of a key, with the Ellipsis written out so that they use up exactly the batch axes.

    One that stands for no axis is kept: NumPy and JAX take it to separate index arrays.
    """
    parts: list[Any] = []
    dots: list[int] = []
    needed = 0
    for part in key if type(key) is tuple else (key,):
        if part is Ellipsis:
            dots.append(len(parts))
        elif isinstance(part, list):
            part = np.asarray(part)
        needed += consumed(owner, part)
        parts.append(part)
    if len(dots) > 1:
        raise IndexError("an index has at most one Ellipsis")
    rank = owner.ndim
    if needed > rank:
        raise IndexError(
            f"too many indices: {needed} for the {rank} batch axes of {type(owner).__name__}; "
            "protected axes cannot be indexed"
        )
    if needed == rank:
        return tuple(parts)
    where = dots[0] if dots else len(parts)
    return (*parts[:where], *(_FULL,) * (rank - needed), *parts[where + 1 :])


def _ops(owner: Any, field: Any) -> Any:
    if isinstance(field, np.ndarray) and owner._ops.name != "numpy":
        from probly.numpy_backend.ops import NUMPY

        return NUMPY
    return owner._ops


def _on_field(parts: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """Key for a field: protected axes are whole by themselves unless an Ellipsis would reach for them."""
    for part in parts:
        if part is Ellipsis:
            return (*parts, *(_FULL,) * count)
    return parts


def _pick(owner: Any, field: Any, parts: tuple[Any, ...]) -> Any:
    return get(field, parts) if isinstance(field, Representation) else _ops(owner, field).index(field, parts)


def incoming(owner: Any, value: Any) -> dict[str, Any]:
    """Fields of an assigned value, cast to the stored dtypes."""
    axes = owner.protected_axes
    if type(value) is type(owner):
        values = value.protected_values()
    elif isinstance(value, Representation):
        raise TypeError(f"cannot assign {type(value).__name__} into {type(owner).__name__}")
    elif isinstance(value, tuple):
        if len(value) != len(axes):
            raise TypeError(f"{type(owner).__name__} has {len(axes)} fields, the tuple has {len(value)}")
        values = dict(zip(axes, value, strict=True))
    else:
        values = {owner._single_field(): value}
    return {name: _cast(owner, name, values[name], count) for name, count in axes.items()}


def _cast(owner: Any, name: str, value: Any, count: int) -> Any:
    field = getattr(owner, name)
    if not isinstance(field, Representation):
        ops = _ops(owner, field)
        value = ops.astype(value if ops.is_array(value) else ops.asarray(value), field.dtype)
    new, old = shape_of(value), shape_of(field)
    if len(new) < count or new[len(new) - count :] != old[len(old) - count :]:
        raise LayoutError(
            f"{type(owner).__name__}.{name}: a value of shape {new} does not end in the protected shape "
            f"{old[len(old) - count :]}"
        )
    return value
