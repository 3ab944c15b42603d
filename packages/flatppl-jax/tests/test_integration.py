"""Numerical integration in JAX: values in both precisions, derivatives, lanes, and size of the program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.scipy.stats import norm
from scipy import special, stats

from flatppl.integration import Integration
from flatppl.marginal.quadrature import log_integral
from flatppl.tensor import ops
from flatppl.tensor.avals import Aval
from flatppl.tensor.mapping import cells, finish_map
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, Region, close
from flatppl_jax.lower import lower
from flatppl_jax.rules import COMMON

inf, nan = math.inf, math.nan
LOG_ROOT = 0.5 * math.log(2 * math.pi)
REAL = Aval("real")
TOLERANCE = {"float64": 1e-10, "float32": 1e-5}


@pytest.fixture(params=["float64", "float32"])
def dtype(request: Any) -> Any:
    with jax.enable_x64(request.param == "float64"):
        yield request.param


@pytest.fixture
def x64() -> Any:
    with jax.enable_x64(True):
        yield


def dtypes(name: str) -> dict[str, Any]:
    kinds = ("real", "integer", "boolean")
    codes = ("f8", "i8", "?") if name == "float64" else ("f4", "i4", "?")
    return {kind: np.dtype(code) for kind, code in zip(kinds, codes, strict=True)}


def function(
    f: Callable[..., Node], bounds: Callable[..., Any], count: int, dtype: str = "float64", **settings: Any
) -> Callable[..., Any]:
    """``log of integral over t of exp(f(t, *xs))`` with ``lo, hi, *breakpoints = bounds(*xs)``."""
    builder = Builder(CORE)
    region = Region(builder.root)
    xs = [builder.variable(REAL) for _ in range(count)]
    t = builder.variable(REAL, region)
    lo, hi, *points = (builder.lift(x) if isinstance(x, Node) else builder.constant(float(x)) for x in bounds(*xs))
    options = Integration(**{"rtol": TOLERANCE[dtype], **settings})
    node = log_integral(builder, region, t, f(t, *xs), lo, hi, points, options)
    return lowered(xs, node, builder, dtype)


def lowered(xs: Sequence[Node], node: Node, builder: Builder, dtype: str) -> Callable[..., Any]:
    made = lower(close(xs, (node,), builder.root), COMMON, dtypes(dtype))
    return lambda *values: made.function(made.operands, values)[0]


def array(dtype: str, *values: Any) -> Any:
    return jnp.asarray(np.asarray(values), dtype)


def normal(t: Any, m: Any, s: Any) -> Any:
    return -0.5 * ops.square((t - m) / s) - ops.log(s) - LOG_ROOT


def whole(*_: Any) -> Any:
    return -inf, inf


def rows(*cells: Any) -> Any:
    return np.array(cells, float).T


STUDENT = rows((1, 0, 1), (0.3, 0, 1), (4, 7, 0.1), (1, -3, 100), (8, 0, 1e-6), (8, 0, 1e6))
BETA = rows((0.5, 0.5), (2, 0.5), (0.5, 3), (1, 1), (30, 20), (200, 3))
GAMMA = rows((0.5, 1), (0.5, 1e-6), (3, 1), (2.5, 1e6), (20, 0.1))


def student(t: Any, nu: Any, m: Any, s: Any) -> Any:
    norming = ops.lgamma((nu + 1.0) / 2.0) - ops.lgamma(nu / 2.0) - 0.5 * ops.log(nu * math.pi) - ops.log(s)
    return norming - (nu + 1.0) / 2.0 * ops.log1p(ops.square((t - m) / s) / nu)


FAMILIES = {
    "student": (student, whole, STUDENT),
    "beta": (lambda t, a, b: (a - 1.0) * ops.log(t) + (b - 1.0) * ops.log1p(-t) - ops.lbeta(a, b), lambda *_: (0, 1), BETA),
    "gamma": (
        lambda t, a, s: (a - 1.0) * ops.log(t) - t / s - ops.lgamma(a) - a * ops.log(s), lambda *_: (0, inf), GAMMA,
    ),
    "normal": (normal, whole, rows((0, 1), (7.3, 0.1), (-20, 3), (0, 1e-6), (0, 1e6))),
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_mass_is_one_in_every_lane(name: str, dtype: str) -> None:
    f, bounds, lanes = FAMILIES[name]
    values = jax.jit(jax.vmap(function(f, bounds, len(lanes), dtype)))(*array(dtype, *lanes))
    assert values.dtype == dtype
    np.testing.assert_allclose(values, 0, atol=3 * TOLERANCE[dtype])


def test_a_narrow_peak_is_found(dtype: str) -> None:
    value = jax.jit(function(normal, whole, 2, dtype))(*array(dtype, 7.3, 1e-3))
    # In float32 the point itself is known to 5e-4 of the width.
    np.testing.assert_allclose(value, 0, atol=1e-10 if dtype == "float64" else 2e-4)


def test_far_tails(dtype: str) -> None:
    tail = jax.jit(jax.vmap(function(lambda t, lo: normal(t, 0.0, 1.0), lambda lo: (lo, inf), 1, dtype)))
    points = np.array([-3.0, 0.0, 5.0, 40.0])
    np.testing.assert_allclose(tail(array(dtype, *points)), stats.norm.logsf(points), rtol=TOLERANCE[dtype], atol=1e-6)


def interval(t: Any, lo: Any, hi: Any) -> Any:
    return normal(t, 0.0, 1.0)


@pytest.mark.usefixtures("x64")
def test_derivatives_of_moving_bounds() -> None:
    f = function(interval, lambda lo, hi: (lo, hi), 2)
    exact = lambda lo, hi: jnp.log(norm.cdf(hi) - norm.cdf(lo))  # noqa: E731
    point = tuple(array("float64", -1.0, 0.7))
    for derive in (jax.grad, jax.jacfwd, jax.hessian):
        got, want = (jax.jit(derive(g, (0, 1)))(*point) for g in (f, exact))
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-10)


@pytest.mark.usefixtures("x64")
def test_third_derivative_of_captures() -> None:
    """The mass of exp(a t - t^2 / 2) is sqrt(2 pi) exp(a^2 / 2)."""
    f = function(lambda t, a: a * ops.sin(t) + normal(t, 0.0, 1.0) + a * t - a * ops.sin(t), whole, 1)
    a = array("float64", 0.8)[0]
    derivatives = [f, jax.grad(f), jax.jacfwd(jax.grad(f)), jax.grad(jax.grad(jax.grad(f)))]
    values = [jax.jit(g)(a) for g in derivatives]
    np.testing.assert_allclose(values, [0.32, 0.8, 1.0, 0.0], atol=1e-8)


STEP = [0.5, 4.0, 4.99, 7.0, -1.0, nan]


@pytest.mark.usefixtures("x64")
def test_derivatives_of_a_breakpoint() -> None:
    f = function(lambda t, c: ops.select(t < c, 0.0, -1.0) + 0.0 * t, lambda c: (0, 5, c), 1)
    c = np.array(STEP)
    inside = np.clip(np.nan_to_num(c, nan=-1.0), 0.0, 5.0)
    mass, slope = inside + (5 - inside) / math.e, np.where((c > 0) & (c < 5), 1 - 1 / math.e, 0.0)
    got = jax.jit(jax.vmap(lambda c: (f(c), jax.grad(f)(c), jax.hessian(f)(c))))(array("float64", *c))
    np.testing.assert_allclose(got, (np.log(mass), slope / mass, -((slope / mass) ** 2)), rtol=1e-9, atol=1e-11)


@pytest.mark.usefixtures("x64")
def test_failed_lanes_do_not_spread() -> None:
    f = function(interval, lambda lo, hi: (lo, hi), 2, max_intervals=16)
    lanes = array("float64", [-1.0, 2.0, 1.0, nan, -1.0, -1e9], [1.0, 1.0, 1.0, 1.0, 2.0, 1e9])
    value, (slope, _) = jax.jit(jax.vmap(jax.value_and_grad(f, (0, 1))))(*lanes)
    assert np.isnan(value).tolist() == [False, True, True, True, False, True]
    assert np.isnan(slope).tolist() == [False, True, True, True, False, True]
    np.testing.assert_allclose(value[4], math.log(stats.norm.cdf(2) - stats.norm.cdf(-1)), rtol=1e-9)


@pytest.mark.usefixtures("x64")
def test_no_mass_at_nodes_keeps_gradients_finite() -> None:
    """A density that is -inf in part, with infinite derivatives there."""
    f = function(lambda t, a: a * ops.log(ops.maximum(t, 0.0)) - t, lambda a: (-1, 50, 0), 1, rtol=1e-8)
    a = array("float64", 1.5)[0]
    np.testing.assert_allclose(jax.jit(f)(a), special.gammaln(2.5), rtol=1e-7)
    np.testing.assert_allclose(jax.jit(jax.grad(f))(a), special.digamma(2.5), rtol=1e-6)


@pytest.mark.usefixtures("x64")
def test_inside_map_and_scan() -> None:
    builder = Builder(CORE)
    xs = builder.variable(Aval("real", (4,)))
    outer = Region(builder.root)
    (x,) = cells(builder, [xs], (4,), outer)
    inner = Region(outer)
    t = builder.variable(REAL, inner)
    bounds = builder.constant(-inf), builder.constant(inf)
    node = log_integral(builder, inner, t, normal(t, x, 2.0) + normal(t, 0.0, 1.0), *bounds, [], Integration(1e-9))
    (mapped,) = finish_map(builder, [xs], (4,), outer, [x], [node])
    f = lowered([xs], mapped, builder, "float64")
    values = np.array([-30.0, 0.0, 0.1, 4.0])
    want = stats.norm.logpdf(values, 0, math.sqrt(5))
    np.testing.assert_allclose(jax.jit(f)(array("float64", *values)), want, rtol=1e-8)

    def walk(x: Any) -> Any:
        return jax.lax.scan(lambda c, _: (c + 0.1 * jnp.sum(f(c)) / 4, None), x, length=3)[0].sum()

    slope = jax.jit(jax.grad(walk))(array("float64", *values))
    step = 1e-5 * np.eye(4)[1]
    ends = [jax.jit(walk)(array("float64", *(values + sign * step))) for sign in (1, -1)]
    np.testing.assert_allclose(slope[1], (ends[0] - ends[1]) / 2e-5, rtol=1e-6)


@pytest.mark.usefixtures("x64")
def test_nested_integrals() -> None:
    """A normal law of a normal mean, twice integrated: mass one; its derivative by the outer bound is the density."""
    builder = Builder(CORE)
    hi = builder.variable(REAL)
    outer = Region(builder.root)
    x = builder.variable(REAL, outer)
    inner = Region(outer)
    t = builder.variable(REAL, inner)
    ends = builder.constant(-inf), builder.constant(inf)
    density = log_integral(builder, inner, t, normal(x, t, 2.0) + normal(t, 0.0, 1.0), *ends, [], Integration(1e-9))
    node = log_integral(builder, outer, x, density, ends[0], hi, [], Integration(1e-8))
    value, slope = jax.jit(jax.value_and_grad(lowered([hi], node, builder, "float64")))(array("float64", 1.0)[0])
    law = stats.norm(0, math.sqrt(5))
    np.testing.assert_allclose((value, slope), (law.logcdf(1.0), law.pdf(1.0) / law.cdf(1.0)), rtol=1e-7)


@pytest.mark.usefixtures("x64")
def test_program_size_does_not_grow() -> None:
    texts = []
    for limit in (64, 1024):
        f = jax.jit(jax.grad(function(normal, whole, 2, max_intervals=limit)))
        text = f.lower(*array("float64", 0.0, 1.0)).as_text()
        texts.append(text)
        assert "callback" not in text
    assert len(texts[1].splitlines()) == len(texts[0].splitlines())


def test_float32_under_x64_has_no_float64() -> None:
    with jax.enable_x64(True):
        f = jax.jit(jax.grad(function(normal, lambda m, s: (-inf, inf, m), 2, "float32")))
        assert "f64" not in f.lower(*array("float32", 0.0, 1.0)).as_text()
