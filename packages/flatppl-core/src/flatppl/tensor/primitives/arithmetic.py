"""Arithmetic, comparison, logic and selection; all elementwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.intervals import NONNEGATIVE, Interval, hull
from flatppl.tensor.primitives.rules import elementwise, merge_shapes
from flatppl.tensor.program import Node, Primitive
from flatppl.tensor.ranges import proved_range

NUMBER = ("integer", "real", "complex")
ORDERED = ("integer", "real")


def _product(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def _corners(a: Interval, b: Interval, f: Any) -> Interval:
    ends = [
        (f(x, y), xo or yo)
        for x, xo in ((a.lo, a.lo_open), (a.hi, a.hi_open))
        for y, yo in ((b.lo, b.lo_open), (b.hi, b.hi_open))
    ]
    lo = min(value for value, _ in ends)
    hi = max(value for value, _ in ends)
    lo_open = all(opened for value, opened in ends if value == lo)
    hi_open = all(opened for value, opened in ends if value == hi)
    touches_zero = a.contains(0.0) or b.contains(0.0)
    return Interval(lo, hi, lo_open and not (lo == 0 and touches_zero), hi_open and not (hi == 0 and touches_zero))


def _sum(a: float, b: float, default: float) -> float:
    return default if math.isnan(a + b) else a + b


def _add_range(a: Interval, b: Interval) -> Interval:
    return Interval(
        _sum(a.lo, b.lo, -math.inf), _sum(a.hi, b.hi, math.inf), a.lo_open or b.lo_open, a.hi_open or b.hi_open
    )


def _neg_range(a: Interval) -> Interval:
    return Interval(-a.hi, -a.lo, a.hi_open, a.lo_open)


def _div_range(a: Interval, b: Interval) -> Interval:
    if b.lo < 0 < b.hi or b.contains(0.0):
        return Interval()
    largest = math.inf if b.lo == 0 else 1.0 / b.lo
    least = -math.inf if b.hi == 0 else 1.0 / b.hi
    return _corners(a, Interval(least, largest, b.hi_open, b.lo_open), _product)


def _pow_range(a: Interval, b: Interval) -> Interval:
    if b.lo == b.hi and b.lo == 2.0:
        return _square_range(a)
    if a.lo > 0 or (a.lo == 0 and a.lo_open):
        return Interval(0.0, math.inf, lo_open=True)
    return NONNEGATIVE if a.lo >= 0 or (b.lo == b.hi and b.lo % 2 == 0) else Interval()


def _square_range(a: Interval) -> Interval:
    hi = max(a.lo * a.lo, a.hi * a.hi)
    if a.lo > 0 or a.hi < 0:
        return Interval(min(a.lo * a.lo, a.hi * a.hi), hi)
    return Interval(0.0, hi, lo_open=not a.contains(0.0))


def _abs_range(a: Interval) -> Interval:
    if a.lo >= 0:
        return a
    if a.hi <= 0:
        return _neg_range(a)
    return Interval(0.0, max(-a.lo, a.hi))


def _is(node: Node, number: float) -> bool:
    value = node.constant
    if value is None or node.kind == "boolean" or not value.size:
        return False
    return bool(value == number) if not value.shape else bool((value == number).all())


def _drop(operands: tuple[Node, ...], kept: int, shape: tuple[int, ...]) -> Node | None:
    return operands[kept] if operands[kept].shape == shape else None


def _mul_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    a, b = operands
    shape = merge_shapes(a.aval, b.aval)
    for one, other in ((0, 1), (1, 0)):
        if _is(operands[one], 1.0):
            return _drop(operands, other, shape)
    # jaxlib 0.10.2 adds up large products wrongly on the CPU where the first factor is a broadcast one.
    if a.primitive.name == "broadcast" and b.shape and b.primitive.name != "broadcast":
        return a.builder.apply("mul", b, a)
    return None


def _right_unit(unit: float) -> Any:
    def rule(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
        if _is(operands[1], unit):
            return _drop(operands, 0, merge_shapes(operands[0].aval, operands[1].aval))
        return None

    return rule


def _neg_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    return operands[0].operands[0] if operands[0].primitive.name == "neg" else None


ADD = Primitive("add", elementwise(NUMBER), np.add, elementwise=True, range=_add_range)
SUB = Primitive(
    "sub",
    elementwise(NUMBER),
    np.subtract,
    elementwise=True,
    range=lambda a, b: _add_range(a, _neg_range(b)),
    simplify=_right_unit(0.0),
)
MUL = Primitive(
    "mul",
    elementwise(NUMBER),
    np.multiply,
    elementwise=True,
    range=lambda a, b: _corners(a, b, _product),
    simplify=_mul_simple,
)
DIV = Primitive(
    "div", elementwise(("real", "complex")), np.divide, elementwise=True, range=_div_range, simplify=_right_unit(1.0)
)
NEG = Primitive("neg", elementwise(NUMBER), np.negative, elementwise=True, range=_neg_range, simplify=_neg_simple)
#: IEEE power of reals, principal branch of complex numbers; ``0 ** 0 = 1``.
POW = Primitive(
    "pow", elementwise(("real", "complex")), np.power, elementwise=True, range=_pow_range, simplify=_right_unit(1.0)
)


def _integer_power_aval(x: Aval, exponent: int) -> Aval:
    if x.kind not in NUMBER or (x.kind == "integer" and exponent < 0):
        refuse("kind", f"{x.kind} has no power {exponent}")
    return x


#: ``x ** exponent`` with a static integer exponent, by repeated multiplication.
INTEGER_POW = Primitive(
    "integer_pow",
    _integer_power_aval,
    lambda x, exponent: x**exponent if exponent >= 0 else 1.0 / x**-exponent,
    elementwise=True,
    range=lambda a, exponent: (
        _square_range(a)
        if exponent == 2
        else _pow_range(a, Interval(exponent, exponent))
        if exponent % 2 == 0 or a.lo >= 0
        else Interval()
    ),
)
FLOORDIV = Primitive("floordiv", elementwise(("integer",)), np.floor_divide, elementwise=True)
MOD = Primitive("mod", elementwise(("integer",)), np.mod, elementwise=True)
#: NaN propagates.
MAXIMUM = Primitive(
    "maximum",
    elementwise(ORDERED),
    np.maximum,
    elementwise=True,
    range=lambda a, b: Interval(max(a.lo, b.lo), max(a.hi, b.hi)),
)
MINIMUM = Primitive(
    "minimum",
    elementwise(ORDERED),
    np.minimum,
    elementwise=True,
    range=lambda a, b: Interval(min(a.lo, b.lo), min(a.hi, b.hi)),
)


def _abs_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    x = operands[0]
    return x.builder.apply("abs", x.operands[0]) if x.primitive.name == "neg" else None


ABS = Primitive("abs", elementwise(ORDERED), np.abs, elementwise=True, range=_abs_range, simplify=_abs_simple)
SIGN = Primitive("sign", elementwise(ORDERED), np.sign, elementwise=True, range=lambda a: Interval(-1.0, 1.0))


def _truth(operands: tuple[Node, ...], value: bool) -> Node | None:
    if any(operand.shape for operand in operands):
        return None
    return operands[0].builder.constant(value)


def _lt_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    a, b = proved_range(operands[0]), proved_range(operands[1])
    if a.hi < b.lo or (a.hi == b.lo and (a.hi_open or b.lo_open)):
        return _truth(operands, True)
    return _truth(operands, False) if a.lo >= b.hi else None


def _le_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    a, b = proved_range(operands[0]), proved_range(operands[1])
    if a.hi <= b.lo:
        return _truth(operands, True)
    return _truth(operands, False) if a.lo > b.hi or (a.lo == b.hi and (a.lo_open or b.hi_open)) else None


def _eq_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    if operands[0].kind not in ORDERED or not proved_range(operands[0]).disjoint(proved_range(operands[1])):
        return None
    return _truth(operands, False)


def _and_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    shape = merge_shapes(*(operand.aval for operand in operands))
    for one, other in ((0, 1), (1, 0)):
        value = operands[one].constant
        if value is not None and value.all():
            return _drop(operands, other, shape)
    return None


# A comparison that holds for all values but NaN is no constant unless the operands are leaves of a law: proofs come
# from supports of draws and from loop variables over them, never from what callers pass in.
LT = Primitive("lt", elementwise(ORDERED, "boolean"), np.less, elementwise=True, simplify=_lt_simple)
LE = Primitive("le", elementwise(ORDERED, "boolean"), np.less_equal, elementwise=True, simplify=_le_simple)
EQ = Primitive("eq", elementwise(("boolean", *NUMBER), "boolean"), np.equal, elementwise=True, simplify=_eq_simple)
AND = Primitive("and", elementwise(("boolean",)), np.logical_and, elementwise=True, simplify=_and_simple)
OR = Primitive("or", elementwise(("boolean",)), np.logical_or, elementwise=True)
XOR = Primitive("xor", elementwise(("boolean",)), np.logical_xor, elementwise=True)
NOT = Primitive("not", elementwise(("boolean",)), np.logical_not, elementwise=True)
ISNAN = Primitive("isnan", elementwise(("real",), "boolean"), np.isnan, elementwise=True)
ISFINITE = Primitive("isfinite", elementwise(("real",), "boolean"), np.isfinite, elementwise=True)


def _select_aval(condition: Aval, a: Aval, b: Aval) -> Aval:
    if condition.kind != "boolean" or a.kind != b.kind:
        refuse("kind", f"select needs a boolean and two equal kinds, got {condition.kind}, {a.kind}, {b.kind}")
    return Aval(a.kind, merge_shapes(condition, a, b))


def _select_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    condition, a, b = operands
    shape = merge_shapes(condition.aval, a.aval, b.aval)
    value = condition.constant
    if value is not None and value.size and (value.all() or not value.any()):
        return _drop(operands, 1 if value.all() else 2, shape)
    return _drop(operands, 1, shape) if a is b else _select_inside(condition, a, b, shape)


def _select_inside(condition: Node, a: Node, b: Node, shape: tuple[int, ...]) -> Node | None:
    """Choose between operands instead of between results, as far as both apply the same functions."""
    functions = []
    while a is not b and (place := _difference(a, b)) is not None:
        functions.append((a, place))
        a, b = a.operands[place], b.operands[place]
    if not functions:
        return None
    builder = condition.builder
    node = builder.apply("select", condition, a, b)
    for function, place in reversed(functions):
        operands = (*function.operands[:place], node, *function.operands[place + 1 :])
        node = builder.build(function.primitive, operands, function.params)
    return node if node.shape == shape else None


def _difference(a: Node, b: Node) -> int | None:
    """The place of the only operand in which two applications of one elementwise function differ."""
    if a.primitive is not b.primitive or not a.primitive.elementwise or not a.primitive.pure or a.params != b.params:
        return None
    places = [k for k, (x, y) in enumerate(zip(a.operands, b.operands, strict=True)) if x is not y]
    if len(places) != 1 or a.operands[places[0]].kind != b.operands[places[0]].kind:
        return None
    return places[0]


SELECT = Primitive(
    "select",
    _select_aval,
    np.where,
    elementwise=True,
    range=lambda condition, a, b: hull(a, b),
    simplify=_select_simple,
)

PRIMITIVES = (
    ADD, SUB, MUL, DIV, NEG, POW, INTEGER_POW, FLOORDIV, MOD, MAXIMUM, MINIMUM, ABS, SIGN,
    LT, LE, EQ, AND, OR, XOR, NOT, ISNAN, ISFINITE, SELECT,
)  # fmt: skip
