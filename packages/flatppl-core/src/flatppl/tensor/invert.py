"""Invert a traced function: solve ``y = f(x)`` for a leaf of a finished program, with the log volume.

The spelling never changes the answer: what is inverted is the program, not the source.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.intervals import NONNEGATIVE, REALS, UNIT, Interval
from flatppl.tensor.ops import (
    abs_,
    asinh,
    atanh,
    broadcast,
    equal,
    exp,
    expm1,
    log,
    log1p,
    logistic,
    ndtr,
    ndtri,
    power,
    select,
    sinh,
    square,
    sum_,
    tan,
)
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.ranges import range_of
from flatppl.tensor.reach import beyond, exponent_of, reach_of
from flatppl.tensor.substitute import substitute

__all__ = ["Edge", "Inverse", "invert"]

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


#: What stands for 0 where a power has an infinite volume there; multiples of it are numbers in both precisions.
TINY = 1e-30


@dataclass(frozen=True, slots=True)
class Edge:
    """The closed end 0 of the image of a power.

    Attributes
    ----------
    at : Node
        Whether y is there, entry by entry.
    exponent : float
        Of the power.
    direct : bool
        Whether the base is the leaf up to a factor; otherwise the leaf is not 0 there.
    """

    at: Node
    exponent: float
    direct: bool


@dataclass(frozen=True, slots=True)
class Inverse:
    """Solution of ``y = f(x)``.

    Attributes
    ----------
    x : Node
        The preimage of y.
    log_volume : Node
        Scalar: log of the absolute Jacobian determinant of f at the preimage, written in y.
    outside : tuple of Node
        Where y is infinite or beyond the reach of a step of f, entry by entry.
    edges : tuple of Edge
        Where the volume would be infinite; ``x`` and ``log_volume`` are those of a point nearby.
    """

    x: Node
    log_volume: Node
    outside: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


def invert(root: Node, leaf: Node, y: Node, start: Node | None = None) -> Inverse:
    """Solve ``root = y`` for ``leaf``; refuses what is not provably a bijection on the leaf's range.

    Parameters
    ----------
    root : Node
        A program that depends on the leaf along one path.
    leaf : Node
        Real scalar or array; its ``interval`` param is the support, whose ends have no mass.
    y : Node
        Value of ``root``.
    start : Node, optional
        A point of the support. Its image stands for y where y is outside, so that the solution is finite
        everywhere; without it, y is taken to lie in the image.
    """
    solution = _Solution(leaf, _path(root, leaf), y)
    if start is not None and root is not leaf:
        solution.sanitize(root, start)
    for index in range(len(solution.path)):
        if start is not None:
            solution.stay_inside(index, start)
        solution.step(index)
    return Inverse(solution.y, solution.volume, tuple(solution.outside), tuple(solution.edges))


class _Solution:
    """The state of an inversion: y and the volume so far."""

    def __init__(self, leaf: Node, path: list[tuple[Node, int]], y: Node) -> None:
        self.leaf = leaf
        self.path = path
        self.y = y
        self.volume: Any = y.builder.constant(0.0)
        self.outside: list[Node] = []
        self.edges: list[Edge] = []

    def step(self, index: int) -> None:
        """From y as a value of a node to y as the value of its operand."""
        node, place = self.path[index]
        if node.primitive.name == "annotated":
            self.y, term = node.params["inverse"](self.y)
            self.volume = self.volume + term
            return
        self.y, term = _RULES[node.primitive.name](node, place, self.y)
        self.volume = self.volume + _summed(term, node.operands[place])

    def sanitize(self, root: Node, start: Node) -> None:
        """Move y into the range of the function, and away from infinity if the function is not affine.

        Infinite y are not looked for at each step: what the steps in between subtract may be latent, and is finite.
        """
        almost_sure = _of_draws(self.y)
        outside = beyond(self.y, range_of(root), almost_sure)
        if outside is not None and reach_of(*self.path[0]) is None:
            self._leave(root, outside, start)
        if not almost_sure and any(reach_of(*step) for step in self.path):
            self._leave(root, equal(abs_(self.y), math.inf), start)

    def stay_inside(self, index: int, start: Node) -> None:
        """Move y to where the step has a finite inverse and volume."""
        node, place = self.path[index]
        reach = reach_of(node, place)
        if reach is None:
            return
        almost_sure = _of_draws(self.y)
        if (outside := reach(node, self.y, almost_sure)) is not None:
            self._leave(node, outside, start)
        if not almost_sure and _has_edge(node):
            orders, direct = _orders(self.path[index:])
            edge = Edge(equal(self.y, 0.0), orders[-1], direct)
            self.edges.append(edge)
            self.y = select(edge.at, TINY ** min(orders), self.y)

    def _leave(self, node: Node, outside: Node, start: Node) -> None:
        self.outside.append(outside)
        self.y = select(outside, substitute(self.y.builder, [node], {self.leaf: start})[0], self.y)


def _path(root: Node, leaf: Node) -> list[tuple[Node, int]]:
    """The steps from the root to the leaf: each node, and the place of its operand on the way."""
    path = []
    dependent = _dependent(root, leaf)
    while root is not leaf:
        place = {"guard": 0, "annotated": 1}.get(root.primitive.name)
        if place is None:
            place = _only_operand(root, dependent)
            if root.primitive.name not in _RULES:
                refuse(
                    "density",
                    f"{root.primitive.name} has no inverse that is known; annotate the function with "
                    "bijection(f, f_inv, logvolume)",
                )
        if root.primitive.name != "guard":
            path.append((root, place))
        root = root.operands[place]
    return path


def _of_draws(y: Node) -> bool:
    """Whether a point is made of draws, which are finite and avoid what has no mass."""
    return any("draw" in node.params for node in ancestors([y]))


def _dependent(root: Node, leaf: Node) -> set[int]:
    found = {leaf.number}
    for node in ancestors([root], lambda node: node is leaf):
        if any(operand.number in found for operand in node.operands):
            found.add(node.number)
    return found


def _only_operand(node: Node, dependent: set[int]) -> int:
    places = [index for index, operand in enumerate(node.operands) if operand.number in dependent]
    if len(places) != 1:
        refuse(
            "density",
            "the variable is used more than once, so the function has no inverse that is known; annotate it with "
            "bijection(f, f_inv, logvolume)",
        )
    return places[0]


def _summed(term: Any, x: Node) -> Any:
    """Log volume of an elementwise map over all entries of x."""
    if not x.shape or isinstance(term, _Total):
        return term.value if isinstance(term, _Total) else term
    node = x.builder.convert(x.builder.lift(term), "real")
    return sum_(node if node.shape == x.shape else broadcast(node, x.shape, ()))


@dataclass(frozen=True, slots=True)
class _Total:
    """A log volume that is summed already."""

    value: Any


def _needs(x: Node, domain: Interval, name: str) -> None:
    if not range_of(x).inside(domain):
        refuse(
            "density",
            f"{name} needs an argument that is provably inside its domain; truncate or transform the base measure",
        )


def _monotone(inverse: Callable[[Node], Any], volume: Callable[[Node], Any], domain: Interval = REALS) -> Any:
    def rule(node: Node, place: int, y: Node) -> tuple[Node, Any]:
        _needs(node.operands[0], domain, node.primitive.name)
        return inverse(y), volume(y)

    return rule


def _add(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    return y - node.operands[1 - place], 0.0


def _sub(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    return (y + node.operands[1] if place == 0 else node.operands[0] - y), 0.0


def _mul(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    factor = node.operands[1 - place]
    if not node.operands[place].shape and factor.shape:
        refuse("density", "a scalar variable is spread over an array: the result is singular and has no density")
    _nonzero(factor)
    return y / factor, log(abs_(factor))


def _nonzero(factor: Node) -> None:
    value = factor.constant
    if value is not None and (value == 0).any():
        refuse("density", "the function multiplies by zero, so it is no bijection")


def _div(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    if place == 0:
        _nonzero(node.operands[1])
        return y * node.operands[1], -log(abs_(node.operands[1]))
    x = range_of(node.operands[1])
    if x.lo < 0.0 < x.hi:
        refuse("density", "division by a variable whose support contains zero is no bijection")
    numerator = node.operands[0]
    _nonzero(numerator)
    return numerator / y, 2.0 * log(abs_(y)) - log(abs_(numerator))


def _power(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    exponent = exponent_of(node)
    if place == 1 or exponent is None:
        refuse("density", "only powers with a fixed exponent have an inverse that is known")
    if exponent == 0.0:
        refuse("density", "the power zero is no bijection")
    _needs(node.operands[0], NONNEGATIVE, "a power")
    if exponent == 1.0:
        return y, 0.0
    return power(y, 1.0 / exponent), math.log(abs(exponent)) + ((exponent - 1.0) / exponent) * log(y)


def _has_edge(node: Node) -> bool:
    """Whether the node is a power that takes the value 0, where its volume is infinite."""
    exponent, image = exponent_of(node), range_of(node)
    return exponent is not None and exponent > 0.0 and exponent != 1.0 and image.lo == 0.0 and not image.lo_open


def _orders(path: list[tuple[Node, int]]) -> tuple[list[float], bool]:
    """Of y as a power of each value on a path, as far as it is one up to a factor; and whether that is to its end."""
    orders = [1.0]
    for node, place in path:
        name, exponent = node.primitive.name, exponent_of(node)
        if exponent is None and (name not in _FACTORS or (name == "div" and place == 1)):
            return orders, False
        orders.append(orders[-1] * (exponent or 1.0))
    return orders, True


def _dot(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    matrix = node.operands[0]
    if place == 0 or len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1] or len(y.shape) != 1:
        refuse("density", "only a square matrix times the variable has an inverse that is known")
    fixed = matrix.constant
    if fixed is not None and np.linalg.matrix_rank(fixed.astype(float)) < len(fixed):
        refuse("density", "the function multiplies by a singular matrix, so it is no bijection")
    builder = y.builder
    if matrix.primitive.name == "cholesky":
        solved = builder.apply("triangular_solve", matrix, y, lower=True, transposed=False)
    else:
        solved = builder.apply("solve", matrix, y)
    return solved, _Total(builder.apply("logabsdet", matrix))


def _reshape(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    return y.builder.apply("reshape", y, shape=node.operands[0].shape), 0.0


def _transpose(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    axes = node.params["axes"]
    return y.builder.apply("transpose", y, axes=tuple(axes.index(k) for k in range(len(axes)))), 0.0


def _broadcast(node: Node, place: int, y: Node) -> tuple[Node, Any]:
    refuse("density", "a variable is repeated over an array: the result is singular and has no density")


def _log_image(y: Node) -> Node:
    return -y


def _log_cosh(x: Node) -> Any:
    size = abs_(x)
    return size + log1p(exp(-2.0 * size)) - math.log(2.0)


#: Preimage of y, and the log volume at the preimage, by primitive.
_RULES: dict[str, Callable[[Node, int, Node], tuple[Node, Any]]] = {
    "exp": _monotone(log, log),
    "log": _monotone(exp, _log_image, NONNEGATIVE),
    "log1p": _monotone(expm1, _log_image, Interval(-1.0)),
    "expm1": _monotone(log1p, log1p),
    "sqrt": _power,
    "logistic": _monotone(lambda y: log(y) - log1p(-y), lambda y: log(y) + log1p(-y)),
    "ndtr": _monotone(ndtri, lambda y: -HALF_LOG_2PI - 0.5 * square(ndtri(y))),
    "ndtri": _monotone(ndtr, lambda y: HALF_LOG_2PI + 0.5 * square(y), UNIT),
    "atan": _monotone(tan, lambda y: -log1p(square(tan(y)))),
    "tanh": _monotone(atanh, lambda y: log1p(-square(y))),
    "sinh": _monotone(asinh, lambda y: _log_cosh(asinh(y))),
    "asinh": _monotone(sinh, lambda y: -_log_cosh(y)),
    "logit": _monotone(logistic, lambda y: abs_(y) + 2.0 * log1p(exp(-abs_(y))), UNIT),
    "neg": lambda node, place, y: (-y, 0.0),
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "pow": _power,
    "integer_pow": _power,
    "dot": _dot,
    "reshape": _reshape,
    "transpose": _transpose,
    "broadcast": _broadcast,
    "convert": lambda node, place, y: (y, 0.0),
}

#: Primitives that multiply, or only rearrange.
_FACTORS = frozenset(("mul", "div", "neg", "convert", "reshape", "transpose"))
