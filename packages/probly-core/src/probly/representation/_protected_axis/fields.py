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

__all__ = ["check_protected", "fieldwise", "has_sidecar", "is_sidecar", "on_field", "trailing_shapes"]

Call = Callable[..., Any]


def is_sidecar(owner: ProtectedAxes, value: object) -> bool:
    """Whether a field is a NumPy array in a representation of another library."""
    return isinstance(value, np.ndarray) and owner._ops.name != "numpy"


def has_sidecar(owner: ProtectedAxes) -> bool:
    """Whether any field is a NumPy sidecar."""
    return any(is_sidecar(owner, getattr(owner, name)) for name in owner.protected_axes)


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
    ops = NUMPY if is_sidecar(owner, value) else owner._ops
    return getattr(ops, name)(value, *args, **kwargs)


def trailing_shapes(owner: ProtectedAxes, values: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Protected shape of each field."""
    shapes = {name: shape_of(values[name]) for name in owner.protected_axes}
    return {name: shapes[name][len(shapes[name]) - count :] for name, count in owner.protected_axes.items()}


def fieldwise(
    owner: ProtectedAxes, func: Call, step: Step, run: Callable[[Any, tuple[int, ...]], Any]
) -> Any:
    """Rebuild an object from ``run(field, protected shape)`` of each field; ``NotImplemented`` if it declines.

    Parameters
    ----------
    step : (str, object)
        What happens to the batch axes, for objects that track one.
    """
    values = owner.protected_values(func)
    if values is None:
        return NotImplemented
    shapes = trailing_shapes(owner, values)
    results = {name: run(values[name], shapes[name]) for name in values}
    check_protected(owner, results, shapes)
    return owner._rebuild(results, func, step)


def check_protected(owner: ProtectedAxes, values: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse results that lost a field, changed a protected shape or disagree about the batch (P-10, O-6).

    Raises
    ------
    LayoutError
        Naming the field and both shapes.
    """
    missing = [name for name in owner.protected_axes if name not in values]
    if missing:
        raise LayoutError(f"{type(owner).__name__}: the result lacks {', '.join(missing)}")
    for name, count in owner.protected_axes.items():
        shape = shape_of(values[name])
        if len(shape) < count or shape[len(shape) - count :] != shapes[name]:
            raise LayoutError(
                f"{type(owner).__name__}.{name}: the operation modified protected trailing axes, "
                f"{shapes[name]} became {shape[max(len(shape) - count, 0) :]}"
            )
    owner._check_batch(values)


