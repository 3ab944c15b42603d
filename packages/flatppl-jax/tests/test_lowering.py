"""The program text: loops, types, profiles, determinism; random numbers; sharding."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import exp, logistic
from flatppl.tensor.program import Region, close
from flatppl.values.forms import TensorForm


def filter_(builder: Any, xs: Any, rate: Any) -> Any:
    """A scan with two carries, a captured parameter, stacked outputs, and an integer step count."""
    region = Region(builder.root)
    level, count = builder.variable(Aval("real"), region), builder.variable(Aval("integer"), region)
    x = builder.variable(Aval("real"), region)
    new = level + rate * (logistic(x) - level)
    body = close([level, count, x], [new, count + 1, new * new], region)
    start = [builder.constant(0.0), builder.constant(0)]
    length = xs.shape[0]
    loop = builder.apply("scan", *start, xs, *body.captures, body=body, carries=2, length=length)
    return [builder.apply("item", loop, index=k) for k in range(3)]


def filter_query(make: Any, length: int, **options: Any) -> Any:
    return make(filter_, {"xs": TensorForm("real", (length,)), "rate": "real"}, **options)


def test_scan_equals_a_loop(make: Any) -> None:
    xs, rate = np.linspace(-1.0, 2.0, 5), 0.3
    level, squares = 0.0, []
    for x in xs:
        level += rate * (1 / (1 + np.exp(-x)) - level)
        squares.append(level**2)
    last, count, ys = filter_query(make, 5)(xs, rate)
    np.testing.assert_allclose(last, level, rtol=1e-6)
    np.testing.assert_allclose(ys, squares, rtol=1e-6)
    assert (int(count), count.dtype) == (5, np.int32)
    empty = filter_query(make, 0)(np.zeros(0), rate)
    assert (float(empty[0]), empty[2].shape) == (0.0, (0,))


def test_scan_text_does_not_grow(make: Any) -> None:
    texts = [filter_query(make, n).stablehlo for n in (1111, 9999)]
    assert texts[0].count("stablehlo.while") == 1
    assert texts[0].replace("1111", "9999") == texts[1]


def test_mapped_scan_keeps_one_loop_and_differentiates(make: Any) -> None:
    query = filter_query(make, 7)
    mapped = jax.vmap(jax.grad(lambda xs, rate: query(xs, rate)[0], 1), (0, None))
    xs = jnp.asarray(np.linspace(-1, 1, 21), np.float32).reshape(3, 7)
    assert jax.jit(jax.vmap(query, (0, None))).lower(xs, jnp.float32(0.2)).as_text().count("stablehlo.while") == 1
    h = 1e-2
    expected = [(query(x, 0.2 + h)[0] - query(x, 0.2 - h)[0]) / (2 * h) for x in xs]
    np.testing.assert_allclose(mapped(xs, jnp.float32(0.2)), expected, rtol=1e-3)
    assert np.isfinite(jax.hessian(lambda r: query(xs[0], r)[0])(jnp.float32(0.2)))


def grid(builder: Any, a: Any, b: Any) -> Any:
    """A map over two axes, with cells of rank one, a captured array, and a constant result."""
    region = Region(builder.root)
    cell = builder.variable(Aval("real", (4,)), region)
    body = close([cell], [builder.apply("sum", cell * b, axes=(0,)), builder.constant(True)], region)
    loop = builder.apply("map", a, *body.captures, body=body, axes=a.shape[:2])
    return [builder.apply("item", loop, index=k) for k in range(2)]


@pytest.mark.parametrize("axes", [(2, 3), (0, 3)])
def test_map(axes: tuple[int, int], make: Any) -> None:
    query = make(grid, {"a": TensorForm("real", (*axes, 4)), "b": TensorForm("real", (4,))})
    a, b = np.arange(np.prod(axes) * 4.0).reshape(*axes, 4), np.array([1.0, -2.0, 0.5, 3.0])
    sums, flags = query(a, b)
    np.testing.assert_allclose(sums, a @ b)
    assert flags.shape == axes
    assert flags.all()


def everything(builder: Any, x: Any, v: Any, m: Any, n: Any) -> list[Any]:
    """Many primitives of all chapters."""
    one, half = builder.constant(1.0), builder.constant(0.5)
    unary = [
        "exp", "log", "log1p", "sqrt", "sin", "atan", "tanh", "asinh", "floor", "round", "logistic", "lgamma",
        "digamma", "gamma", "erf", "erfc", "ndtr", "log_ndtr", "ndtri",
    ]  # fmt: skip
    parts = [builder.apply(name, logistic(v)) for name in unary]
    parts += [builder.apply(name, exp(x), logistic(x)) for name in ("gammainc", "gammaincc", "gammaincinv", "lbeta")]
    parts += [builder.apply(name, one, half, logistic(x)) for name in ("betainc", "betaincinv")]
    reduced = [builder.apply(name, v, axes=(0,)) for name in ("sum", "prod", "max", "logsumexp")]
    ordered = [builder.apply(name, v, axis=0) for name in ("cumsum", "cumprod", "cummax", "sort")]
    matrices = [builder.apply(name, m) for name in ("cholesky", "inv", "det", "logabsdet")]
    indexed = [builder.apply("take", v, n, axis=0), builder.apply("take", v, builder.constant([2, 0]), axis=0)]
    counted = [builder.convert(v, "integer"), n + 1, builder.apply("floordiv", n, builder.constant(2))]
    spacing = builder.apply("epsilon")
    return [*parts, *reduced, *ordered, *matrices, *indexed, *counted, spacing, x + spacing]


def no_loops(builder: Any, x: Any, v: Any, m: Any, n: Any) -> list[Any]:
    picked = builder.apply("take", v, n, axis=0) + builder.apply("take", v, builder.constant([2, 0]), axis=0)
    counted = builder.apply("floordiv", n + 1, builder.constant(2))
    special = [builder.apply(name, logistic(v)) for name in ("lgamma", "digamma", "gamma", "ndtr", "log_ndtr", "ndtri")]
    special += [builder.apply("lbeta", exp(x), logistic(x)), builder.apply("logsumexp", v * x, axes=(0,))]
    return [picked, builder.convert(v, "integer"), counted, *special]


EVERYTHING = {"x": "real", "v": TensorForm("real", (3,)), "m": TensorForm("real", (3, 3)), "n": "integer"}


def test_float32_text_has_no_wide_types_under_x64(make: Any) -> None:
    query = make(everything, EVERYTHING)
    with jax.enable_x64(True):
        text = query.stablehlo
        total = jax.grad(lambda x, v: sum(jnp.sum(y) for y in query(x, v, np.eye(3), 1)[:-5]), (0, 1))
        slopes = jax.jit(total)
        slope_text = slopes.lower(jnp.float32(1), jnp.ones(3, np.float32)).as_text()
        narrow = make(no_loops, EVERYTHING).stablehlo
    # JAX 0.12 lowers incomplete gamma and beta functions with scalar constants of default type.
    assert re.findall(r"tensor<(?:\d+x)+f64>", text + slope_text) == []
    assert "f64" not in narrow
    # JAX counts the steps of its own loops with 64 bits then.
    assert re.findall(r"%.*tensor<(?:\d+x)*i64>", narrow) == []


def test_text_has_few_private_functions(make: Any) -> None:
    def body(builder: Any, x: Any, v: Any) -> Any:
        picked = builder.apply("select", v < 0.5, v, v * x)
        return builder.apply("logsumexp", picked, axes=(0,)) + builder.apply("log_ndtr", x)

    assert "func.func private" not in make(body, {"x": "real", "v": TensorForm("real", (3,))}).stablehlo


def test_lowers_for_cuda_without_a_device(make: Any) -> None:
    shapes = [jax.ShapeDtypeStruct(s, np.float32) for s in ((), (3,), (3, 3))] + [jax.ShapeDtypeStruct((), np.int32)]
    query = make(everything, EVERYTHING, target="gpu")
    exported = jax.export.export(jax.jit(query), platforms=["cuda"])(*shapes)
    assert exported.platforms == ("cuda",)

    def factor(target: str, n: int) -> str:
        form = {"m": TensorForm("real", (n, n))}
        one = make(lambda b, m: b.apply("cholesky", m), form, target=target)
        shape = jax.ShapeDtypeStruct((n, n), np.float32)
        return jax.export.export(jax.jit(one), platforms=["cuda"])(shape).mlir_module()

    native = {(t, n): "custom_call" in factor(t, n) or "stablehlo.cholesky" in factor(t, n)
              for t, n in (("cpu", 2), ("cpu", 3), ("gpu", 8), ("gpu", 9))}  # fmt: skip
    assert native == {("cpu", 2): False, ("cpu", 3): True, ("gpu", 8): False, ("gpu", 9): True}


CODE = """
import sys
sys.path.insert(0, sys.argv[1])
from conftest import executable
from flatppl.backend import Options
from flatppl.values.forms import TensorForm
from flatppl_jax.plugin import JaxBackend
body = lambda b, v: b.apply("logsumexp", v * b.constant([0.1, 0.2, 0.3]), axes=(0,))
print(JaxBackend().compile(executable(body, {"v": TensorForm("real", (3,))}), Options()).stablehlo)
"""


def test_text_is_the_same_in_every_process() -> None:
    import os
    from pathlib import Path

    texts = [
        subprocess.run(
            [sys.executable, "-c", CODE, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert "stablehlo.exponential" in texts[0]
    assert texts[0] == texts[1]


SAMPLERS = {
    "random_uniform": ((), 0.5, 1 / 12),
    "random_normal": ((), 0.0, 1.0),
    "random_loggamma": ((2.5,), None, None),
    "random_poisson": ((3.5,), 3.5, 3.5),
    "random_binomial": ((10, 0.3), 3.0, 2.1),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_random_numbers(name: str, make: Any) -> None:
    values, mean, variance = SAMPLERS[name]

    def body(builder: Any, state: Any) -> list[Any]:
        parameters = [builder.constant(value) for value in values]
        return [builder.apply(name, state, *parameters, shape=(4000,), stream=k) for k in (1, 2)]

    query = make(body, {"state": "rngstate"}, autodiff=False)
    with pytest.raises(ValueError, match="random state"):
        query([1729, 0])
    with jax.enable_x64(True):
        first, second = query([1729, 0])
        again, _ = query(jnp.array([1729, 0], np.uint64))
        other, _ = query([1729, 2**63])
        lanes = jax.vmap(lambda s: query(s)[0])(jnp.array([[1729, 0], [5, 0]], np.uint64))
        # JAX lowers parts of some samplers late, with scalar constants of default type.
        pattern = r"tensor<(?:\d+x)+f64>" if name in ("random_loggamma", "random_poisson") else "f64"
        assert re.findall(pattern, query.stablehlo) == []
        with pytest.raises(ValueError, match="fit"):
            query([-1, 0])
    assert first.dtype == (np.int32 if name in ("random_poisson", "random_binomial") else np.float32)
    assert (first == again).all()
    assert (lanes[0] == first).all()
    for different in (second, other, lanes[1]):
        assert not (first == different).all()
    draws = np.asarray(first, np.float64)
    if name == "random_uniform":
        assert (draws > 0).all()
        assert (draws < 1).all()
    if mean is None:
        draws, mean, variance = np.exp(draws), values[0], values[0]
    np.testing.assert_allclose(draws.mean(), mean, atol=5 * np.sqrt(variance / 4000))
    np.testing.assert_allclose(draws.var(), variance, rtol=0.15)


SHARDED = """
import sys
sys.path.insert(0, sys.argv[1])
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from conftest import executable
from test_lowering import filter_
from flatppl.backend import Options
from flatppl.tensor.ops import gammaincinv, logistic
from flatppl.values.forms import TensorForm
from flatppl_jax.plugin import JaxBackend

