"""``x.at[index]``: out-of-place changes of batch elements (P-7b)."""

from __future__ import annotations

from typing import Any

import numpy as np

from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import has_sidecar
from probly.representation._protected_axis.indexing import complete, incoming

__all__ = ["AtIndexer"]


class AtIndexer:
    """``x.at``; an index gives the methods of :class:`AtElements`."""

    __slots__ = ("_owner",)

    def __init__(self, owner: ProtectedAxes) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> AtElements:
        return AtElements(self._owner, key)


class AtElements:
    """Selected batch elements; each method gives a new, validated object.

    An operand is a number or array, which applies to every field by field-level broadcasting, or an object of the
    same class. ``set`` takes a tuple with a value per field as well, and for several fields no single array.
    """

    __slots__ = ("_key", "_owner", "_parts")

    def __init__(self, owner: ProtectedAxes, key: Any) -> None:
        self._owner, self._key, self._parts = owner, key, complete(owner, key)

    def get(self) -> Any:
        """Return the elements."""
        return self._owner[self._key]

    def set(self, value: Any) -> Any:
        """Replace the elements.

        Raises
        ------
        TypeError
            For an object of another class, or another number of fields.
        LayoutError
            If a field of the value does not end in the protected shape.
        """
        return self._changed(incoming(self._owner, value), "set")

    def add(self, value: Any) -> Any:
        """Add to the elements."""
        return self._arithmetic(value, "add")

    def subtract(self, value: Any) -> Any:
        """Subtract from the elements."""
        return self._arithmetic(value, "subtract")

    def multiply(self, value: Any) -> Any:
        """Multiply the elements."""
        return self._arithmetic(value, "multiply")

    def divide(self, value: Any) -> Any:
        """Divide the elements."""
        return self._arithmetic(value, "divide")

    def power(self, value: Any) -> Any:
        """Raise the elements to a power."""
        return self._arithmetic(value, "power")

    def min(self, value: Any) -> Any:
        """Smaller of each element and the value."""
        return self._arithmetic(value, "min")

    def max(self, value: Any) -> Any:
        """Larger of each element and the value."""
        return self._arithmetic(value, "max")

    def _arithmetic(self, value: Any, method: str) -> Any:
        owner = self._owner
        if has_sidecar(owner):
            raise TypeError(f"{type(owner).__name__} has NumPy fields: .at permits set alone, not {method}")
        if isinstance(value, ProtectedAxes):
            return self._changed(incoming(owner, value), method)
        return self._changed(dict.fromkeys(owner.protected_axes, value), method)

    def _changed(self, values: dict[str, Any], method: str) -> Any:
        owner = self._owner
        results = {}
        for name, count in owner.protected_axes.items():
            key = (*self._parts, *(slice(None),) * count)
            results[name] = _apply(getattr(owner, name), key, values[name], method)
        return owner.with_protected_values(results)


def _apply(field: Any, key: tuple[Any, ...], value: Any, method: str) -> Any:
    if isinstance(field, np.ndarray):
        changed = field.copy()
        changed[key] = value
        return changed
    return getattr(field.at[key], method)(value)
