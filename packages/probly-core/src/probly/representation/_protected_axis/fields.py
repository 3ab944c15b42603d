"""Running one primitive on one field: an array, a NumPy sidecar, or a nested representation (P-5, P-5b)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from probly.errors import LayoutError
from probly.numpy_backend.ops import NUMPY
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.layout import shape_of
from probly.representation._protected_axis.spelling import Step

__all__ = ["Tails", "check_field", "check_protected", "fieldwise", "has_sidecar", "is_sidecar", "on_field", "tails_of"]

Call = Callable[..., Any]

#: Protected shape of each field, in the order of ``protected_axes``.
Tails = list[tuple[int, ...]]


def is_sidecar(owner: ProtectedAxes, value: object) -> bool:
    """Whether a field is a NumPy array in a representation of another library."""
    ops = owner._ops
    return ops is not NUMPY and isinstance(value, np.ndarray) and not ops.is_array(value)


def has_sidecar(owner: ProtectedAxes) -> bool:
    """Whether any field is a NumPy sidecar."""
    ops = owner._ops
    if ops is not NUMPY:
        for name, _ in owner._axes:
            value = getattr(owner, name)
            if isinstance(value, np.ndarray) and not ops.is_array(value):
                return True
    return False


def on_field(owner: ProtectedAxes, func: Call, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
    """Run the operation on a nested representation, the primitive of the same name on an array.

    Raises
    ------
    TypeError
        If the nested representation declines.
    """
    if isinstance(value, ProtectedAxes):
        result = value._functions.operations[name](func, value, *args, **kwargs)
        if result is NotImplemented:
            raise TypeError(f"{type(value).__name__} in {type(owner).__name__} does not permit {name}")
        return result
    ops = owner._ops
    if ops is not NUMPY and is_sidecar(owner, value):
        ops = NUMPY
    return getattr(ops, name)(value, *args, **kwargs)


def tails_of(owner: ProtectedAxes, values: Mapping[str, Any]) -> Tails:
    """Protected shape of each field."""
    tails = []
    for name, count in owner._axes:
        shape = shape_of(values[name])
        tails.append(shape[len(shape) - count :])
    return tails


def fieldwise(owner: ProtectedAxes, func: Call, step: Step, run: Callable[[Any, tuple[int, ...]], Any]) -> Any:
    """Rebuild an object from ``run(field, protected shape)`` of each field; ``NotImplemented`` if it declines.

    Parameters
    ----------
    step : (str, object)
        What happens to the batch axes, for objects that track one.
    """
    values = owner.protected_values(func)
    if values is None:
        return NotImplemented
    results = {}
    batch = None
    for name, count in owner._axes:
        value = values[name]
        shape = shape_of(value)
        tail = shape[len(shape) - count :]
        result = run(value, tail)
        batch = check_field(owner, name, result, tail, batch)
        results[name] = result
    return owner._rebuild(results, func, step)


def check_protected(owner: ProtectedAxes, values: Mapping[str, Any], tails: Tails) -> tuple[int, ...]:
    """Batch shape of results; refuse a lost field, a changed protected shape, different batch shapes (P-10, O-6).

    Raises
    ------
    LayoutError
        Naming the field and both shapes.
    """
    batch = None
    for (name, _), tail in zip(owner._axes, tails, strict=True):
        if name not in values:
            raise LayoutError(f"{type(owner).__name__}: the result lacks {name}")
        batch = check_field(owner, name, values[name], tail, batch)
    return batch or ()


def check_field(
    owner: ProtectedAxes, name: str, value: Any, tail: tuple[int, ...], batch: tuple[int, ...] | None
) -> tuple[int, ...]:
    """Batch shape of one field of a result; errors as for :func:`check_protected`."""
    shape = shape_of(value)
    rank = len(shape) - len(tail)
    if rank < 0 or shape[rank:] != tail:
        raise LayoutError(
            f"{type(owner).__name__}.{name}: the operation modified protected trailing axes, "
            f"{tail} became {shape[max(rank, 0) :]}"
        )
    own = shape[:rank]
    if batch is not None and own != batch:
        raise LayoutError(f"{type(owner).__name__}: inconsistent batch-shapes, {batch} and {own}")
    return own
