"""Reductions over batch axes; each needs permission (P-10, P-11)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from probly.errors import LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import fieldwise, has_sidecar, on_field
from probly.representation._protected_axis.layout import broadcast_shapes, normalize_axes, shape_of
from probly.representation._protected_axis.spelling import Operation

__all__ = ["REDUCTIONS", "weighted_average"]

Call = Callable[..., Any]

_NAMES = ("mean", "sum", "std", "var", "min", "max", "prod", "any", "all")


def reduce(name: str, func: Call, a: Any, axis: Any = None, keepdims: bool = False, **options: Any) -> Any:
    """Reduce every field over batch axes; ``where`` masks of the batch shape are expanded to the field.

    Options that are not None are passed to the library's own function.
    """
    if not isinstance(a, ProtectedAxes) or has_sidecar(a) or not a.permits(func):
        return NotImplemented
    axes, keep = normalize_axes(axis, a.ndim), keepdims is not False and bool(keepdims)
    given = {key: value for key, value in options.items() if value is not None} if options else options
    if "out" in given:
        raise TypeError(f"{name} of a representation takes no out")

    def run(field: Any, tail: tuple[int, ...]) -> Any:
        if given:
            return on_field(a, func, name, field, axis=axes, keepdims=keep, **_masked(a, given, tail))
        return on_field(a, func, name, field, axis=axes, keepdims=keep)

    return fieldwise(a, func, ("reduce", (axes, keep)), run)


def average(
    func: Call, a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: Any = False, **out: Any
) -> Any:
    """Weighted mean over batch axes; weights are 1-d, of the batch shape, or of the field's shape.

    Raises
    ------
    TypeError
        For ``returned=True``.
    ZeroDivisionError
        If weights that can be read sum to zero.
    """
    if not isinstance(a, ProtectedAxes) or has_sidecar(a) or not a.permits(func):
        return NotImplemented
    if returned or out.get("out") is not None:
        raise TypeError("average of a representation gives neither returned weights nor out")
    axes = normalize_axes(axis, a.ndim)
    keep = keepdims is True

    def run(field: Any, tail: tuple[int, ...]) -> Any:
        if isinstance(field, ProtectedAxes):
            return on_field(a, func, "average", field, axes, weights, keepdims=keep)
        if weights is None:
            return a._ops.mean(field, axis=axes, keepdims=keep)
        return weighted_average(a._ops, field, _weights(a, weights, axes, tail), axes, keep)

    return fieldwise(a, func, ("reduce", (axes, keep)), run)


def weighted_average(ops: Any, array: Any, weights: Any, axes: Any, keepdims: bool = False) -> Any:
    """Sum of ``weights * array`` over the sum of ``weights``, over axes; weights broadcast to the array.

    Raises
    ------
    ZeroDivisionError
        If weights that can be read sum to zero; traced, the result is NaN or infinite.
    """
    array, weights = ops.to_floating(array), ops.to_floating(weights)
    total = ops.sum(ops.broadcast_to(weights, shape_of(array)), axis=axes, keepdims=keepdims)
    if ops.is_concrete(total) and bool(ops.any(ops.equal(total, 0))):
        raise ZeroDivisionError("weights sum to zero, an average is not defined")
    return ops.true_divide(ops.sum(ops.multiply(array, weights), axis=axes, keepdims=keepdims), total)


def _weights(a: Any, weights: Any, axes: tuple[int, ...], tail: tuple[int, ...]) -> Any:
    """Weights with the field's rank (P-11): 1-d along one axis, of the batch shape, or of the field's shape."""
    weights = weights if a._ops.is_array(weights) else a._ops.asarray(weights)
    shape, batch = shape_of(weights), a.shape
    if shape == (*batch, *tail) and not (len(axes) == 1 and len(shape) == 1 and batch):
        return weights
    if len(shape) == 1 and len(axes) == 1 and shape[0] == batch[axes[0]]:
        wide = [1] * (len(batch) + len(tail))
        wide[axes[0]] = shape[0]
        return a._ops.reshape(weights, tuple(wide))
    if shape == batch:
        return a._ops.reshape(weights, (*shape, *(1 for _ in tail)))
    raise LayoutError(f"weights of shape {shape} fit neither the reduced axes {axes} nor the batch shape {batch}")


def _masked(a: Any, options: dict[str, Any], tail: tuple[int, ...]) -> dict[str, Any]:
    """Options with ``where`` expanded by singleton protected axes."""
    mask = options.get("where")
    if mask is None or mask is True:
        return options
    mask = mask if a._ops.is_array(mask) else a._ops.asarray(mask)
    if broadcast_shapes([shape_of(mask), a.shape], "mask and batch shapes") != a.shape:
        raise LayoutError(f"a mask of shape {shape_of(mask)} does not broadcast to the batch shape {a.shape}")
    return {**options, "where": a._ops.reshape(mask, (*shape_of(mask), *(1 for _ in tail)))}


#: Reductions by canonical name.
REDUCTIONS: dict[str, Operation] = {**{name: partial(reduce, name) for name in _NAMES}, "average": average}
