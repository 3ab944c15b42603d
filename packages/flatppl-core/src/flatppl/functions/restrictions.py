"""Scalar restrictions and constructors: never a rounding, never a truncation."""

from __future__ import annotations

from typing import Any

from flatppl.errors import refuse
from flatppl.functions.common import check, got, real, scalar
from flatppl.tensor.ops import convert, equal, is_integral
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor, Text

__all__ = ["FUNCTIONS"]


def _boolean(x: Any) -> Tensor:
    node = scalar(x, "boolean")
    if node.kind != "boolean":
        node = check(node, equal(node, 0) | equal(node, 1), "boolean(x): x is neither 0 nor 1")
    return Tensor(convert(node, "boolean"))


def _integer(x: Any) -> Tensor:
    node = scalar(x, "integer")
    message = "integer(x): x is not a whole number; use round, floor or ceil to round"
    return Tensor(convert(check(node, is_integral(node), message), "integer"))


def _imag(x: Any) -> Tensor:
    return Tensor(scalar(x, "imag").builder.constant(0.0))


def _complex(re: Any, im: Any) -> Any:
    refuse("unsupported", "complex values are not supported yet")


def _string(x: Any) -> Any:
    if not isinstance(x, Text):
        refuse("kind", f"string takes a string, got {got(x)}; numbers do not convert to strings")
    return x


FUNCTIONS = (
    Function("boolean", ("x",), _boolean),
    Function("integer", ("x",), _integer),
    Function("real", ("x",), lambda x: Tensor(real(scalar(x, "real")))),
    Function("imag", ("x",), _imag),
    Function("complex", ("re", "im"), _complex),
    Function("string", ("x",), _string),
)