mesh = Mesh(np.array(jax.devices()), ("d",))
assert jax.device_count() == 4
loop = JaxBackend().compile(executable(filter_, {"xs": TensorForm("real", (3,)), "rate": "real"}), Options())
two = {"x": "real", "s": "real"}
root = JaxBackend().compile(executable(lambda b, x, s: gammaincinv(s, logistic(x)), two), Options())
xs = jnp.linspace(-1.0, 1.0, 24, dtype=np.float32).reshape(8, 3)
for query, points in ((lambda x, r: loop(x, r)[0], xs), (root, xs[:, 0])):
    mapped = jax.vmap(query, (0, None))
    shared = jnp.float32(0.3)
    expected = mapped(points, shared)
    split = jax.jit(jax.shard_map(mapped, mesh=mesh, in_specs=(P("d"), P()), out_specs=P("d")))
    np.testing.assert_allclose(split(points, shared), expected, rtol=2e-5)
    slopes = [jax.grad(lambda r, f=f: jnp.sum(f(points, r)))(shared) for f in (split, mapped)]
    np.testing.assert_allclose(*slopes, rtol=2e-4)
    auto = jax.jit(mapped, in_shardings=(NamedSharding(mesh, P("d")), NamedSharding(mesh, P())))
    np.testing.assert_allclose(auto(points, shared), expected, rtol=2e-5)
