"""Numerical integration on NumPy: accuracy, failure, breakpoints, and the node in its program."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from flatppl.errors import InternalError
from flatppl.integration import Integration
from flatppl.marginal.quadrature import find_breakpoints, log_integral
from flatppl.tensor import ops
from flatppl.tensor.avals import Aval
from flatppl.tensor.checks import take_checks
from flatppl.tensor.evaluate import evaluate_nodes
from flatppl.tensor.guards import guard_parameters
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, Region, close
from flatppl.tensor.quadrature.maps import locate, place
from flatppl.tensor.substitute import substitute

inf, nan = math.inf, math.nan
FINE = Integration(rtol=1e-10)
REAL = Aval("real")


def integral(f: Callable[..., Any], lo: Any, hi: Any, points: Any = (), settings: Integration = FINE) -> float:
    builder = Builder(CORE)
    region = Region(builder.root)
    t = builder.variable(REAL, region)
    bounds = [builder.constant(float(x)) for x in (lo, hi)]
    breaks = [builder.constant(float(x)) for x in points]
    node = log_integral(builder, region, t, builder.lift(f(t)), *bounds, breaks, settings)
    (value,) = evaluate_nodes((node,), (node,), {}) if node.constant is not None else (nan,)
    return float(value)


def normal(m: float, s: float) -> Callable[[Any], Any]:
    return lambda t: -0.5 * ops.square((t - m) / s) - math.log(s) - 0.5 * math.log(2 * math.pi)


def student(nu: float) -> Callable[[Any], Any]:
    norm = float(special.gammaln((nu + 1) / 2) - special.gammaln(nu / 2)) - 0.5 * math.log(nu * math.pi)
    return lambda t: norm - (nu + 1) / 2 * ops.log1p(ops.square(t) / nu)


def beta(a: float, b: float) -> Callable[[Any], Any]:
    return lambda t: (a - 1) * ops.log(t) + (b - 1) * ops.log1p(-t) - float(special.betaln(a, b))


def gamma(a: float, s: float = 1.0) -> Callable[[Any], Any]:
    return lambda t: (a - 1) * ops.log(t) - t / s - float(special.gammaln(a)) - a * math.log(s)


TAIL = float(stats.norm.logsf(40))
TABLE = {
    "normal": (normal(0, 1), -inf, inf, 0),
    "narrow": (normal(7.3, 1e-3), -inf, inf, 0),
    "tiny": (normal(0, 1e-6), -inf, inf, 0),
    "wide": (normal(0, 1e6), -inf, inf, 0),
    "far": (normal(1e3, 1), -inf, inf, 0),
    "tail": (normal(0, 1), 40, inf, TAIL),
    "tail left": (normal(0, 1), -inf, -40, TAIL),
    "tail bounded": (normal(0, 1), 40, 41, TAIL),
    "cauchy": (student(1), -inf, inf, 0),
    "heavy": (student(0.3), -inf, inf, 0),
    "arcsine": (beta(0.5, 0.5), 0, 1, 0),
    "steep at zero": (beta(0.1, 2), 0, 1, 0),
    "peak": (beta(200, 3), 0, 1, 0),
    "gamma 1/2": (gamma(0.5), 0, inf, 0),
    "gamma 1/20": (gamma(0.05), 0, inf, 0),
    "gamma scaled": (gamma(2.5, 1e6), 0, inf, 0),
    "pareto": (lambda t: math.log(0.7 * 2**0.7) - 1.7 * ops.log(t), 2, inf, 0),
    "root left": (lambda t: -0.5 * ops.log(-t), -4, 0, math.log(4)),
    "root inside": (lambda t: -0.5 * ops.log(3.0 - t), 1, 3, math.log(2 * math.sqrt(2))),
    "constant": (lambda t: 0.0 * t, 3, 5, math.log(2)),
    "underflow": (lambda t: normal(0, 1)(t) - 5000.0, -inf, inf, -5000),
    "overflow": (lambda t: normal(2, 0.01)(t) + 5000.0, -inf, inf, 5000),
    "periodic": (
        lambda t: 50 * (ops.cos(t) - 1.0), -math.pi, math.pi, math.log(2 * math.pi * special.ive(0, 50)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_accuracy(name: str) -> None:
    f, lo, hi, expected = TABLE[name]
    assert integral(f, lo, hi) == pytest.approx(expected, rel=1e-12, abs=1e-10)
    assert integral(f, lo, hi, settings=Integration()) == pytest.approx(expected, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("peak", [-1e4, -3.3, 1e-3, 0.41, 12.5, 1e4])
def test_no_single_peak_is_missed(peak: float) -> None:
    assert integral(normal(peak, 1e-3), -inf, inf, settings=Integration()) == pytest.approx(0, abs=1e-5)


FAILURES = {
    "diverges at 0": (lambda t: -ops.log(t), 0, 1),
    "diverges": (lambda t: 0.0 * t, 0, inf),
    "too hard": (lambda t: ops.log(ops.sin(1e4 * t) + 1.0), 0.5, 9),
    "undefined in part": (lambda t: ops.log(t - 0.5), 0, 1),
    "undefined": (lambda t: t * nan, -inf, inf),
    "no mass": (lambda t: -inf + 0.0 * t, 0, 1),
    "inverted": (lambda t: 0.0 * t, 2, 1),
    "inverted at 0": (lambda t: 0.0 * t, 0, -1),
    "empty": (lambda t: 0.0 * t, 1, 1),
    "no bound": (lambda t: 0.0 * t, nan, 1),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failure_is_nan(name: str) -> None:
    assert math.isnan(integral(*FAILURES[name]))


def test_what_overflows_far_out_is_zero() -> None:
    assert integral(lambda t: normal(0, 1)(t) + (ops.exp(2.0 * t) - ops.exp(2.0 * t)), -inf, inf) == pytest.approx(0)


def test_budget() -> None:
    assert math.isnan(integral(normal(0.3, 0.01), 0, 1, settings=Integration(max_intervals=4)))
    assert integral(lambda t: 0.0 * t, 1, 2, settings=Integration(max_intervals=2)) == pytest.approx(0)
    assert integral(student(2), -inf, inf, settings=Integration(rtol=0, atol=0.1, max_intervals=8)) == pytest.approx(
        0, abs=0.1
    )


STEPS = [1.25, 3.5]


@pytest.mark.parametrize("points", [STEPS, STEPS[::-1], [*STEPS, *STEPS, -7, 99, nan, inf, 0, 5]])
@pytest.mark.parametrize("bounds", [(0, 5), (-1, 5), (-5, 5), (-inf, inf), (0, inf), (-inf, 5), (-3, 0)])
def test_breakpoints(points: list[float], bounds: tuple[float, float]) -> None:
    def f(t: Any) -> Any:
        return normal(0, 2)(t) + ops.select(t < 1.25, 0.0, ops.select(t <= 3.5, -inf, 1.0))

    lo, hi = bounds
    law = stats.norm(0, 2)
    mass = law.cdf(min(hi, 1.25)) - law.cdf(lo) + math.e * max(0.0, law.cdf(hi) - law.cdf(3.5))
    settings = Integration(rtol=1e-10, max_intervals=60)
    assert integral(f, lo, hi, points, settings) == pytest.approx(math.log(mass), abs=1e-10)


@pytest.mark.parametrize(
    ("domain", "lo", "hi"),
    [("line", -inf, inf), ("above", 2, inf), ("below", -inf, 3), ("from_zero", 0, 7), ("to_zero", -7, 0), ("finite", 1, 3)],
)  # fmt: skip
def test_maps_have_inverse_and_slope(domain: str, lo: float, hi: float) -> None:
    v = np.linspace(-0.45, 0.45, 19)
    t, slope = place(np, domain, lo, hi, v)
    np.testing.assert_allclose(locate(np, domain, lo, hi, t), v, rtol=1e-7, atol=1e-14)
    step = 1e-6
    numeric = (place(np, domain, lo, hi, v + step)[0] - place(np, domain, lo, hi, v - step)[0]) / (2 * step)
    np.testing.assert_allclose(np.abs(numeric), slope, rtol=1e-6, atol=1e-9)


def test_substitution_reaches_bounds_and_captures() -> None:
    builder = Builder(CORE)
    lo, m, region = builder.variable(REAL), builder.variable(REAL), Region(builder.root)
    t = builder.variable(REAL, region)
    node = log_integral(builder, region, t, normal(0, 1)(t - m), lo, builder.constant(inf), [], FINE)
    assert node.operands[0].params["domain"] == "above"
    (whole,) = substitute(builder, [node], {lo: builder.constant(-inf)})
    assert whole.operands[0].params["domain"] == "line"
    (value,) = substitute(builder, [node], {lo: builder.constant(1.5), m: builder.constant(1.5)})
    assert value.constant == pytest.approx(math.log(0.5))


def test_guards_leave_the_body() -> None:
    builder = Builder(CORE)
    s, region = builder.variable(REAL), Region(builder.root)
    t = builder.variable(REAL, region)
    scale = s + t
    f = guard_parameters(normal(0, 1)(t), scale > 0, ops.isnan(scale), "sigma must be positive")
    node = log_integral(builder, region, t, f, builder.constant(1.0), builder.constant(2.0), [], FINE)
    (value,), (flag,) = take_checks(builder, [node])
    program = close((s,), (value, flag.ok, flag.silent), builder.root)
    for x, ok, silent in ((0.0, True, True), (-1.5, False, False), (nan, False, True)):
        results = evaluate_nodes(program.nodes, program.results, {s.number: np.asarray(x)})
        assert results[0] == pytest.approx(math.log(stats.norm.cdf(2) - stats.norm.cdf(1)))
        assert [bool(x) for x in results[1:]] == [ok, silent]


def test_breakpoints_are_found() -> None:
    builder = Builder(CORE)
    a, t = builder.variable(REAL), builder.variable(REAL, Region(builder.root))
    conditions = [t < a, a <= 2.0 * t, 3.0 - t < 1.0, (t + 1.0) / 4.0 <= 2.0, ops.square(t) < a, t < a * t, a < 1.0]
    node: Node = builder.constant(0.0)
    for condition in conditions:
        node = node + ops.select(condition, 1.0, 0.0)
    program = close((a,), find_breakpoints(node, t), builder.root)
    values = evaluate_nodes(program.nodes, program.results, {a.number: np.asarray(5.0)})
    assert sorted(float(x) for x in values) == [2.0, 2.5, 5.0, 7.0]


@pytest.mark.parametrize(
    "settings",
    [{"rtol": -1e-3}, {"rtol": inf}, {"atol": nan}, {"rtol": 0}, {"rtol": "1"}, {"max_intervals": 1},
     {"max_intervals": 2**31}, {"max_intervals": 8.0}, {"max_intervals": True}],
)  # fmt: skip
def test_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(reversed(settings))):
        Integration(**settings)
    assert Integration() == Integration(1e-5, 0.0, 128)


def test_shapes_are_checked() -> None:
    builder = Builder(CORE)
    region = Region(builder.root)
    t = builder.variable(REAL, region)
    bounds = builder.constant(0.0), builder.constant(np.ones(2))
    with pytest.raises(InternalError, match="scalars"):
        log_integral(builder, region, t, t, *bounds, [], FINE)
