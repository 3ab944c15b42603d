"""Elementary functions: scalars to scalars."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.common import check, check_range, got, real, scalar
from flatppl.tensor import ops
from flatppl.tensor.intervals import NONNEGATIVE, POSITIVE, REALS, UNIT, Interval
from flatppl.tensor.ops import convert, equal, logical_not
from flatppl.tensor.program import Node
from flatppl.tensor.ranges import range_of
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor, Text

__all__ = ["FUNCTIONS"]

#: Integers that a real converts to without loss of range.
LARGEST = 2.0**62

_BALL = Interval(-1.0, 1.0)
_WORDS = {
    POSITIVE: "positive",
    NONNEGATIVE: "at least 0",
    UNIT: "between 0 and 1",
    _BALL: "between -1 and 1",
    Interval(-1.0): "at least -1",
    Interval(1.0): "at least 1",
}


def _real(name: str, rule: Callable[[Node], Node], domain: Interval = REALS, parameter: str = "x") -> Function:
    """A function of one real; a value provably outside the domain is refused, any other gives NaN there."""

    def apply(x: Any) -> Tensor:
        node = scalar(x, name)
        check_range(node, domain, f"the argument of {name}", _WORDS.get(domain, ""))
        return Tensor(rule(real(node)))

    return Function(name, (parameter,), apply)


def _kept(name: str, rule: Callable[[Node], Node]) -> Function:
    """A function of one number that keeps integers."""
    return Function(name, ("x",), lambda x: Tensor(rule(scalar(x, name))))


def _whole(name: str, rule: Callable[[Node], Node]) -> Function:
    """A function from reals to integers."""

    def apply(x: Any) -> Tensor:
        node = scalar(x, name)
        if node.kind != "real":
            return Tensor(convert(node, "integer"))
        fits = ops.abs_(node) < LARGEST
        message = f"{name}(x) has no integer value: x is not finite, or too large"
        return Tensor(convert(rule(check(node, fits, message)), "integer"))

    return Function(name, ("x",), apply)


def _quotient(name: str, primitive: str) -> Function:
    """Floor division or its remainder, for integers."""

    def apply(a: Any, b: Any) -> Tensor:
        left, right = scalar(a, name), scalar(b, name)
        for value, node in ((a, left), (b, right)):
            if node.kind == "real":
                refuse("kind", f"{name} takes integers, got {got(value)}; floor(a / b) divides reals")
        found = range_of(right)
        if found.lo <= 0 <= found.hi:
            right = check(right, logical_not(equal(right, 0)), f"{name}(a, b): b is zero")
        return Tensor(left.builder.arithmetic(primitive, left, right))

    return Function(name, ("a", "b"), apply)


def _extreme(name: str, rule: Callable[[Any, Any], Any]) -> Function:
    """The smaller or larger of two numbers or strings."""

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, Text) and isinstance(b, Text):
            return Text((min if name == "min" else max)(a.text, b.text))
        dotted = f"broadcast({name}, xs, ys)"
        return Tensor(rule(scalar(a, name, dotted), scalar(b, name, dotted)))

    return Function(name, ("a", "b"), apply)


def _complex(name: str, *parameters: str) -> Function:
    """A function with a complex result."""

    def apply(*values: Any) -> Any:
        refuse("unsupported", "complex values are not supported yet")

    return Function(name, parameters, apply)


def _atan2(y: Any, x: Any) -> Tensor:
    return Tensor(ops.atan2(scalar(y, "atan2"), scalar(x, "atan2")))


def _square(x: Node) -> Node:
    return x.builder.apply("integer_pow", convert(x, "integer") if x.kind == "boolean" else x, exponent=2)


def _gamma(x: Node) -> Node:
    return x.builder.apply("gamma", x)


FUNCTIONS = (
    _real("exp", ops.exp),
    _real("log", ops.log, POSITIVE),
    _real("log2", lambda x: ops.log(x) / math.log(2.0), POSITIVE),
    _real("log10", lambda x: ops.log(x) / math.log(10.0), POSITIVE),
    _real("log1p", ops.log1p, Interval(-1.0)),
    _real("expm1", ops.expm1),
    _real("sqrt", ops.sqrt, NONNEGATIVE),
    _kept("abs", ops.abs_),
    _kept("abs2", _square),
    _kept("conj", lambda x: x),
    _complex("cis", "theta"),
    _real("sin", ops.sin),
    _real("cos", ops.cos),
    _real("tan", ops.tan),
    _real("asin", ops.asin, _BALL),
    _real("acos", ops.acos, _BALL),
    _real("atan", ops.atan),
    Function("atan2", ("y", "x"), _atan2),
    _real("sinh", ops.sinh),
    _real("cosh", ops.cosh),
    _real("tanh", ops.tanh),
    _real("asinh", ops.asinh),
    _real("acosh", ops.acosh, Interval(1.0)),
    _real("atanh", ops.atanh, _BALL),
    _extreme("min", ops.minimum),
    _extreme("max", ops.maximum),
    _whole("floor", ops.floor),
    _whole("ceil", ops.ceil),
    _whole("round", ops.round_),
    _quotient("div", "floordiv"),
    _quotient("mod", "mod"),
    _real("gamma", _gamma, POSITIVE),
    _real("loggamma", ops.lgamma, POSITIVE),
    _real("logit", ops.logit, UNIT, "p"),
    _real("invlogit", ops.logistic),
    _real("probit", ops.ndtri, UNIT, "p"),
    _real("invprobit", ops.ndtr),
)
