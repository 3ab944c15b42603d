"""Linear algebra of real matrices (the last two axes)."""

from __future__ import annotations

from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Builder, Node, Primitive

NUMBER = ("integer", "real", "complex")


# dot(a, b): contracts the last axis of a with the first axis of b; ranks 1 and 2.
def _dot_aval(a: Aval, b: Aval) -> Aval:
    if a.kind != b.kind or a.kind not in NUMBER:
        refuse("kind", f"cannot multiply {a.kind} with {b.kind}")
    if a.shape[-1] != b.shape[0]:
        refuse("shape", f"inner sizes {a.shape[-1]} and {b.shape[0]} differ")
    return Aval(a.kind, a.shape[:-1] + b.shape[1:])


def _dot_batch(builder: Builder, operands: Any, batched: Any, axes: tuple[int, ...]) -> Node | None:
    a, b = operands
    rank = [len(x.shape) - len(axes) if flag else len(x.shape) for x, flag in zip(operands, batched, strict=True)]
    if batched[0] and not batched[1] and rank[0] == 1:
        flat = builder.apply("reshape", a, shape=(int(np.prod(axes)), a.shape[-1]))
        result = builder.apply("dot", flat, b)
        return builder.apply("reshape", result, shape=axes + result.shape[1:])
    return None


DOT = Primitive("dot", _dot_aval, lambda a, b: np.dot(a, b), batch=_dot_batch)


def _square(x: Aval) -> None:
    if x.kind != "real" or x.rank != 2 or x.shape[0] != x.shape[1]:
        refuse("shape", f"expected a square real matrix, got {x}")


def _square_same(x: Aval, **_: Any) -> Aval:
    _square(x)
    return x


def _square_scalar(x: Aval) -> Aval:
    _square(x)
    return Aval("real")


def _nan_on_failure(f: Any) -> Any:
    def evaluate(x: Any, *rest: Any, **params: Any) -> Any:
        try:
            return f(x, *rest, **params)
        except np.linalg.LinAlgError:
            return np.full_like(rest[0] if rest else x, np.nan)

    return evaluate


#: Lower Cholesky factor of a symmetric positive definite matrix (only the lower triangle is read); NaN otherwise.
CHOLESKY = Primitive("cholesky", _square_same, _nan_on_failure(np.linalg.cholesky))
INV = Primitive("inv", _square_same, _nan_on_failure(np.linalg.inv))
DET = Primitive("det", _square_scalar, np.linalg.det)
#: log of the absolute determinant; -inf at a singular matrix.
LOGABSDET = Primitive("logabsdet", _square_scalar, lambda x: np.linalg.slogdet(x)[1])


def _solve_aval(a: Aval, b: Aval, **_: Any) -> Aval:
    _square(a)
    if b.kind != "real" or b.rank not in (1, 2) or b.shape[0] != a.shape[0]:
        refuse("shape", f"a {list(a.shape)} system needs a right-hand side of {a.shape[0]} rows, got {b}")
    return b


def _triangular(a: Any, b: Any, lower: bool, transposed: bool) -> Any:
    from scipy.linalg import solve_triangular

    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return np.full_like(b, np.nan)
    return solve_triangular(a, b, trans=int(transposed), lower=lower)


SOLVE = Primitive("solve", _solve_aval, _nan_on_failure(np.linalg.solve))
#: Solve with a triangular matrix (its other triangle is not read), or with its transpose.
TRIANGULAR_SOLVE = Primitive("triangular_solve", _solve_aval, _nan_on_failure(_triangular))


def _qr_aval(x: Aval) -> tuple[Aval, Aval]:
    if x.kind != "real" or x.rank != 2 or x.shape[0] < x.shape[1]:
        refuse("shape", f"qr needs a real matrix with at least as many rows as columns, got {x}")
    return x, Aval("real", (x.shape[1], x.shape[1]))


#: Thin QR factorization; two results.
QR = Primitive("qr", _qr_aval, lambda x: tuple(np.linalg.qr(x)))

PRIMITIVES = (DOT, CHOLESKY, INV, DET, LOGABSDET, SOLVE, TRIANGULAR_SOLVE, QR)
