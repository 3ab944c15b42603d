"""A stranger's backend: a thin array class over NumPy, made with probly-core alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from probly.array_ops import BINARY, UNARY, ArrayOps
from probly.hooks import Backend, Library, hookimpl
from probly.numpy_backend.ops import NUMPY
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.operations import function_table
from probly.representation._protected_axis.operators import OperatorsMixin
from probly.representation._protected_axis.spelling import FunctionTable, Spelling, elementwise_spellings
from probly.representation.kinds import define_classes

T = TypeVar("T")

LOADS: list[str] = []


class ToyArray(OperatorsMixin):
    """An array without ``__array__`` or any of NumPy's protocols."""

    __array_ufunc__ = None

    def __init__(self, data: Any) -> None:
        self.data = np.asarray(data)

    shape = property(lambda self: self.data.shape)
    dtype = property(lambda self: self.data.dtype)

    def _operate(self, name: str, operands: tuple[Any, ...]) -> Any:
        if any(isinstance(x, ProtectedAxes) for x in operands):
            return NotImplemented
        return getattr(TOY, name)(*operands)

    def __getitem__(self, key: Any) -> ToyArray:
        return ToyArray(self.data[_plain(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[_plain(key)] = _plain(value)

    def __len__(self) -> int:
        return len(self.data)

    def __bool__(self) -> bool:
        return bool(self.data)

    def __float__(self) -> float:
        return float(self.data)

    def __int__(self) -> int:
        return int(self.data)

    def min(self) -> ToyArray:
        return ToyArray(self.data.min())

    def max(self) -> ToyArray:
        return ToyArray(self.data.max())


def _plain(value: Any) -> Any:
    if isinstance(value, ToyArray):
        return value.data
    return type(value)(map(_plain, value)) if isinstance(value, tuple | list) else value


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        result = function(*map(_plain, args), **{key: _plain(value) for key, value in kwargs.items()})
        if isinstance(result, tuple) and all(isinstance(part, np.ndarray | np.generic) for part in result):
            return tuple(map(ToyArray, result))
        return ToyArray(result) if isinstance(result, np.ndarray | np.generic) else result

    return call


_WRAPPED = {
    field.name: _wrapped(getattr(NUMPY, field.name))
    for field in dataclasses.fields(ArrayOps)
    if field.name not in ("name", "is_array", "to_numpy", "assign")
}

TOY = ArrayOps(
    name="toy",
    is_array=lambda value: isinstance(value, ToyArray),
    to_numpy=lambda a: a.data,
    assign=ToyArray.__setitem__,
    **_WRAPPED,
)


def toy_function(name: str) -> Callable[..., Any]:
    """A public function with its own protocol: asks representations among its arguments."""

    def function(*args: Any, **kwargs: Any) -> Any:
        flat = [x for arg in args for x in (arg if isinstance(arg, tuple | list) else (arg,))]
        owner = next((x for x in flat if isinstance(x, ProtectedAxes)), None)
        if owner is None:
            return getattr(TOY, name)(*args, **kwargs)
        result = owner._functions.call(function, args, kwargs)
        if result is NotImplemented:
            raise TypeError(f"no implementation found for toy_{name}")
        return result

    return function


PARAMETERS = {
    "mean": ("a", "axis"),
    "sum": ("a", "axis"),
    "average": ("a", "axis", "weights"),
    "var": ("a", "axis"),
    "stack": ("arrays", "axis"),
    "concatenate": ("arrays", "axis"),
    "reshape": ("a", "shape"),
    "squeeze": ("a", "axis"),
    "moveaxis": ("a", "source", "destination"),
    "swapaxes": ("a", "axis1", "axis2"),
    "expand_dims": ("a", "axis"),
    "transpose": ("a", "axes"),
    "take_along_axis": ("arr", "indices", "axis"),
    "size": ("a",),
}

FUNCTIONS = {name: toy_function(name) for name in PARAMETERS}

TABLE = function_table(
    {
        **{FUNCTIONS[name]: Spelling(name, parameters) for name, parameters in PARAMETERS.items()},
        **elementwise_spellings({name: toy_function(name) for name in (*BINARY, *UNARY)}),
    }
)


class ToyAxisProtected(ProtectedAxes, Generic[T]):
    """A representation whose fields are toy arrays."""

    _ops: ClassVar[ArrayOps] = TOY
    _functions: ClassVar[FunctionTable] = TABLE


CLASSES = define_classes(ToyAxisProtected, "Toy", __name__)
globals().update({cls.__name__: cls for cls in CLASSES.values()})


def load() -> Library:
    LOADS.append("toy")
    return Library(ToyAxisProtected, CLASSES, FUNCTIONS)


def convert(value: Any, like: Any) -> ToyArray:
    from probly.dispatch import convert as to_backend

    return value if isinstance(value, ToyArray) else ToyArray(to_backend(value, NUMPY))


class Plugin:
    @hookimpl
    def probly_backends(self) -> list[Backend]:
        return [Backend("toy", "probly-toy", lambda value: isinstance(value, ToyArray), load, lambda: TOY, convert)]
