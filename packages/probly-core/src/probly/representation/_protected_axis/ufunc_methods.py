"""Methods ``reduce``, ``accumulate`` and ``reduceat`` of NumPy's ufuncs on representations (N-2)."""

from __future__ import annotations

from typing import Any

from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import check_protected, tails_of
from probly.representation._protected_axis.layout import normalize_axes

__all__ = ["run_method"]


def run_method(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a method over batch axes of every field; ``NotImplemented`` if it is not permitted.

    Axis 0 is the default, as in NumPy. Protected shapes are kept.
    """
    owner, *rest = inputs
    values = owner.protected_values(ufunc, method) if isinstance(owner, ProtectedAxes) else None
    if values is None or any(isinstance(value, ProtectedAxes) for value in rest):
        return NotImplemented
    axes = normalize_axes(kwargs.pop("axis", 0), owner.ndim)
    axis = axes if method == "reduce" else axes[0]
    results = {name: getattr(ufunc, method)(value, *rest, axis=axis, **kwargs) for name, value in values.items()}
    check_protected(owner, results, tails_of(owner, values))
    reduced = ("reduce", (axes, bool(kwargs.get("keepdims", False))))
    return owner._rebuild(results, ufunc, reduced if method == "reduce" else ("resize", axis))
