"""The protected-axis base class over NumPy arrays (N-1 to N-3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from probly.array_ops import ArrayOps
from probly.numpy_backend.functions import TABLE
from probly.numpy_backend.ops import NUMPY
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.spelling import FunctionTable
from probly.representation._protected_axis.ufunc_methods import run_method

__all__ = ["NumpyAxisProtected"]

T = TypeVar("T")

_METHODS = {"__call__", "reduce", "accumulate", "reduceat"}


class NumpyAxisProtected(ProtectedAxes, Generic[T]):
    """A representation whose fields are NumPy arrays.

    NumPy functions answer through ``__array_function__``, ufuncs and operators through ``__array_ufunc__``.

    ``permitted_ufuncs``
        Ufunc to the methods of it that may run: ``{np.add: ["__call__", "reduce"]}``. A canonical name in
        ``permitted_operations`` permits ``__call__``.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> @dataclass(frozen=True, eq=False)
    ... class Vectors(NumpyAxisProtected[np.ndarray]):
    ...     array: np.ndarray
    ...     protected_axes = {"array": 1}
    ...     permitted_ufuncs = {np.add: ["__call__"], np.multiply: ["__call__"]}
    >>> x = Vectors(np.ones((2, 3)))
    >>> y = 2 * x + x
    >>> y.shape, y.protected_shape
    ((2,), (3,))
    """

    permitted_ufuncs: ClassVar[dict[np.ufunc, list[str]]] = {}
    _ops: ClassVar[ArrayOps] = NUMPY
    _functions: ClassVar[FunctionTable] = TABLE

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        given: object = cls.permitted_ufuncs
        valid = isinstance(given, dict) and all(isinstance(ufunc, np.ufunc) for ufunc in given)
        if not valid or not all(_METHODS.issuperset(methods) for methods in cls.permitted_ufuncs.values()):
            raise TypeError(f"{cls.__name__}.permitted_ufuncs is {given!r}, not a dict of ufunc to methods {_METHODS}")

    def permits(self, func: Callable[..., Any], method: str | None = None) -> bool:
        """Whether a NumPy function, or a method of a ufunc, may run."""
        if func in self._permitted and method in (None, "__call__"):
            return True
        return isinstance(func, np.ufunc) and (method or "__call__") in self.permitted_ufuncs.get(func, ())

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return self._functions.call(func, args, kwargs)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if method == "__call__":
            result = self._functions.call(ufunc, inputs, kwargs)
        elif method in _METHODS:
            result = run_method(ufunc, method, inputs, kwargs)
        else:
            return NotImplemented
        return result if out is None or result is NotImplemented else _write(result, out)

    def conj(self) -> Any:
        """Complex conjugate of every field."""
        return self._functions.run("conj", self)

    def astype(self, dtype: Any) -> Any:
        """Fields cast to a dtype."""
        return self._functions.run("astype", self, dtype)


def _write(result: Any, out: tuple[Any, ...]) -> Any:
    """Copy the result, or each of several, into ``out``."""
    results = result if isinstance(result, tuple) else (result,)
    for target, value in zip(out, results, strict=True):
        plain = isinstance(value, ProtectedAxes) and not isinstance(target, ProtectedAxes)
        target[...] = value.protected_values()[value._single_field()] if plain else value
    return out if isinstance(result, tuple) else out[0]
