"""The shared functions against 40 digits."""

from __future__ import annotations

import math

import mpmath
import pytest

from flatppl import flatppl
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder
from flatppl_distributions.numerics import (
    log1p_minus,
    log1p_square,
    log_difference,
    log_kernel,
    log_peak,
    stirling_error,
)


def value(function, *numbers: float) -> float:
    builder = Builder(CORE)
    return float(function(*(builder.constant(x) for x in numbers)).constant)


@pytest.mark.parametrize("t", [-0.2, -0.1, -1e-3, 1e-12, 0.05, 0.2])
def test_log1p_minus(t: float) -> None:
    with mpmath.workdps(40):
        expected = float(mpmath.log1p(mpmath.mpf(t)) - mpmath.mpf(t))
    assert value(log1p_minus, t) == pytest.approx(expected, rel=1e-15, abs=0)


@pytest.mark.parametrize("a", [1e-6, 0.5, 1.0, 9.99, 10.0, 10.01, 250.0, 1e6, 1e12])
def test_stirling_error(a: float) -> None:
    with mpmath.workdps(60):
        x = mpmath.mpf(a)
        exact = mpmath.loggamma(x) - ((x - 0.5) * mpmath.log(x) - x + mpmath.log(2 * mpmath.pi) / 2)
        peak = x * mpmath.log(x) - x - mpmath.loggamma(x + 1)
    assert value(stirling_error, a) == pytest.approx(float(exact), rel=1e-13, abs=2e-14)
    assert value(log_peak, a) == pytest.approx(float(peak), rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("z", [0.0, 1e-9, 3.0, 0.99e8, 1.01e8, 1e200])
def test_log1p_square(z: float) -> None:
    with mpmath.workdps(40):
        expected = float(mpmath.log1p(mpmath.mpf(z) ** 2))
    assert value(log1p_square, -z) == pytest.approx(expected, rel=1e-15, abs=0)


@pytest.mark.parametrize(("a", "y"), [(1e6, 1000500.0), (3.0, 0.0), (2.5, 3.1), (1e-6, 40.0), (7.0, 1e300)])
@pytest.mark.parametrize("shift", [-1.0, 0.0, 1.0])
def test_log_kernel(a: float, y: float, shift: float) -> None:
    with mpmath.workdps(40):
        power = (a + shift) * mpmath.log(mpmath.mpf(y) / a) if y else -mpmath.inf
        expected = float(power + mpmath.mpf(a) - y)
    got = value(lambda a, y: log_kernel(a, y, y - a, shift), a, y)
    assert got == pytest.approx(expected, rel=1e-14, abs=1e-14)


def test_log_difference() -> None:
    assert value(log_difference, -3000.0, -3000.0 - math.log(2.0)) == pytest.approx(-3000.0 - math.log(2.0))
    assert value(log_difference, 0.0, -1e-18) == pytest.approx(math.log(1e-18))
    assert value(log_difference, -5.0, -math.inf) == -5.0
    assert value(log_difference, -math.inf, -math.inf) == -math.inf


@pytest.mark.parametrize("x", [-1.0, 0.5, 3.0])
def test_impossible_success(x: float) -> None:
    """Geometric(0) has no mass anywhere, and finite derivatives."""
    import jax

    text = f"p = elementof(unitinterval)\ninputs = p\noutputs = logdensityof(Geometric(p), {x})"
    function = flatppl(text).compile(dtype="float32")
    value, slope = jax.value_and_grad(lambda p: function(p=p))(0.0)
    assert float(value) == -math.inf
    assert math.isfinite(slope)