"""


def test_sharded_over_four_devices() -> None:
    import os
    from pathlib import Path

    env = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    arguments = [sys.executable, "-c", SHARDED, str(Path(__file__).parent)]
    result = subprocess.run(arguments, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-3000:]


A_FACTOR = np.random.default_rng(0).random((10_000, 10), np.float32)
FACTORS = np.random.default_rng(1).random((4, 10_000, 10), np.float32)
ADDED_UP = 1.0 - np.einsum("ij,kij->ki", A_FACTOR, FACTORS, dtype=np.float64)


def test_large_products_with_a_broadcast_factor_are_added_up_rightly(make: Any) -> None:
    """XLA's library fusion of jaxlib 0.10.2 is wrong where the first factor is the broadcast one."""

    def body(builder: Any, a: Any, b: Any) -> Any:
        spread = builder.apply("broadcast", a, shape=b.shape, dims=(1, 2))
        return builder.constant(1.0) - builder.apply("sum", spread * b, axes=(2,))

    forms = {"a": TensorForm("real", A_FACTOR.shape), "b": TensorForm("real", FACTORS.shape)}
    np.testing.assert_allclose(make(body, forms)(A_FACTOR, FACTORS), ADDED_UP, atol=1e-5)


@pytest.mark.parametrize("shape", [A_FACTOR.shape, A_FACTOR.shape[1:]], ids=["matrices", "rows"])
def test_lanes_of_large_products_are_added_up_rightly(shape: tuple[int, ...], make: Any) -> None:
    """The same where ``vmap`` makes the broadcast factor."""

    def body(builder: Any, a: Any, b: Any) -> Any:
        return builder.constant(1.0) - builder.apply("sum", a * b, axes=(len(shape) - 1,))

    query = make(body, {"a": TensorForm("real", shape), "b": TensorForm("real", shape)})
    lanes = jax.vmap(query if shape == A_FACTOR.shape else jax.vmap(query), (None, 0))
    np.testing.assert_allclose(jax.jit(lanes)(A_FACTOR, FACTORS), ADDED_UP, atol=1e-5)
