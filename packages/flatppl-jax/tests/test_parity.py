"""Every core primitive: JAX against the NumPy meaning, in both precisions."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from flatppl.tensor.avals import aval_of
from flatppl.tensor.primitives import CORE
from flatppl.values.forms import TensorForm
from flatppl_jax.rules import COMMON

inf, nan = np.inf, np.nan
rng = np.random.default_rng(20240229)
A23 = rng.normal(size=(2, 3))
A35 = rng.normal(size=(3, 5))
A234 = rng.normal(size=(2, 3, 4))
I23 = np.array([[7, -7, 3], [-1, 0, 2]])
J23 = np.array([[2, 2, -5], [0, 3, -2]])
B23 = np.array([[True, False, True], [False, False, True]])
REALS = np.array([-inf, -3.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5, 3.5, 80.0, inf, nan])
POSITIVE = np.array([1e-6, 0.3, 0.5, 1.0, 1.5, 2.0, 3.7, 9.9, 10.1, 33.0, 250.0, 4e4])
UNIT = np.array([0.0, 1e-30, 1e-6, 0.02, 0.3, 0.5, 0.7, 0.98, 1.0, nan, -0.1, 1.1])
M3 = A35 @ A35.T + 0.5 * np.eye(3)
M2, M9 = M3[:2, :2], (lambda a: a @ a.T + np.eye(9))(rng.normal(size=(9, 9)))
LOW3, RHS3 = np.tril(A35[:, :3]) + 2 * np.eye(3), A35[:, 3]
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])


def each(names: str, *arrays: Any, **params: Any) -> list[Any]:
    return [(name, arrays, params) for name in names.split()]


CASES = [
    *each("add sub mul maximum minimum eq lt le", I23, J23),
    *each("add sub mul div maximum minimum eq lt le pow atan2", REALS, REALS[::-1]),
    *each("add sub mul div maximum minimum lt le", A23, np.array(0.5)),
    *each("add sub mul div", np.array([1 + 2j, -3j]), np.array([0.5 - 1j, 2 + 0j])),
    *each("pow", np.array([0.0, 0.0, 2.0, -2.0, 1.0, 1.5]), np.array([0.0, 2.0, -1.5, 3.0, 9.0, 0.5])),
    *each("neg abs sign", I23),
    *each("neg abs sign isnan isfinite", REALS),
    *each("integer_pow", REALS[1:10], exponent=3),
    *each("integer_pow", A23, exponent=-2),
    *each("integer_pow", A23, exponent=0),
    *each("integer_pow", I23, exponent=4),
    *each("floordiv mod", I23, J23),
    *each("and or xor eq", B23, ~B23.copy()[::-1]),
    *each("not", B23),
    *each("select", B23, A23, -A23),
    *each("select", np.array(True), I23, J23),
    *each("select", B23, A23, np.array(0.0)),
    *each("convert", REALS, kind="integer"),
    *each("convert", np.array([0.5, 1.5, 2.5, -0.5, -1.5]), kind="integer"),
    *each("convert", REALS, kind="boolean"),
    *each("convert", I23, kind="real"),
    *each("convert", B23, kind="integer"),
    *each("convert", A23, kind="complex"),
    *each("convert", np.array([1 + 2j, -3j]), kind="real"),
    *each("guard", np.array(2.5), B23, np.array(False), message="m", category="value"),
    *each("exp expm1 sin cos tan sinh cosh tanh asinh atan floor ceil round logistic", np.append(REALS[1:9], nan)),
    *each("exp expm1 tanh atan logistic floor", REALS),
    *each("log sqrt", np.append(POSITIVE, [0.0, inf, nan, -1.0])),
    *each("log1p", np.append(POSITIVE, [0.0, -1.0, -0.9, 1e-9, nan])),
    *each("asin acos atanh", np.array([-1.0, -0.9, -1e-3, 0.0, 0.3, 0.999, 1.0, 1.5])),
    *each("acosh", np.array([1.0, 1.001, 2.0, 1e3, 0.5])),
    *each("lgamma digamma", POSITIVE),
    *each("lgamma", np.array([-0.5, -1.5, -2.3, 0.0, inf, nan])),
    *each("gamma", np.array([-1.5, -0.5, -2.0, 0.5, 1.0, 5.0, 7.3, 20.0])),
    *each("erf erfc", np.array([-inf, -3.0, -0.5, 0.0, 1e-8, 0.5, 3.0, 6.0, inf, nan])),
    *each("ndtr", np.array([-inf, -12.0, -5.0, -1.0, 0.0, 0.5, 3.0, 8.0, inf, nan])),
    *each("log_ndtr", np.array([-inf, -1e4, -30.0, -20.1, -19.9, -10.1, -9.9, -3.0, 0.0, 0.1, 4.0, 8.0, inf, nan])),
    *each("ndtri logit", UNIT),
    *each("log_i0e", np.append(POSITIVE[:-1], [0.0, -2.5, nan])),
    *each("xlogy", np.array([0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 0.0, -1.5]),
          np.array([0.0, 2.0, inf, nan, 0.0, 3.0, -1.0, 0.2])),
    *each("xlog1py", np.array([0.0, 0.0, 0.0, 2.0, 2.0]), np.array([-1.0, inf, nan, -1.0, 3.0])),
    *each("gammainc gammaincc", POSITIVE[1:-1], np.array([0.1, 0.6, 0.9, 0.0, 1.7, inf, 9.0, 13.0, 30.0, 260.0])),
    *each("gammainc gammaincc", np.array([0.3, 2.0, nan]), np.array([nan, -1.0, 1.0])),
    *each("betainc betaincc", np.array([2.0, 2.0, 2.0, 2e5]), np.array([3.0, 3.0, 3.0, 3e5]), np.array([nan, -0.1, 1.1, 0.4003])),
    *each("gammaincinv gammainccinv", np.array([0.2, 0.5, 1.0, 2.0, 7.5, 40.0, 900.0, 2.0, 2.0, 2.0]),
          np.array([0.4, 0.01, 0.5, 0.999, 1e-6, 0.3, 0.8, 0.0, 1.0, nan])),
    *each("betainc betaincc", np.array([0.4, 1.0, 2.0, 30.0, 5.0, 5.0]), np.array([0.7, 1.0, 9.0, 40.0, 2.0, 2.0]),
          np.array([0.3, 0.6, 0.1, 0.4, 0.0, 1.0])),
    *each("betaincinv betainccinv", np.array([0.4, 1.0, 2.0, 30.0, 5.0, 5.0, 300.0]),
          np.array([0.7, 1.0, 9.0, 40.0, 2.0, 2.0, 3.0]), np.array([0.3, 0.6, 0.1, 0.999, 0.0, 1.0, 1e-4])),
    *each("lbeta", np.array([0.1, 1.0, 3.0, 9.0, 30.0, 1e6, 2.0, 5e4]),
          np.array([0.2, 1.0, 20.0, 9.0, 25.0, 2.0, 1e6, 6e4])),
    *each("reshape", A234, shape=(4, 6)),
    *each("transpose", A234, axes=(2, 0, 1)),
    *each("broadcast", np.array([1.0, 2.0, 3.0]), shape=(2, 3, 4), dims=(1,)),
    *each("broadcast", np.array([[1], [2]]), shape=(5, 2, 3), dims=(1, 2)),
    *each("concat", A23, A234[:, :, 0], axis=1),
    *each("concat", I23, J23, axis=0),
    *each("stack", A23, -A23),
    *each("stack", np.array(1.0), np.array(2.0), np.array(3.0)),
    *each("slice", A234, start=(0, 1, 0), stop=(2, 3, 4), step=(1, 1, 2)),
    *each("slice", A234, start=(1, 0, 3), stop=(1, 3, 4), step=(1, 1, 1)),
    *each("reverse", A234, axes=(0, 2)),
    *each("take", A234, np.array([2, 0, 0, 9, -4]), axis=1),
    *each("take", A234, np.array([[1, 0], [0, 1], [1, 1]]), axis=0),
    *each("take", A234, np.array(3), axis=2),
    *each("take", A234, np.array(-1), axis=1),
    *each("take", B23, np.array(7), axis=0),
    *each("sum prod max min", A234, axes=(0, 2)),
    *each("sum prod max min", I23, axes=(1,)),
    *each("sum prod max min logsumexp", np.zeros((2, 0, 3)), axes=(1,)),
    *each("max min", np.array([[1.0, nan, 2.0], [3.0, inf, -inf]]), axes=(1,)),
    *each("all any", B23, axes=(0,)),
    *each("all any", np.zeros((2, 0), bool), axes=(1,)),
    *each("logaddexp", REALS, REALS[::-1]),
    *each("logaddexp", np.array([inf, -inf, -inf, inf, nan, 800.0]), np.array([inf, -inf, 2.0, -inf, 1.0, 800.0])),
    *each("softmax", A23, axis=1),
    *each("softmax", np.array([[-inf, 0.0, 800.0], [-inf, -inf, -inf], [inf, 0.0, 1.0]]), axis=1),
    *each("logsumexp", A234, axes=(1,)),
    *each("logsumexp", np.array([[-inf, -inf, -inf], [1.0, inf, 2.0], [-inf, 700.0, 701.0], [nan, 1.0, 2.0]]),
          axes=(1,)),
    *each("cumsum cumprod cummax cummin sort", A234, axis=1),
    *each("cumsum cumprod cummax cummin sort", I23, axis=0),
    *each("cummax cummin sort", np.array([1.0, 3.0, nan, 2.0, inf, -inf]), axis=0),
    *each("sort", B23, axis=1),
    *each("dot", A23, A35),
    *each("dot", A35[:, 1], A35),
    *each("dot", A23, A35[:, 1]),
    *each("dot", I23[0], J23[1]),
    *each("dot", np.array([1 + 1j, 2.0]), np.array([1 - 1j, 3j])),
    *each("cholesky inv det logabsdet", M3),
    *each("cholesky inv det logabsdet", M2),
    *each("cholesky inv det logabsdet", M9),
    *each("cholesky", np.array([[4.0]])),
    *each("cholesky", -M3),
    *each("cholesky", -M2),
    *each("inv det logabsdet", A35[:, :3]),
    *each("inv logabsdet", np.array([[1.0, 2.0], [2.0, 4.0]])),
    *each("det", SINGULAR),
    *each("solve", A35[:, :3], RHS3),
    *each("solve", A35[:, :3], A35[:, 1:]),
    *each("qr", A35.T),
    *[("triangular_solve", (a, b), {"lower": lower, "transposed": transposed})
      for a, b in ((LOW3, RHS3), (LOW3, A35), (LOW3[:2, :2], A35[:2, :2]), (LOW3[:2, :2], RHS3[:2]))
      for lower in (True, False) for transposed in (True, False)],
]  # fmt: skip

#: Where float32 rounding of intermediate results costs more.
LOOSE = {
    "gammainc": 1e-4, "gammaincc": 1e-4, "gammaincinv": 3e-4, "gammainccinv": 3e-4, "betainc": 1e-4, "betaincc": 1e-4,
    "betaincinv": 3e-4, "betainccinv": 3e-4,
    "det": 1e-4, "inv": 1e-3, "solve": 1e-4, "digamma": 1e-4, "gamma": 2e-5, "pow": 5e-5, "lbeta": 1e-5, "ndtr": 2e-5,
}  # fmt: skip
#: Small results count.
RELATIVE = (
    "ndtr", "log_ndtr", "ndtri", "erfc", "exp", "gammainc", "gammaincc", "gammaincinv", "gammainccinv", "betaincinv",
    "betaincc", "betainccinv",
)  # fmt: skip


def rounded(x: Any, dtype: str) -> Any:
    kind = x.dtype.kind
    if kind == "f":
        return x.astype(dtype).astype(np.float64)
    return x.astype("complex64").astype(np.complex128) if kind == "c" and dtype == "float32" else x


#: All cases of a primitive in one query: (name, dtype, target).
RUNS = [
    (name, dtype, target)
    for name in dict.fromkeys(name for name, _, _ in CASES)
    for dtype in ("float32", "float64")
    for target in ("cpu", "gpu")
    if target == "cpu" or name in ("cholesky", "triangular_solve")
]


@pytest.mark.parametrize(("name", "dtype", "target"), RUNS)
def test_equals_numpy(name: str, dtype: str, target: str, make: Any) -> None:
    cases = [([rounded(np.asarray(a), dtype) for a in arrays], params) for n, arrays, params in CASES if n == name]
    flat = [a for arrays, _ in cases for a in arrays]

    def body(builder: Any, *xs: Any) -> list[Any]:
        rest, results = iter(xs), []
        for arrays, params in cases:
            node = builder.build(CORE[name], tuple(next(rest) for _ in arrays), params)
            count = len(node.aval) if isinstance(node.aval, tuple) else 0
            results += [builder.apply("item", node, index=k) for k in range(count)] or [node]
        return results

    inputs = {f"x{k}": TensorForm(aval_of(a).kind, a.shape) for k, a in enumerate(flat)}
    with jax.enable_x64(dtype == "float64"):
        got = make(body, inputs, dtype=dtype, target=target)(*flat)
    expected: list[Any] = []
    for arrays, params in cases:
        with np.errstate(all="ignore"):
            result = CORE[name].evaluate(*arrays, **params)
        expected += result if isinstance(result, tuple) else [result]
    for g, e in zip(got if isinstance(got, tuple) else [got], expected, strict=True):
        compare(name, np.asarray(g), np.asarray(e), dtype)


def compare(name: str, got: Any, expected: Any, dtype: str) -> None:
    assert got.shape == expected.shape
    exact = dtype == "float64"
    if expected.dtype.kind == "i" and not exact:
        expected = np.clip(expected, -(2**31), 2147483520)
    with np.errstate(over="ignore"):
        expected = expected.astype(got.dtype)
    if name == "cholesky" and np.isnan(expected).any():  # JAX keeps the zeros above the diagonal
        got, expected = np.tril(got), np.tril(expected)
    size = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
    atol = 0.0 if name in RELATIVE else (1e-12 if exact else 3e-6) * (1.0 + size)
    np.testing.assert_allclose(got, expected, rtol=1e-10 if exact else LOOSE.get(name, 5e-6), atol=atol)


def test_every_primitive_has_a_rule() -> None:
    leaves = {"constant", "variable", "random"}
    assert set(CORE) - leaves == set(COMMON)
    tested = {name for name, _, _ in CASES}
    elsewhere = {"annotated", "integrate", "series", "epsilon", "pack", "item", "map", "scan"} | {
        name for name in CORE if name.startswith("random_")
    }
    assert set(CORE) - leaves - tested - elsewhere == set()
