"""What a representation class must declare, checked when the class is made (P-2, P-14, P-15)."""

from __future__ import annotations

import inspect
from typing import Any

__all__ = ["complete_equality", "prepare"]


def complete_equality(cls: type[Any]) -> None:
    """Give a class that defines ``__eq__`` the negation as ``__ne__``, and keep hashing by identity."""
    if "__eq__" not in cls.__dict__:
        return
    if "__ne__" not in cls.__dict__:
        cls.__ne__ = _negated  # type: ignore[assignment]
    if cls.__dict__.get("__hash__") is None:
        cls.__hash__ = object.__hash__  # type: ignore[assignment]


def prepare(cls: type[Any]) -> None:
    """Check the declarations of a concrete class and join its two ways of permitting functions.

    Runs twice for ``@dataclass(slots=True)``, which makes the class twice; the result is the same.

    Raises
    ------
    TypeError
        If ``protected_axes`` or ``permitted_functions`` is malformed.
    """
    if "protected_axes" in cls.__dict__:
        _check_axes(cls, cls.protected_axes)
    cls._axes = tuple(cls.protected_axes.items())
    if not cls.protected_axes or not hasattr(cls, "_functions"):
        return  # abstract: a backend's base class, or a family without a backend
    _check_functions(cls)
    table = cls._functions
    named = {table.name_of(func) for func in cls.permitted_functions} | table.structural | cls.permitted_operations
    spelled = {func for func, name in table.names.items() if name in named}
    natives = {table.natives[name] for name in cls.permitted_operations}
    cls.permitted_functions = {*cls.permitted_functions, *natives}
    cls._permitted = frozenset({*cls.permitted_functions, *spelled})


def _negated(self: Any, other: object) -> Any:
    """Elementwise negation of ``==``; a bool where Python fell back to identity."""
    equal = self.__eq__(other)
    if equal is NotImplemented or isinstance(equal, bool):
        return equal if equal is NotImplemented else not equal
    return self._ops.logical_not(equal)


def _check_axes(cls: type[Any], axes: object) -> None:
    where = f"{cls.__name__}.protected_axes"
    if not isinstance(axes, dict) or not axes:
        raise TypeError(f"{where} is {axes!r}, not a non-empty dict of field name to number of axes")
    annotated = {name for base in cls.__mro__ for name in inspect.get_annotations(base)}
    for name, count in axes.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"{where}: {name!r} is no field name")
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise TypeError(f"{where}[{name!r}] is {count!r}, not a number of axes")
        if name not in annotated:
            raise TypeError(f"{where}: {cls.__name__} has no annotated field {name!r}")


def _check_functions(cls: type[Any]) -> None:
    given = cls.permitted_functions
    if not isinstance(given, set | frozenset) or not all(map(callable, given)):
        raise TypeError(f"{cls.__name__}.permitted_functions is {given!r}, not a set of functions")
