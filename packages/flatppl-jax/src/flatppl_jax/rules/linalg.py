"""Linear algebra of real matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax

from flatppl_jax.context import Context, Rule, as_jax
from flatppl_jax.rules.arithmetic import plain

__all__ = ["RULES", "small_cholesky", "small_triangular_solve"]


def _dot(a: Any, b: Any) -> Any:
    """Contract the last axis of a with the first of b, in full precision on every device."""
    numbers = (((a.ndim - 1,), (0,)), ((), ()))
    return lax.dot_general(a, b, numbers, precision=lax.Precision.HIGHEST, preferred_element_type=a.dtype)


def _transposed(x: Any) -> Any:
    return lax.transpose(x, (1, 0))


def _eye(n: int, dtype: Any) -> Any:
    return np.eye(n, dtype=dtype)


def _symmetric(x: Any) -> Any:
    """Mean of a matrix and its transpose: both off-diagonal entries share the derivative."""
    return (x + _transposed(x)) * 0.5


def _cholesky(x: Any) -> Any:
    return lax.linalg.cholesky(_symmetric(as_jax(x)), symmetrize_input=False)


def _as_columns(solve: Callable[..., Any]) -> Callable[..., Any]:
    """Let a solver of matrices take a vector."""

    def solver(a: Any, b: Any, **params: Any) -> Any:
        if b.ndim == 2:
            return solve(a, b, **params)
        return lax.squeeze(solve(a, lax.expand_dims(b, (1,)), **params), (1,))

    return solver


@_as_columns
def _triangular_solve(a: Any, b: Any, lower: bool, transposed: bool) -> Any:
    return lax.linalg.triangular_solve(a, b, left_side=True, lower=lower, transpose_a=transposed)


def _lu_solve(lu: Any, order: Any, b: Any, transposed: bool) -> Any:
    """Solve with the factors of ``a[order] = l u``, or with their transposes."""

    def triangle(b: Any, lower: bool) -> Any:
        return lax.linalg.triangular_solve(
            lu, b, left_side=True, lower=lower, transpose_a=transposed, unit_diagonal=lower
        )

    if not transposed:
        return triangle(triangle(_rows(b, order), lower=True), lower=False)
    inverse = lax.sort_key_val(order, lax.iota(order.dtype, order.shape[0]))[1]
    return _rows(triangle(triangle(b, lower=False), lower=True), inverse)


def _rows(x: Any, order: Any) -> Any:
    numbers = lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
    return lax.gather(x, lax.expand_dims(order, (1,)), numbers, (1, x.shape[1]), mode=lax.GatherScatterMode.CLIP)


@_as_columns
def _solve(a: Any, b: Any) -> Any:
    """Solve a square system; NaN where a pivot is exactly zero."""
    a, b = as_jax(a), as_jax(b)
    lu, _, order = lax.linalg.lu(lax.stop_gradient(a))
    x = lax.custom_linear_solve(
        lambda x: _dot(a, x),
        b,
        solve=lambda _, y: _lu_solve(lu, order, y, transposed=False),
        transpose_solve=lambda _, y: _lu_solve(lu, order, y, transposed=True),
    )
    diagonal = lax.reduce_sum(lu * _eye(lu.shape[0], lu.dtype), (1,))
    singular = lax.reduce_or(lax.eq(diagonal, lax.full_like(diagonal, 0.0)), (0,))
    return lax.select(lax.broadcast(singular, x.shape), lax.full_like(x, np.nan), x)


def _inv(x: Any) -> Any:
    return _solve(x, _eye(x.shape[0], x.dtype))


def _signed_log(x: Any) -> tuple[Any, Any]:
    """Sign and logarithm of the absolute value of the determinant."""
    lu, pivots, _ = lax.linalg.lu(x)
    diagonal = lax.reduce_sum(lu * _eye(lu.shape[0], lu.dtype), (1,))
    moved = lax.ne(pivots, lax.iota(pivots.dtype, pivots.shape[0]))
    swaps = lax.select(moved, lax.full_like(diagonal, -1.0), lax.full_like(diagonal, 1.0))
    sign = lax.reduce_prod(lax.sign(diagonal) * swaps, (0,))
    return sign, lax.reduce_sum(lax.log(lax.abs(diagonal)), (0,))


@jax.custom_jvp
def _logabsdet(x: Any) -> Any:
    """Logarithm of the absolute determinant; -inf at a singular matrix, where it has no gradient."""
    return _signed_log(x)[1]


@_logabsdet.defjvp
def _logabsdet_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    return _logabsdet(x), lax.reduce_sum(_transposed(_inv(x)) * dx, (0, 1))


@jax.custom_jvp
def _det(x: Any) -> Any:
    lu, pivots, _ = lax.linalg.lu(x)
    diagonal = lax.reduce_sum(lu * _eye(lu.shape[0], lu.dtype), (1,))
    moved = lax.ne(pivots, lax.iota(pivots.dtype, pivots.shape[0]))
    return lax.reduce_prod(lax.select(moved, -diagonal, diagonal), (0,))


@_det.defjvp
def _det_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    return _det(x), lax.reduce_sum(_cofactors(x) * dx, (0, 1))


@jax.custom_jvp
def _cofactors(x: Any) -> Any:
    """Matrix of cofactors, also of a singular matrix: with x = u s v, ``det(u v) u adj(s) v``."""
    u, s, v = lax.linalg.svd(x, full_matrices=False)
    n = x.shape[0]
    others = lax.select(_eye(n, bool), lax.full_like(x, 1.0), lax.broadcast_in_dim(s, (n, n), (1,)))
    adjugate = lax.reduce_prod(others, (1,))
    sign = _signed_log(_dot(u, v))[0]
    return sign * _dot(u * lax.broadcast_in_dim(adjugate, (n, n), (1,)), v)


@_cofactors.defjvp
def _cofactors_jvp(primals: Any, tangents: Any) -> Any:
    """Through ``det(x) inv(x)'``; higher derivatives exist at invertible matrices only."""
    (x,), (dx,) = primals, tangents
    _, slope = jax.jvp(lambda x: _det(x) * _transposed(_inv(x)), (x,), (dx,))
    return _cofactors(x), slope


