"""Polynomials, Bernstein polynomials and step functions of a scalar."""

from __future__ import annotations

import math
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.binning import edges_of
from flatppl.functions.common import check, check_range, real, scalar, vector
from flatppl.tensor.avals import join
from flatppl.tensor.intervals import UNIT
from flatppl.tensor.ops import convert, cut, element, sum_, take
from flatppl.tensor.program import Node
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor

__all__ = ["FUNCTIONS"]


def _point(x: Any, name: str) -> Node:
    return scalar(x, name, f"fn({name}(..., _)).(xs)")


def _polynomial(coefficients: Any, x: Any) -> Tensor:
    """Horner's rule."""
    node, point = vector(coefficients, "polynomial"), _point(x, "polynomial")
    n = node.shape[0]
    if n == 0:
        return Tensor(point.builder.constant(0.0))
    total = convert(element(node, n - 1), join("integer", node.kind, point.kind))
    for index in reversed(range(n - 1)):
        total = element(node, index) + point * total
    return Tensor(total)


def _bernstein(coefficients: Any, x: Any) -> Tensor:
    node, point = real(vector(coefficients, "bernstein")), real(_point(x, "bernstein"))
    degree = node.shape[0] - 1
    if degree < 0:
        refuse("shape", "bernstein takes at least one coefficient")
    if not check_range(point, UNIT, "the argument x of bernstein", "between 0 and 1"):
        message = "bernstein(coefficients, x): x is outside 0 to 1; rescale it as (x - lo) / (hi - lo)"
        point = check(point, (point >= 0.0) & (point <= 1.0), message)
    rest = 1.0 - point
    total: Any = 0.0
    for k in range(degree + 1):
        weight = _power(point, k) * _power(rest, degree - k) * float(math.comb(degree, k))
        total = element(node, k) * weight + total
    return Tensor(total)


def _power(x: Node, exponent: int) -> Node:
    return x.builder.apply("integer_pow", x, exponent=exponent)


def _stepwise(edges: Any, values: Any, x: Any) -> Tensor:
    limits, steps, point = edges_of(edges, "stepwise"), vector(values, "stepwise"), real(_point(x, "stepwise"))
    n = steps.shape[0]
    if limits.shape[0] != n + 1:
        refuse("shape", f"stepwise takes one edge more than values, got {limits.shape[0]} edges and {n} values")
    inner = cut(limits, 1, n)
    index = sum_(convert(inner <= point, "integer"))
    inside = (point >= element(limits, 0)) & (point <= element(limits, n))
    return Tensor(take(steps, check(index, inside, "stepwise(edges, values, x): x is outside the edges")))


FUNCTIONS = (
    Function("polynomial", ("coefficients", "x"), _polynomial),
    Function("bernstein", ("coefficients", "x"), _bernstein),
    Function("stepwise", ("edges", "values", "x"), _stepwise),
)
