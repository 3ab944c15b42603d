"""The integral over a whole vector of an exponential that is quadratic in it, by one Cholesky factor.

The program is followed once, and every node that depends on the vector is written as ``offset + slope . z`` plus
products of two such forms; the coefficients have the vector as their first axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flatppl.marginal.expansion import without_sure_guards
from flatppl.tensor.ops import broadcast, cholesky, diagonal, dot, log, reshape, select, solve_lower, sum_, transpose
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.substitute import substitute

__all__ = ["gaussian_integral"]


class NotQuadratic(Exception):
    """The program is not known to be quadratic in the vector."""


@dataclass(frozen=True, slots=True)
class Quadratic:
    """``offset + slope . z + sum of weight * (left . z) * (right . z) + z' curvature z`` at every entry of a node.

    Attributes
    ----------
    offset : Node
    slope : Node or None
        With the vector's axis before the node's.
    products : tuple of (Node, Node, Node)
        Weight (of the node's shape), left and right (like slopes).
    curvature : Node or None
        Matrix; only of scalar nodes.
    """

    offset: Node
    slope: Node | None = None
    products: tuple[tuple[Node, Node, Node], ...] = ()
    curvature: Node | None = None

    @property
    def free(self) -> bool:
        """Whether it does not depend on the vector."""
        return self.slope is None and self.linear

    @property
    def linear(self) -> bool:
        """Whether it has no second powers."""
        return not self.products and self.curvature is None


def gaussian_integral(total: Node, leaf: Node) -> Node | None:
    """Log of the integral of ``exp(total)`` over a real vector, or None if the program is not known to be quadratic.

    The result is the value at the stationary point and the width there, so nothing cancels; NaN where the
    integral does not exist.
    """
    root = without_sure_guards(total)
    size = leaf.aval.size
    start = reshape(leaf.builder.constant(np.eye(size)), (size, *leaf.shape))
    known = {leaf.number: Quadratic(leaf.builder.constant(np.zeros(leaf.shape)), start)}
    try:
        for node in ancestors([root], lambda node: node is leaf):
            if node.number not in known:
                known[node.number] = _followed(node, [known[operand.number] for operand in node.operands], size)
        form = _scalar(known[root.number])
    except NotQuadratic:
        return None
    if form.curvature is None or form.slope is None:
        return None
    factor = cholesky(-(form.curvature + transpose(form.curvature)))
    half = solve_lower(factor, form.slope)
    centre = transposed_solve(factor, half)
    peak = substitute(leaf.builder, [total], {leaf: reshape(centre, leaf.shape)})[0]
    return peak + 0.5 * size * math.log(2.0 * math.pi) - sum_(log(diagonal(factor)))


def transposed_solve(factor: Node, b: Node) -> Node:
    """Solve with the transpose of a lower triangular matrix."""
    return b.builder.apply("triangular_solve", factor, b, lower=True, transposed=True)


def _followed(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    if all(part.free for part in parts):
        return Quadratic(node)
    rule = _RULES.get(node.primitive.name)
    if rule is None:
        raise NotQuadratic
    if node.primitive.elementwise:
        parts = [_lifted(part, node.shape, size) for part in parts]
    return rule(node, parts, size)


def _lifted(a: Quadratic, shape: tuple[int, ...], size: int) -> Quadratic:
    """A scalar as an array of equal entries."""
    if a.offset.shape == shape:
        return a
    if a.curvature is not None or a.offset.shape:
        raise NotQuadratic

    def full(slope: Node) -> Node:
        return broadcast(slope, (size, *shape), (0,))

    products = tuple((broadcast(weight, shape), full(left), full(right)) for weight, left, right in a.products)
    return Quadratic(broadcast(a.offset, shape), None if a.slope is None else full(a.slope), products)


def _spread(x: Node, size: int) -> Node:
    """Repeated along the vector's axis in front."""
    return broadcast(x, (size, *x.shape))


def _added(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    a, b = parts
    if node.primitive.name == "sub":
        b = _scaled(b, node.builder.constant(np.full(b.offset.shape, -1.0)), size)
    slopes = [part.slope for part in (a, b) if part.slope is not None]
    curvatures = [part.curvature for part in (a, b) if part.curvature is not None]
    return Quadratic(
        a.offset + b.offset,
        slopes[0] + slopes[1] if len(slopes) == 2 else slopes[0] if slopes else None,
        a.products + b.products,
        curvatures[0] + curvatures[1] if len(curvatures) == 2 else curvatures[0] if curvatures else None,
    )


def _scaled(a: Quadratic, factor: Node, size: int) -> Quadratic:
    """Times a factor of the same shape that does not depend on the vector."""
    return Quadratic(
        a.offset * factor,
        None if a.slope is None else a.slope * _spread(factor, size),
        tuple((weight * factor, left, right) for weight, left, right in a.products),
        None if a.curvature is None else a.curvature * broadcast(factor, a.curvature.shape, ()),
    )


def _multiplied(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    a, b = parts
    if a.free or b.free:
        return _scaled(b, a.offset, size) if a.free else _scaled(a, b.offset, size)
    if not (a.linear and b.linear):
        raise NotQuadratic
    assert a.slope is not None
    assert b.slope is not None
    slope = a.slope * _spread(b.offset, size) + b.slope * _spread(a.offset, size)
    one = node.builder.constant(np.ones(node.shape))
    return Quadratic(a.offset * b.offset, slope, ((one, a.slope, b.slope),))


def _divided(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    if not parts[1].free:
        raise NotQuadratic
    return _scaled(parts[0], 1.0 / parts[1].offset, size)


def _negated(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    return _scaled(parts[0], node.builder.constant(np.full(node.shape, -1.0)), size)


def _power(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    exponent = node.params["exponent"] if node.primitive.name == "integer_pow" else node.operands[1].constant
    if exponent is None or np.shape(exponent) or float(exponent) != 2.0:
        raise NotQuadratic
    return _multiplied(node, [parts[0], parts[0]], size)


def _scalar(a: Quadratic) -> Quadratic:
    """Of a scalar node: products as a matrix."""
    curvature = a.curvature
    for weight, left, right in a.products:
        n = left.shape[0]
        outer = broadcast(left * _spread(weight, n), (n, n), (0,)) * broadcast(right, (n, n), (1,))
        curvature = outer if curvature is None else curvature + outer
    return replace(a, products=(), curvature=curvature)


def _sum(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    (a,) = parts
    shape = a.offset.shape
    if a.linear:
        return _moved(node, parts, size)
    if node.shape or a.curvature is not None:
        raise NotQuadratic
    count = math.prod(shape)
    curvature: Any = None
    for weight, left, right in a.products:
        rows = reshape(left * _spread(weight, size), (size, count))
        term = dot(rows, transpose(reshape(right, (size, count))))
        curvature = term if curvature is None else curvature + term
    slope = None if a.slope is None else sum_(reshape(a.slope, (size, count)), (1,))
    return Quadratic(sum_(a.offset, node.params["axes"]), slope, (), curvature)


def _moved(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    """Operations that only move, repeat and add entries: on offsets and slopes alike."""
    if node.primitive.name == "take" and not parts[1].free:
        raise NotQuadratic
    if not all(part.linear for part in parts) or node.primitive.batch is None:
        raise NotQuadratic
    moving = parts[:1] if node.primitive.name == "take" else parts
    rest = list(node.operands[len(moving) :])
    offset = node.builder.build(node.primitive, (*(part.offset for part in moving), *rest), node.params)
    slopes = []
    for part, operand in zip(moving, node.operands, strict=False):
        zero = node.builder.constant(np.zeros((size, *operand.shape)))
        slopes.append(zero if part.slope is None else part.slope)
    batched = [True] * len(slopes) + [False] * len(rest)
    slope = node.primitive.batch(node.builder, [*slopes, *rest], batched, (size,), **node.params)
    if slope is None:
        raise NotQuadratic
    return Quadratic(offset, slope)


def _dot(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    a, b = parts
    if not (a.linear and b.linear):
        raise NotQuadratic
    if a.free and b.slope is not None and len(b.offset.shape) == 1:
        matrix = a.offset if len(a.offset.shape) == 1 else transpose(a.offset)
        return Quadratic(dot(a.offset, b.offset), dot(b.slope, matrix))
    if b.free and a.slope is not None and len(a.offset.shape) == 1:
        return Quadratic(dot(a.offset, b.offset), dot(a.slope, b.offset))
    if a.slope is None or b.slope is None or len(a.offset.shape) != 1 or node.shape:
        raise NotQuadratic
    slope = dot(a.slope, b.offset) + dot(b.slope, a.offset)
    return Quadratic(dot(a.offset, b.offset), slope, (), dot(a.slope, transpose(b.slope)))


def _solved(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    matrix, b = parts
    if not matrix.free or not b.linear or len(b.offset.shape) != 1 or b.slope is None:
        raise NotQuadratic

    def solve(right: Node) -> Node:
        return node.builder.build(node.primitive, (node.operands[0], right), node.params)

    return Quadratic(solve(b.offset), transpose(solve(transpose(b.slope))))


def _select(node: Node, parts: list[Quadratic], size: int) -> Quadratic:
    condition, a, b = parts
    if not condition.free or a.curvature is not None or b.curvature is not None:
        raise NotQuadratic
    flag, zero = condition.offset, node.builder.constant(np.zeros(node.shape))
    none = _spread(zero, size)
    slopes = [none if part.slope is None else part.slope for part in (a, b)]
    kept = tuple((select(flag, weight, zero), left, right) for weight, left, right in a.products)
    other = tuple((select(flag, zero, weight), left, right) for weight, left, right in b.products)
    return Quadratic(select(flag, a.offset, b.offset), select(_spread(flag, size), *slopes), kept + other)


_RULES: dict[str, Callable[[Node, list[Quadratic], int], Quadratic]] = {
    "add": _added,
    "sub": _added,
    "neg": _negated,
    "mul": _multiplied,
    "div": _divided,
    "pow": _power,
    "integer_pow": _power,
    "sum": _sum,
    "dot": _dot,
    "triangular_solve": _solved,
    "solve": _solved,
    "select": _select,
    "guard": lambda node, parts, size: parts[0],
    **dict.fromkeys(("reshape", "transpose", "broadcast", "slice", "reverse", "concat", "stack", "take"), _moved),
}
