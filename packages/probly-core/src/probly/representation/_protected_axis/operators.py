"""Python's operators, each keyed by its canonical name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probly.errors import NotPermittedError

__all__ = ["OperatorsMixin"]

Method = Callable[..., Any]


def _binary(name: str) -> tuple[Method, Method]:
    """Forward and reflected method; operands are passed in the order of the expression."""

    def forward(self: Any, other: Any) -> Any:
        return self._operate(name, (self, other))

    def reflected(self: Any, other: Any) -> Any:
        return self._operate(name, (other, self))

    return forward, reflected


def _compare(name: str) -> Method:
    return _binary(name)[0]


def _unary(name: str) -> Method:
    """A unary method: there is no other operand to ask, so declining is an error."""

    def method(self: Any) -> Any:
        result = self._operate(name, (self,))
        if result is NotImplemented:
            raise NotPermittedError(f"{type(self).__name__} does not permit {name}")
        return result

    return method


class OperatorsMixin:
    """All Python operators over one method.

    A class supplies ``_operate(name, operands)``, which returns the result or ``NotImplemented``; Python then asks the
    other operand and raises TypeError if it declines too. Augmented assignment rebinds an out-of-place result.
    Three-argument ``pow`` is unsupported. ``==`` gives a mask, so hashing is by identity.
    """

    __slots__ = ()

    def _operate(self, name: str, operands: tuple[Any, ...]) -> Any:
        raise NotImplementedError(f"{type(self).__name__} defines no _operate({name!r}, operands)")

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("subtract")
    __mul__, __rmul__ = _binary("multiply")
    __truediv__, __rtruediv__ = _binary("true_divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide")
    __mod__, __rmod__ = _binary("remainder")
    __divmod__, __rdivmod__ = _binary("divmod")
    __matmul__, __rmatmul__ = _binary("matmul")
    __and__, __rand__ = _binary("bitwise_and")
    __or__, __ror__ = _binary("bitwise_or")
    __xor__, __rxor__ = _binary("bitwise_xor")
    __lshift__, __rlshift__ = _binary("left_shift")
    __rshift__, __rrshift__ = _binary("right_shift")

    def __pow__(self, other: Any, modulo: Any = None) -> Any:
        return NotImplemented if modulo is not None else self._operate("power", (self, other))

    def __rpow__(self, other: Any, modulo: Any = None) -> Any:
        return NotImplemented if modulo is not None else self._operate("power", (other, self))

    def __eq__(self, other: object) -> Any:
        return self._operate("equal", (self, other))

    def __ne__(self, other: object) -> Any:
        return self._operate("not_equal", (self, other))

    __lt__ = _compare("less")
    __le__ = _compare("less_equal")
    __gt__ = _compare("greater")
    __ge__ = _compare("greater_equal")
    __pos__ = _unary("positive")
    __neg__ = _unary("negative")
    __abs__ = _unary("absolute")
    __invert__ = _unary("invert")
    __hash__ = object.__hash__