def _qr(context: Context, x: Any) -> tuple[Any, Any]:
    q, r = lax.linalg.qr(x, full_matrices=False)
    return q, r


def _native(function: Callable[..., Any]) -> Rule:
    def rule(context: Context, *operands: Any, **params: Any) -> Any:
        return function(*map(as_jax, operands), **params)

    return rule


RULES = {
    "dot": plain(_dot),
    "cholesky": _native(_cholesky),
    "inv": _native(_inv),
    "det": _native(_det),
    "logabsdet": _native(_logabsdet),
    "solve": _native(_solve),
    "triangular_solve": _native(_triangular_solve),
    "qr": _qr,
}


def small_cholesky(limit: int) -> Rule:
    """Cholesky by unrolled arithmetic up to a size, native above."""

    def rule(context: Context, x: Any) -> Any:
        x = as_jax(x)
        return _unrolled_cholesky(_symmetric(x)) if x.shape[0] <= limit else _cholesky(x)

    return rule


def _unrolled_cholesky(rest: Any) -> Any:
    """Column by column; NaN throughout unless all pivots are positive."""
    n = rest.shape[0]
    columns, positive = [], lax.full_like(rest, True, bool, (1, 1))
    for k in range(n):
        pivot = lax.slice(rest, (0, 0), (1, 1))
        good = lax.gt(pivot, lax.full_like(pivot, 0.0))
        positive = lax.bitwise_and(positive, good)
        root = lax.sqrt(lax.select(good, pivot, lax.full_like(pivot, 1.0)))
        column = lax.slice(rest, (0, 0), (n - k, 1)) / lax.broadcast_in_dim(root, (n - k, 1), (0, 1))
        columns.append(lax.pad(column, lax.full_like(rest, 0.0, shape=()), ((k, 0, 0), (0, 0, 0))))
        below = lax.slice(column, (1, 0), (n - k, 1))
        m = n - k - 1
        outer = lax.broadcast_in_dim(below, (m, m), (0, 1)) * lax.broadcast_in_dim(_transposed(below), (m, m), (0, 1))
        rest = lax.slice(rest, (1, 1), (n - k, n - k)) - outer
    factor = lax.concatenate(columns, 1)
    return lax.select(lax.broadcast_in_dim(positive, (n, n), (0, 1)), factor, lax.full_like(factor, np.nan))


def small_triangular_solve(limit: int, columns: int) -> Rule:
    """Triangular solve by unrolled substitution up to a size and number of right-hand sides, native above."""

    def rule(context: Context, a: Any, b: Any, lower: bool, transposed: bool) -> Any:
        a, b = as_jax(a), as_jax(b)
        wide = b.shape[1] if b.ndim == 2 else 1
        if a.shape[0] > limit or wide > columns:
            return _triangular_solve(a, b, lower=lower, transposed=transposed)
        return _substitution(_transposed(a) if transposed else a, b, lower=lower != transposed)

    return rule


@_as_columns
def _substitution(a: Any, b: Any, lower: bool) -> Any:
    n, width = b.shape
    rows: dict[int, Any] = {}
    for i in range(n) if lower else reversed(range(n)):
        total = lax.slice(b, (i, 0), (i + 1, width))
        for j, row in rows.items():
            total = total - lax.broadcast_in_dim(lax.slice(a, (i, j), (i + 1, j + 1)), (1, width), (0, 1)) * row
        rows[i] = total / lax.broadcast_in_dim(lax.slice(a, (i, i), (i + 1, i + 1)), (1, width), (0, 1))
    return lax.concatenate([rows[i] for i in range(n)], 0)
