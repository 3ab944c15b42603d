"""Derivatives of every differentiable primitive, first and second order, against central differences in float64."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from flatppl.tensor.avals import aval_of
from flatppl.tensor.primitives import CORE
from flatppl.values.forms import TensorForm

rng = np.random.default_rng(77)
A23 = rng.normal(size=(2, 3))
V = np.array([0.3, 1.7, 2.4, 0.9, 3.1])
P = np.array([0.02, 0.3, 0.55, 0.9])
S = rng.normal(size=(3, 4))
SPD3 = S @ S.T + 0.7 * np.eye(3)
SPD2 = SPD3[1:, 1:]
G3 = S[:, :3] + 2.0 * np.eye(3)
ZEROS = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 1.5]])
LARGE = np.array([0.4, 3.0, 25.0, 300.0, 12.0])
OTHER = np.array([0.7, 40.0, 31.0, 2.5, 0.2])


def each(names: str, *arrays: Any, wrt: tuple[int, ...] | None = None, order: int = 2, **params: Any) -> list[Any]:
    return [(n, arrays, params, wrt or tuple(range(len(arrays))), order) for n in names.split()]


CASES = [
    *each("add sub mul div pow maximum atan2", V, V[::-1] + 0.1),
    *each("neg abs", A23),
    *each("integer_pow", A23, exponent=3),
    *each("integer_pow", V, exponent=-2),
    *each("tan", 0.5 * A23),
    *each("exp expm1 sin cos sinh cosh tanh asinh atan logistic", A23),
    *each("log log1p sqrt lgamma digamma gamma", V),
    *each("asin acos atanh", np.array([-0.8, -0.1, 0.3, 0.7])),
    *each("acosh", V + 1.0),
    *each("erf erfc ndtr", A23 * 2),
    *each("log_ndtr", np.array([-60.0, -21.0, -15.0, -2.0, 0.5, 4.0])),
    *each("ndtri", P),
    *each("xlogy", A23[0], V[:3]),
    *each("xlogy", np.array([0.0, 0.0, 2.0]), V[:3]),
    *each("xlog1py", A23[0], V[:3]),
    *each("gammainc gammaincc", V, np.array([0.5, 1.2, 3.0, 0.2, 9.0])),
    *each("gammaincinv gammainccinv", V[:2], P[1:3]),
    *each("gammainc", np.array([30.0, 500.0]), np.array([25.0, 510.0])),
    *each("betainc betaincinv", V[:2], V[1:3], P[1:3]),
    *each("lbeta", LARGE, OTHER),
    *each("select", np.array([True, False, True]), A23[0], A23[1], wrt=(1, 2)),
    *each("sum prod max min logsumexp", A23, axes=(1,)),
    *each("logaddexp", V, np.array([0.3, 1.1, 2.0, 900.0, -900.0])),
    *each("softmax", A23, axis=1),
    *each("prod", ZEROS, axes=(1,)),
    *each("cumsum cumprod cummax cummin sort", A23, axis=1),
    *each("cumprod", ZEROS, axis=1),
    *each("dot", A23, S),
    *each("take", A23, np.array([0, 2, 2]), wrt=(0,), axis=1),
    *each("take", A23, np.array(1), wrt=(0,), axis=1),
    *each("concat", A23, A23 * 2, axis=0),
    *each("stack", A23[0], A23[1]),
    *each("broadcast", A23[0], shape=(2, 3), dims=(1,)),
    *each("inv det logabsdet", G3),
    *each("det", np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]]), order=1),
    *each("det", np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [-1.0, -2.0, -3.0]]), order=1),
    *each("det", np.zeros((2, 2)), order=1),
    *each("solve", G3, S[:, 0]),
    *each("solve", G3, S),
    *each("triangular_solve", np.tril(G3), S, lower=True, transposed=False),
    *each("triangular_solve", np.tril(G3)[:2, :2], S[:2, 0], lower=True, transposed=True),
    *each("qr", S.T),
]  # fmt: skip


def scalar(name: str, arrays: Any, params: Any, wrt: tuple[int, ...], make: Any) -> Any:
    """A smooth scalar function of the chosen operands, flattened into one vector; and where it is taken."""

    def body(builder: Any, *xs: Any) -> Any:
        node = builder.build(CORE[name], xs, params)
        count = len(node.aval) if isinstance(node.aval, tuple) else 0
        return [builder.apply("item", node, index=k) for k in range(count)] or node

    inputs = {f"x{k}": TensorForm(aval_of(a).kind, a.shape) for k, a in enumerate(arrays)}
    query = make(body, inputs, dtype="float64")
    splits = np.cumsum([arrays[k].size for k in wrt])[:-1]

    def f(theta: Any) -> Any:
        full = list(arrays)
        for k, part in zip(wrt, jnp.split(theta, splits), strict=True):
            full[k] = part.reshape(arrays[k].shape)
        parts = query(*full)
        flat = jnp.concatenate([jnp.ravel(x) for x in (parts if isinstance(parts, tuple) else (parts,))])
        return jnp.sum(np.cos(0.7 * np.arange(flat.size)) * flat)

    return f, jnp.concatenate([jnp.ravel(jnp.asarray(arrays[k])) for k in wrt])


def central(f: Any, at: Any) -> Any:
    """Derivative by fourth-order central differences, all points at once."""
    steps = 1e-3 * jnp.where(abs(at) < 0.2, 0.1, jnp.maximum(1.0, abs(at)))
    shifts = jnp.asarray([1.0, -1.0, 2.0, -2.0])[:, None, None] * jnp.diag(steps)[None]
    near, back, far, behind = jax.vmap(jax.vmap(lambda e: f(at + e)))(shifts)
    slopes = 8.0 * (near - back) - (far - behind)
    return slopes / (12.0 * steps).reshape(-1, *[1] * (slopes.ndim - 1))


@pytest.mark.parametrize(("name", "arrays", "params", "wrt", "order"), CASES)
def test_equals_central_differences(name: str, arrays: Any, params: Any, wrt: Any, order: int, make: Any) -> None:
    with jax.enable_x64(True), jax.numpy_rank_promotion("allow"):
        f, at = scalar(name, arrays, params, wrt, make)
        gradient = jax.grad(f)
        derivatives = [(gradient, f), (jax.hessian(f), gradient)][:order]
        for got, expected in jax.jit(lambda x: [(g(x), central(f, x)) for g, f in derivatives])(at):
            np.testing.assert_allclose(got, expected, rtol=5e-6, atol=1e-7)


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize("matrix", [SPD2, SPD3], ids=["2", "3"])
def test_cholesky_shares_the_derivative(matrix: Any, target: str, make: Any) -> None:
    """Central differences along symmetric directions; both off-diagonal entries get half of it each."""
    n = len(matrix)
    with jax.enable_x64(True), jax.numpy_rank_promotion("allow"):
        inputs = {"x": TensorForm("real", (n, n))}
        query = make(lambda b, x: b.apply("cholesky", x), inputs, dtype="float64", target=target)
        weights = jnp.asarray(np.cos(np.arange(n * n)).reshape(n, n))
        lower = [(i, j) for i in range(n) for j in range(i + 1)]

        def symmetric(theta: Any) -> Any:
            x = jnp.zeros((n, n))
            for value, (i, j) in zip(theta, lower, strict=True):
                x = x.at[i, j].set(value).at[j, i].set(value)
            return jnp.sum(weights * jnp.tril(query(x)))

        at = jnp.asarray([matrix[i, j] for i, j in lower])
        np.testing.assert_allclose(jax.grad(symmetric)(at), central(symmetric, at), rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(jax.hessian(symmetric)(at), central(jax.grad(symmetric), at), rtol=1e-6, atol=1e-7)
        full = jax.grad(lambda x: jnp.sum(weights * jnp.tril(query(x))))(jnp.asarray(matrix))
        np.testing.assert_allclose(full, full.T, rtol=1e-12)


def test_log_ndtr_far_out_keeps_relative_accuracy(make: Any) -> None:
    query = make(lambda b, x: b.apply("log_ndtr", x), {"x": "real"})
    for x in (-1e4, -300.0, -30.0):
        slope = jax.grad(query)(jnp.float32(x))
        np.testing.assert_allclose(slope, -x + 1 / -x, rtol=1e-4)


def test_logsumexp_derivatives_are_never_nan(make: Any) -> None:
    inf = np.inf
    query = make(lambda b, x: b.apply("logsumexp", x, axes=(0,)), {"x": TensorForm("real", (3,))})
    for x in ([-inf, -inf, -inf], [-inf, 1.0, 2.0], [inf, 1.0, 2.0], [700.0, -700.0, 700.0]):
        for derivative in (jax.grad(query), jax.hessian(query)):
            assert np.isfinite(derivative(np.array(x, np.float32))).all(), x
    np.testing.assert_allclose(jax.grad(query)(np.array([-inf, 1.0, 1.0], np.float32)), [0.0, 0.5, 0.5])


def test_edges_of_distribution_functions_have_finite_derivatives(make: Any) -> None:
    one = {"x": "real"}
    exponential = make(lambda b, x: b.apply("gammainc", b.constant(1.0), x), one)
    np.testing.assert_allclose(jax.grad(exponential)(jnp.float32(0.0)), 1.0, rtol=1e-6)
    assert jax.grad(exponential)(jnp.float32(math.inf)) == 0.0
    uniform = make(lambda b, x: b.apply("betainc", b.constant(1.0), b.constant(1.0), x), one)
    np.testing.assert_allclose([jax.grad(uniform)(jnp.float32(x)) for x in (0.0, 0.5, 1.0)], 1.0, rtol=1e-6)
    zero = make(lambda b, x: b.apply("xlogy", b.constant(0.0), x), one)
    assert jax.grad(zero)(jnp.float32(0.0)) == 0.0


def test_third_derivatives(make: Any) -> None:
    for name, at in (("ndtri", 0.3), ("log_ndtr", -2.0), ("lgamma", 2.5), ("logistic", 0.4)):
        with jax.enable_x64(True), jax.numpy_rank_promotion("allow"):
            query = make(lambda b, x, name=name: b.apply(name, x), {"x": "real"}, dtype="float64")
            second = jax.jit(jax.grad(jax.grad(query)))
            at_ = jnp.asarray([at])
            expected = central(lambda t, second=second: second(t[0]), at_)[0]
            np.testing.assert_allclose(jax.grad(second)(at_[0]), expected, rtol=1e-6)
