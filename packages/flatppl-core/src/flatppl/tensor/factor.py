"""Cholesky factors: of small matrices entry by entry, so that a family of them needs no short axes in its loops."""

from __future__ import annotations

import math
from functools import reduce
from operator import add, and_
from typing import Protocol

from flatppl.tensor.ops import (
    all_,
    cholesky,
    diagonal,
    element,
    isfinite,
    log,
    select,
    solve_lower,
    sqrt,
    square,
    sum_,
)
from flatppl.tensor.program import Node

__all__ = ["Factor", "factor_of"]

#: Matrices of at most this many rows are factored in scalar arithmetic.
SMALL = 2


class Factor(Protocol):
    """The lower triangular L with ``L L^T = a`` of a symmetric matrix a."""

    def definite(self) -> Node:
        """Whether there is one: whether the matrix is positive definite."""

    def log_determinant(self) -> Node:
        """``log(det L)``, half of the matrix's; NaN where there is no factor."""

    def squared_length(self, x: Node, origin: Node) -> Node:
        """``y.y`` with ``L y = x - origin``; NaN where there is no factor."""


def factor_of(a: Node) -> Factor:
    """The factor of a symmetric matrix, whose two triangles share the derivative."""
    return _Entries(a) if a.shape[0] <= SMALL else _Matrix(a)


class _Matrix:
    """By the primitives of linear algebra."""

    def __init__(self, a: Node) -> None:
        self.lower = cholesky(a)

    def definite(self) -> Node:
        # Without a factor all is NaN, and an infinite entry makes the diagonal entry of its row NaN.
        return all_(isfinite(diagonal(self.lower)))

    def log_determinant(self) -> Node:
        return sum_(log(diagonal(self.lower)))

    def squared_length(self, x: Node, origin: Node) -> Node:
        return sum_(square(solve_lower(self.lower, x - origin)))


class _Entries:
    """By scalar arithmetic, row by row."""

    def __init__(self, a: Node) -> None:
        self.rows: list[list[Node]] = []
        for i in range(a.shape[0]):
            row: list[Node] = []
            for j, other in enumerate(self.rows):
                row.append((_mean(_entry(a, i, j), _entry(a, j, i)) - _product(row, other)) / other[j])
            pivot = _entry(a, i, i) - _product(row, row)
            self.rows.append([*row, sqrt(select(pivot > 0.0, pivot, math.nan))])

    def definite(self) -> Node:
        return reduce(and_, (isfinite(row[-1]) for row in self.rows))

    def log_determinant(self) -> Node:
        return reduce(add, (log(row[-1]) for row in self.rows))

    def squared_length(self, x: Node, origin: Node) -> Node:
        solved: list[Node] = []
        for i, row in enumerate(self.rows):
            solved.append((element(x, i) - element(origin, i) - _product(row, solved)) / row[-1])
        return reduce(add, map(square, solved))


def _entry(a: Node, row: int, column: int) -> Node:
    return element(element(a, row), column)


def _mean(a: Node, b: Node) -> Node:
    return a if a is b else 0.5 * (a + b)


def _product(row: list[Node], other: list[Node]) -> Node | float:
    """Inner product of the entries that both have."""
    return sum(x * y for x, y in zip(row, other, strict=False))
