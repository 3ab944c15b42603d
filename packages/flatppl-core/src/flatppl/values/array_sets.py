"""Sets of arrays that are no products: simplices, count vectors, matrix families."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.factor import factor_of
from flatppl.tensor.intervals import NONNEGATIVE, UNIT
from flatppl.tensor.ops import (
    abs_,
    all_,
    diagonal,
    equal,
    is_integral,
    max_,
    sqrt,
    sum_,
    transpose,
)
from flatppl.tensor.program import Builder, Node
from flatppl.tensor.symmetry import parity
from flatppl.values.forms import (
    Form,
    Tensor,
    TensorForm,
    describe,
)
from flatppl.values.sets import Set

__all__ = ["CountVectors", "MatrixSet", "Simplex", "array_of", "simplex_member", "spd_member"]


@dataclass(frozen=True, slots=True)
class Simplex(Set):
    """Vectors of length n with non-negative entries that sum to one, within the square root of machine epsilon."""

    n: int
    interval = UNIT
    bounded = True

    def form(self) -> Form:
        return TensorForm("real", (self.n,), (1,))

    def contains(self, value: Any) -> Node:
        x = array_of(value, self)
        return simplex_member(x)

    def log_volume(self, builder: Builder) -> Node | None:
        return builder.constant(-math.lgamma(self.n))

    def witness(self, builder: Builder) -> Node:
        """The centre."""
        return builder.constant(np.full(self.n, 1.0 / self.n))

    def __str__(self) -> str:
        return f"stdsimplex({self.n})"


def spd_member(x: Node) -> Node:
    """Whether the matrix is symmetric to rounding and has a Cholesky factor."""
    definite = factor_of(x).definite()
    if definite.constant is not None and not definite.constant:
        return definite
    if parity(x) == 1:
        return definite
    # The largest entry of a positive definite matrix is on its diagonal.
    symmetric = max_(abs_(x - transpose(x))) <= sqrt(x.builder.apply("epsilon")) * max_(diagonal(x))
    return symmetric & definite


def simplex_member(x: Node) -> Node:
    """Whether the entries are non-negative and sum to one, within the square root of machine epsilon."""
    fixed = x.constant is not None
    tolerance = math.sqrt(np.finfo(np.float64).eps) if fixed else sqrt(x.builder.apply("epsilon"))
    return all_(x >= 0.0) & (abs_(sum_(x) - 1.0) <= tolerance)


def array_of(value: Any, owner: Set) -> Node:
    """Node of an array of the owner's form, refused otherwise."""
    if isinstance(value, Node):
        return value
    expected = owner.form()
    assert isinstance(expected, TensorForm)
    if not isinstance(value, Tensor) or value.node.shape != expected.shape or value.levels != expected.levels:
        refuse(
            "point", f"{describe(value)} cannot be a member of {owner.describe()}, which holds a {describe(expected)}"
        )
    return value.node


@dataclass(frozen=True, slots=True)
class CountVectors(Set):
    """Vectors of n non-negative integers that sum to ``total`` (a number or a node)."""

    n: int
    total: Any
    discrete = True
    interval = NONNEGATIVE

    def form(self) -> Form:
        return TensorForm("integer", (self.n,), (1,))

    def contains(self, value: Any) -> Node:
        x = array_of(value, self)
        return all_((x >= 0.0) & is_integral(x)) & equal(sum_(x), self.total)

    def witness(self, builder: Builder) -> Node:
        """All counts in the first entry."""
        return builder.lift(self.total) * builder.constant(np.eye(self.n)[0])

    def __str__(self) -> str:
        return f"vectors of {self.n} counts"


@dataclass(frozen=True, slots=True)
class MatrixSet(Set):
    """Square matrices of one family: ``spd``, ``correlation`` or ``correlation factor``."""

    n: int
    family: str

    def form(self) -> Form:
        return TensorForm("real", (self.n, self.n), (2,))

    def contains(self, value: Any) -> Node:
        x = array_of(value, self)
        builder = x.builder
        tolerance = sqrt(builder.apply("epsilon"))
        eye = builder.constant(np.eye(self.n))
        if self.family == "correlation factor":
            upper = builder.constant(np.triu(np.ones((self.n, self.n)), 1))
            lengths = sum_(x * x, (1,))
            positive = all_((x > 0.0) | equal(eye, 0.0))
            return positive & all_(equal(x * upper, 0.0)) & all_(abs_(lengths - 1.0) <= tolerance)
        definite = spd_member(x)
        return definite if self.family == "spd" else definite & all_(abs_(x * eye - eye) <= tolerance)

    def witness(self, builder: Builder) -> Node:
        """The identity."""
        return builder.constant(np.eye(self.n))

    def __str__(self) -> str:
        return f"{self.family} matrices of size {self.n}"
