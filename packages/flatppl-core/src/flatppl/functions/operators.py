"""Operator-equivalent arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.common import check_range, got, real, scalar, spread, tensor
from flatppl.tensor.intervals import NONNEGATIVE
from flatppl.tensor.ops import convert, dot, power
from flatppl.tensor.program import Node
from flatppl.tensor.ranges import range_of
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor

__all__ = ["FUNCTIONS", "raise_to"]

#: Constant whole exponents up to this size multiply repeatedly; larger ones go through the power function.
REPEATED = 32


def _termwise(name: str, symbol: str) -> Function:
    """Addition or subtraction: scalars, or arrays of identical form."""

    def apply(a: Any, b: Any) -> Tensor:
        left, right = tensor(a, name), tensor(b, name)
        if (left.levels, left.node.shape, left.row) != (right.levels, right.node.shape, right.row):
            lifted = f"write .{symbol} to apply it to every element"
            hint = lifted if not left.levels or not right.levels else "the two must have the same form and size"
            refuse("shape", f"{got(left)} {symbol} {got(right)} is not defined; {hint}")
        return Tensor(left.node.builder.arithmetic(name, left.node, right.node), left.levels, left.row)

    return Function(name, ("a", "b"), apply)


def _neg(x: Any) -> Tensor:
    found = tensor(x, "neg")
    return Tensor(-found.node, found.levels, found.row)


def _divide(a: Any, b: Any) -> Tensor:
    left, right = tensor(a, "divide"), tensor(b, "divide")
    if right.levels:
        refuse("shape", f"{got(left)} / {got(right)} is not defined: the divisor must be a scalar; write ./")
    return Tensor(left.node / right.node, left.levels, left.row)


def _outer(a: Node, b: Node) -> Node:
    shape = (*a.shape, *b.shape)
    return spread(a, shape, (0,)) * spread(b, shape, (1,))


#: (left, right) -> (rule, levels, row); any form times a scalar is scaled.
_PRODUCTS: dict[tuple[str, str], tuple[Callable[[Node, Node], Node], tuple[int, ...], bool]] = {
    ("vector", "row"): (_outer, (2,), False),
    ("row", "vector"): (dot, (), False),
    ("row", "matrix"): (dot, (1,), True),
    ("matrix", "vector"): (dot, (1,), False),
    ("matrix", "matrix"): (dot, (2,), False),
}


def _shape_class(x: Tensor) -> str:
    return "row" if x.row else {(): "scalar", (1,): "vector", (2,): "matrix"}.get(x.levels, "array")


def _mul(a: Any, b: Any) -> Tensor:
    left, right = tensor(a, "mul"), tensor(b, "mul")
    if not left.levels or not right.levels:
        full = right if not left.levels else left
        return Tensor(left.node * right.node, full.levels, full.row)
    found = _PRODUCTS.get((_shape_class(left), _shape_class(right)))
    if found is None:
        refuse("shape", f"{got(left)} * {got(right)} is not defined; {_product_hint(left, right)}")
    rule, levels, row = found
    if rule is dot and left.node.shape[-1] != right.node.shape[0]:
        sizes = f"{left.node.shape[-1]} and {right.node.shape[0]}"
        refuse("shape", f"{got(left)} * {got(right)} is not defined: the inner sizes {sizes} differ")
    return Tensor(rule(left.node, right.node), levels, row)


def _product_hint(left: Tensor, right: Tensor) -> str:
    if (1, 1) in (left.levels, right.levels):
        return "a vector of vectors is not a matrix; rowstack makes one of it"
    if left.levels == right.levels == (1,) and not left.row:
        return "write .* for products of elements, transpose(a) * b for the inner product"
    return "write .* for products of elements, or transpose one side"


def _whole_exponent(exponent: Node) -> int | None:
    value = exponent.constant
    if value is None or value.shape or not abs(float(value)) <= REPEATED or float(value) != int(value):
        return None
    return int(value)


def raise_to(base: Node, exponent: Node) -> Node:
    """``base ^ exponent``: an integer for an integer base and a constant non-negative integer exponent, else real."""
    if exponent.kind != "real" and base.kind != "real":
        fixed = None if exponent.constant is None else int(exponent.constant)
        if fixed is not None and fixed >= 0:
            _fits(base, fixed)
            return base.builder.apply("integer_pow", convert(base, "integer"), exponent=fixed)
    small = _whole_exponent(exponent)
    if small is not None:
        return base.builder.apply("integer_pow", real(base), exponent=small)
    raised: Node = power(base, exponent)
    return raised


def _fits(base: Node, exponent: int) -> None:
    if base.constant is None:
        return
    number = int(base.constant)
    if abs(number) > 1 and (exponent > 63 or abs(number**exponent) >= 2**63):
        refuse("domain", f"{number} ^ {exponent} does not fit a 64-bit integer; write {number}.0 ^ {exponent}")


def _pow(base: Any, exponent: Any) -> Tensor:
    left, right = scalar(base, "pow", "a .^ b"), scalar(exponent, "pow", "a .^ b")
    found = range_of(right)
    if found.lo == found.hi and found.lo % 1 != 0:
        check_range(left, NONNEGATIVE, "the base of a power with a fractional exponent", "at least 0")
    return Tensor(raise_to(left, right))


FUNCTIONS = (
    _termwise("add", "+"),
    _termwise("sub", "-"),
    Function("neg", ("x",), _neg),
    Function("mul", ("a", "b"), _mul),
    Function("divide", ("a", "b"), _divide),
    Function("pow", ("base", "exponent"), _pow),
)
