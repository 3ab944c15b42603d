"""Linear algebra of real matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.functions.common import check, got, matrix, real, spread, squarely, tensor, vector
from flatppl.tensor import ops
from flatppl.tensor.ops import all_, convert, dot, isfinite, logical_not, select, take
from flatppl.tensor.program import Node
from flatppl.tensor.symmetry import parity
from flatppl.values.callables import Function, fixed_integer
from flatppl.values.forms import Record, Tensor

__all__ = ["FUNCTIONS"]


def _transpose(name: str) -> Function:
    """A vector becomes a transposed vector and back; a matrix swaps its axes."""

    def apply(A: Any) -> Tensor:  # noqa: N803
        found = tensor(A, name)
        if found.levels == (1,):
            return Tensor(found.node, (1,), not found.row)
        if found.levels != (2,):
            refuse("shape", f"{name} takes a vector or a matrix, got {got(A)}")
        return Tensor(ops.transpose(found.node), (2,))

    return Function(name, ("A",), apply)


def _decomposed(name: str, rule: Callable[[Node], Node], levels: tuple[int, ...] = ()) -> Function:
    """A function of a square real matrix."""
    return Function(name, ("A",), lambda x: Tensor(rule(real(squarely(x, name))), levels))


def _primitive(name: str) -> Callable[[Node], Node]:
    return lambda x: x.builder.apply(name, x)


def _regular(result: Node, message: str, *operands: Node) -> Node:
    """The result, checked to be finite wherever the operands are."""
    ok = all_(isfinite(result))
    for operand in operands:
        ok = ok | logical_not(all_(isfinite(operand)))
    return check(result, ok, message)


def _inverse(x: Node) -> Node:
    return _regular(x.builder.apply("inv", x), "inv(A): the matrix A is singular", x)


def _linsolve(A: Any, b: Any) -> Tensor:  # noqa: N803
    left, right = real(squarely(A, "linsolve")), real(vector(b, "linsolve"))
    if left.shape[0] != right.shape[0]:
        refuse("shape", f"linsolve: {got(A)} does not fit {got(b)}")
    solution = left.builder.apply("solve", left, right)
    return Tensor(_regular(solution, "linsolve(A, b): the matrix A is singular", left, right), (1,))


def _qr(A: Any) -> Record:  # noqa: N803
    """Thin factorization; the diagonal of R is made non-negative, which fixes the signs."""
    node = real(matrix(A, "qr"))
    m, n = node.shape
    if m < n:
        refuse("shape", f"qr takes a matrix with at least as many rows as columns, got {got(A)}")
    factors = node.builder.apply("qr", node)
    q, r = (node.builder.apply("item", factors, index=index) for index in (0, 1))
    signs = select(ops.diagonal(r, 0) < 0.0, -1.0, 1.0)
    q, r = q * spread(signs, (m, n), (1,)), r * spread(signs, (n, n), (0,))
    return Record((("Q", Tensor(q, (2,))), ("R", Tensor(r, (2,)))))


def _symmetric(x: Node) -> Node:
    builder = x.builder
    eps = builder.constant(np.finfo(np.float64).eps) if x.constant is not None else builder.apply("epsilon")
    asymmetry = ops.abs_(x - ops.transpose(x))
    far = asymmetry > ops.sqrt(eps) * ops.max_(ops.abs_(x))
    return check(x, all_(logical_not(far)), "lower_cholesky(A): the matrix A is not symmetric")


def _cholesky(x: Node) -> Node:
    symmetric = x if parity(x) == 1 else _symmetric(x)
    return _regular(ops.cholesky(symmetric), "lower_cholesky(A): the matrix A is not positive definite", x)


def _row_gram(A: Any) -> Tensor:  # noqa: N803
    node = matrix(A, "row_gram")
    return Tensor(dot(node, ops.transpose(node)), (2,))


def _col_gram(A: Any) -> Tensor:  # noqa: N803
    node = matrix(A, "col_gram")
    return Tensor(dot(ops.transpose(node), node), (2,))


def _self_outer(x: Any) -> Tensor:
    node = vector(x, "self_outer")
    shape = node.shape * 2
    return Tensor(spread(node, shape, (0,)) * spread(node, shape, (1,)), (2,))


def _cross(a: Any, b: Any) -> Tensor:
    left, right = vector(a, "cross"), vector(b, "cross")
    if left.shape != (3,) or right.shape != (3,):
        refuse("shape", f"cross takes vectors of length 3, got {got(a)} and {got(b)}")
    after, before = np.array([1, 2, 0]), np.array([2, 0, 1])
    return Tensor(take(left, after) * take(right, before) - take(left, before) * take(right, after), (1,))


def _diagmat(x: Any) -> Tensor:
    node = vector(x, "diagmat")
    shape = node.shape * 2
    on = node.builder.constant(np.eye(node.shape[0], dtype=bool))
    return Tensor(select(on, spread(node, shape, (0,)), convert(node.builder.constant(False), node.kind)), (2,))


def _diag(A: Any, k: Any) -> Tensor:  # noqa: N803
    node, offset = matrix(A, "diag"), k if isinstance(k, int) else fixed_integer(k, "the offset of diag")
    m, n = node.shape
    if not -m < offset < n:
        refuse("index", f"diag: {got(A)} has no diagonal {offset}; it must be in {1 - m} to {n - 1}")
    return Tensor(ops.diagonal(node, offset), (1,))


def _trace(A: Any) -> Tensor:  # noqa: N803
    node = squarely(A, "trace")
    return Tensor(ops.sum_(ops.diagonal(convert(node, "integer") if node.kind == "boolean" else node, 0)))


def _quadform(A: Any, x: Any) -> Tensor:  # noqa: N803
    node, point = squarely(A, "quadform"), vector(x, "quadform")
    if node.shape[0] != point.shape[0]:
        refuse("shape", f"quadform: {got(A)} does not fit {got(x)}")
    return Tensor(dot(point, dot(node, point)))


FUNCTIONS = (
    _transpose("transpose"),
    _transpose("adjoint"),
    _decomposed("det", _primitive("det")),
    _decomposed("logabsdet", _primitive("logabsdet")),
    _decomposed("inv", _inverse, (2,)),
    Function("trace", ("A",), _trace),
    Function("linsolve", ("A", "b"), _linsolve),
    Function("qr", ("A",), _qr),
    _decomposed("lower_cholesky", _cholesky, (2,)),
    Function("row_gram", ("A",), _row_gram),
    Function("col_gram", ("A",), _col_gram),
    Function("self_outer", ("x",), _self_outer),
    Function("cross", ("a", "b"), _cross),
    Function("diagmat", ("x",), _diagmat),
    Function("diag", ("A", "k"), _diag, defaults=(0,)),
    Function("quadform", ("A", "x"), _quadform),
)
