"""Densities of images at and near the ends of the image, of negative powers, of vectors, and of atoms."""

from __future__ import annotations

import math
from typing import Any

import jax
import mpmath
import numpy as np
import pytest
from scipy.stats import (
    bernoulli,
    cauchy,
    expon,
    gamma,
    lognorm,
    multinomial,
    multivariate_normal,
    norm,
    pareto,
    poisson,
)

from flatppl import CompilationError, flatppl


def log_density(measure: str, point: str, draws: str = "") -> float:
    source = f"{draws}\noutputs = logdensityof({measure}, {point})"
    return float(flatppl(source).compile(backend="numpy", dtype="float64")())


def on_jax(measure: str, point: Any, dtype: str = "float64", domain: str = "reals") -> tuple[Any, Any]:
    """Log density at a point, and its gradient."""
    source = f"x = elementof({domain})\ninputs = x\noutputs = logdensityof({measure}, x)"
    with jax.enable_x64(dtype == "float64"):
        f = flatppl(source).compile(backend="jax", dtype=dtype)
        value, slopes = jax.value_and_grad(f)(np.asarray(point, dtype))
        return np.asarray(value), np.asarray(slopes)


#: Image, ends that only infinite numbers reach, a point inside, its density by the rule for the inverse.
OPEN = [
    ("pushfwd(tanh, Normal(0.0, 1.0))", [-1.0, 1.0], 0.3, lambda y: norm.logpdf(np.arctanh(y)) - math.log(1 - y * y)),
    ("pushfwd(x -> tanh(x) + 1.0, Normal(0.0, 1.0))", [0.0, 2.0], 0.5,
     lambda y: norm.logpdf(np.arctanh(y - 1)) - math.log(y * (2 - y))),
    ("pushfwd(x -> tanh(x) + 0.1, Normal(0.0, 1.0))", [-0.9, 1.1], 0.4,
     lambda y: norm.logpdf(np.arctanh(y - 0.1)) - math.log(1 - (y - 0.1) ** 2)),
    ("pushfwd(invprobit, Normal(0.0, 1.0))", [0.0, 1.0], 0.3, lambda y: 0.0),
    ("pushfwd(x -> 2 * invprobit(x), Normal(0.0, 1.0))", [0.0, 2.0], 0.3, lambda y: -math.log(2)),
    ("pushfwd(invlogit, Logistic(0.0, 1.0))", [0.0, 1.0], 0.3, lambda y: 0.0),
    ("pushfwd(expm1, Normal(0.0, 1.0))", [-1.0, math.inf], 0.5, lambda y: lognorm.logpdf(y + 1, 1.0)),
    ("pushfwd(exp, Normal(0.0, 1.0))", [0.0, math.inf], 0.5, lambda y: lognorm.logpdf(y, 1.0)),
    ("pushfwd(x -> 1.0 / x, LogNormal(0.0, 1.0))", [0.0, math.inf], 0.5, lambda y: lognorm.logpdf(y, 1.0)),
    ("pushfwd(x -> 1.0 / x, Pareto(2.0, 1.5))", [0.0, 0.7], 0.5, lambda y: pareto.logpdf(1 / y, 2, scale=1.5) - 2 * math.log(y)),
    ("pushfwd(x -> -expm1(-x), Exponential(1.0))", [1.0], 0.5, lambda y: 0.0),
    ("pushfwd(x -> 1.0 / (1.0 + exp(-x)), Logistic(0.0, 1.0))", [0.0, 1.0], 0.3, lambda y: 0.0),
    ("pushfwd(x -> log(tanh(x)), Exponential(1.0))", [0.0], -0.5,
     lambda y: -math.atanh(math.exp(y)) + y - math.log(1 - math.exp(2 * y))),
    ("pushfwd(log, LogNormal(0.0, 1.0))", [-math.inf, math.inf], 0.3, norm.logpdf),
    ("pushfwd(x -> log1p(exp(x)), Logistic(0.0, 1.0))", [0.0, math.inf], 0.3, expon.logpdf),
    ("pushfwd(asinh, Cauchy(0.0, 1.0))", [-math.inf, math.inf], 0.3,
     lambda y: cauchy.logpdf(math.sinh(y)) + math.log(math.cosh(y))),
    ("pushfwd(sinh, Normal(0.0, 1.0))", [-math.inf, math.inf], 0.3,
     lambda y: norm.logpdf(math.asinh(y)) - 0.5 * math.log1p(y * y)),
    ("pushfwd(probit, Uniform(interval(0.0, 1.0)))", [-math.inf, math.inf], 0.3, norm.logpdf),
    ("pushfwd(bijection(exp, log, x -> x), Normal(0.0, 1.0))", [-1.0, math.inf], 0.5, lambda y: lognorm.logpdf(y, 1.0)),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "ends", "inside", "density"), OPEN, ids=[case[0] for case in OPEN])
def test_the_density_vanishes_at_an_end_that_is_reached_at_infinity(
    measure: str, ends: list[float], inside: float, density: Any
) -> None:
    assert log_density(measure, repr(inside)) == pytest.approx(density(inside), rel=1e-12, abs=1e-12)
    for end in ends:
        assert log_density(measure, repr(end)) == -math.inf
        for dtype in ("float32", "float64"):
            value, slope = on_jax(measure, end, dtype)
            assert value == -math.inf
            assert math.isfinite(slope)


def test_a_number_next_to_an_open_end_that_rounds_to_it() -> None:
    """``1.1 - 0.1`` is 1 in float64, ``nextafter(1.1)`` may be: neither is NaN."""
    for point in (1.1, math.nextafter(1.1, 0.0), math.nextafter(1.1, 2.0)):
        assert log_density("pushfwd(x -> tanh(x) + 0.1, Normal(0.0, 1.0))", repr(point)) < -100.0


def test_open_ends_of_entries_and_of_computed_draws() -> None:
    vector = "pushfwd(v -> tanh.(v), iid(Normal(0.0, 1.0), 2))"
    assert log_density(vector, "[1.0, 0.5]") == -math.inf
    expected = sum(norm.logpdf(math.atanh(y)) - math.log(1 - y * y) for y in (0.2, 0.5))
    assert log_density(vector, "[0.2, 0.5]") == pytest.approx(expected, rel=1e-13)
    assert log_density("lawof(y)", "1.0", "x ~ Normal(0.0, 1.0)\ny = tanh(x)") == -math.inf
    value, slopes = on_jax(vector, [1.0, 0.5], domain="cartpow(reals, 2)")
    assert value == -math.inf
    assert np.isfinite(slopes).all()


def test_a_point_that_is_no_number_has_no_density() -> None:
    for measure in ("pushfwd(exp, Normal(0.0, 1.0))", "pushfwd(tanh, Normal(0.0, 1.0))"):
        assert math.isnan(on_jax(measure, math.nan)[0])


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # The power k of a Gamma(a) variate has a density like y^(a / k - 1) at 0.
        ("pushfwd(x -> x ^ 3.0, Gamma(2.0, 1.0))", math.inf),
        ("pushfwd(x -> x ^ 3, Gamma(3.0, 1.0))", -math.log(6.0)),
        ("pushfwd(x -> x ^ 3.0, Gamma(4.0, 1.0))", -math.inf),
        ("pushfwd(x -> (2.0 * x) ^ 3.0, Gamma(3.0, 1.0))", -math.log(6.0 * 8.0)),
        ("pushfwd(x -> sqrt(x ^ 6.0), Gamma(3.0, 1.0))", -math.log(6.0)),
        ("pushfwd(x -> x ^ 2.0, Exponential(1.0))", math.inf),
        ("pushfwd(x -> x ^ 2.0, Beta(2.0, 1.0))", 0.0),
        ("pushfwd(sqrt, Gamma(0.5, 0.5))", math.log(2.0) + norm.logpdf(0.0)),
        ("pushfwd(sqrt, Gamma(0.3, 1.0))", math.inf),
        ("pushfwd(sqrt, Gamma(0.7, 1.0))", -math.inf),
        ("pushfwd(sqrt, Exponential(1.0))", -math.inf),
        ("pushfwd(x -> x ^ 1, Exponential(1.0))", 0.0),
    ],
)
def test_the_density_at_a_closed_end_is_its_limit(measure: str, expected: float) -> None:
    """A finite limit is taken a little inside, so it has an error."""
    assert log_density(measure, "0.0") == pytest.approx(expected, abs=2e-5)
    assert on_jax(measure, 0.0, "float32")[0] == pytest.approx(expected, abs=2e-5)
    assert log_density(measure, "-1.0") == -math.inf


def test_volumes_do_not_overflow() -> None:
    """``cosh(y)`` is infinite in float32 long before the density is 0."""
    value, _ = on_jax("pushfwd(x -> asinh(x) * 100.0, Cauchy(0.0, 1.0))", 8500.0, "float32")
    y = mpmath.mpf(85)
    expected = mpmath.log(mpmath.cosh(y) / (mpmath.pi * (1 + mpmath.sinh(y) ** 2)) / 100)
    assert value == pytest.approx(float(expected), rel=1e-5)
    assert log_density("pushfwd(asinh, Cauchy(0.0, 1.0))", "900.0") == -math.inf


@pytest.mark.parametrize("k", [-1.0, -2, -0.5])
def test_negative_powers_of_a_law_that_is_closed_at_zero(k: float) -> None:
    measure = f"pushfwd(x -> x ^ ({k}), Gamma(2.0, 1.0))"
    expected = gamma.logpdf(2.0 ** (1 / k), 2.0) + math.log(2.0 ** (1 / k) / (2.0 * abs(k)))
    assert log_density(measure, "2.0") == pytest.approx(expected, rel=1e-13)
    for end in (0.0, -1.0, math.inf):
        assert log_density(measure, repr(end)) == -math.inf
        assert math.isfinite(on_jax(measure, end)[1])


def test_reciprocals_of_a_law_that_is_closed_at_zero() -> None:
    measure = "pushfwd(x -> 1.0 / x, Gamma(3.0, 2.0))"
    expected = gamma.logpdf(1 / 0.8, 3.0, scale=0.5) - 2 * math.log(0.8)
    assert log_density(measure, "0.8") == pytest.approx(expected, rel=1e-13)
    assert log_density(measure, "0.0") == -math.inf
    mass = gamma.cdf(1 / 0.5, 3.0, scale=0.5) - gamma.cdf(1 / 2.0, 3.0, scale=0.5)
    truncated = f"normalize(truncate({measure}, interval(0.5, 2.0)))"
    assert log_density(truncated, "0.8") == pytest.approx(expected - math.log(mass), rel=1e-12)


@pytest.mark.parametrize(
    "measure",
    [
        "pushfwd(x -> 1.0 / x, Poisson(3.0))",
        "pushfwd(x -> x ^ (-1.0), Poisson(3.0))",
        "normalize(truncate(pushfwd(x -> x ^ (-1.0), Poisson(3.0)), interval(0.1, 0.4)))",
        "pushfwd(x -> 1.0 / x, Normal(0.0, 1.0))",
        "pushfwd(x -> 1.0 / (x - 1.0), Gamma(3.0, 2.0))",
        "pushfwd(x -> 0.0 / x, Gamma(3.0, 2.0))",
        "pushfwd(x -> x ^ (-1.0), Normal(0.0, 1.0))",
    ],
)
def test_no_reciprocal_of_an_atom_or_of_both_signs(measure: str) -> None:
    with pytest.raises(CompilationError):
        log_density(measure, "0.5")


COV = [[1.0, 0.5], [0.5, 2.0]]


@pytest.mark.parametrize(
    "f", ["exp", "x -> exp(x)", "fn(exp(_))", "broadcasted(exp)", "v -> exp.(v)", "x -> exp(-(-x))"]
)
def test_a_function_of_one_number_goes_to_every_entry(f: str) -> None:
    both = f"pushfwd({f}, MvNormal([0.0, 0.0], rowstack({COV})))"
    expected = multivariate_normal.logpdf([0.0, math.log(2.0)], cov=COV) - math.log(2.0)
    assert log_density(both, "[1.0, 2.0]") == pytest.approx(expected, rel=1e-13)
    assert log_density(f"pushfwd({f}, iid(Poisson(3.0), 2))", "exp.([1, 2])") == pytest.approx(
        poisson.logpmf([1, 2], 3.0).sum(), rel=1e-13
    )


def test_vectors_and_numbers_do_not_add_in_an_image_either() -> None:
    with pytest.raises(CompilationError, match=r"write \.\+"):
        log_density("pushfwd(x -> x + 1.0, iid(Normal(0.0, 1.0), 2))", "[1.0, 2.0]")


@pytest.mark.parametrize(
    ("measure", "hit", "misses"),
    [
        ("pushfwd(v -> 2 * v, iid(Poisson(3.0), 2))", "[2, 4]", ["[1, 4]", "[-2, 4]", "[2.5, 4.0]"]),
        ("pushfwd(v -> v .+ 1, iid(Poisson(3.0), 2))", "[2, 3]", ["[0, 3]", "[2, 3.5]"]),
        ("pushfwd(v -> exp.(v), iid(Poisson(3.0), 2))", "exp.([1, 2])", ["[1.1, exp(2.0)]", "[-1.0, 1.0]"]),
        ("pushfwd(v -> rowstack([[2, 1], [1, 1]]) * v, iid(Poisson(3.0), 2))", "[4, 3]", ["[4, 5]", "[0, 1]"]),
        ("locscale(iid(Poisson(3.0), 2), [1, 1], 2)", "[3, 5]", ["[2, 5]", "[3, -1]"]),
        ("locscale(iid(Poisson(3.0), 2), 0.25, 0.5)", "[0.75, 1.25]", ["[0.5, 1.25]"]),
    ],
)
def test_elementwise_images_of_counts_have_no_volume(measure: str, hit: str, misses: list[str]) -> None:
    assert log_density(measure, hit) == pytest.approx(poisson.logpmf([1, 2], 3.0).sum(), rel=1e-13)
    for point in misses:
        assert log_density(measure, point) == -math.inf


def test_images_of_counts_of_other_laws() -> None:
    moved = "pushfwd(v -> v .+ 1, Multinomial(3, [0.2, 0.3, 0.5]))"
    expected = multinomial.logpmf([1, 1, 1], 3, [0.2, 0.3, 0.5])
    assert log_density(moved, "[2, 2, 2]") == pytest.approx(expected, rel=1e-13)
    assert log_density(moved, "[1, 1, 2]") == log_density(moved, "[0, 2, 4]") == -math.inf
    draws = "r = [1.0, 2.0]\nk ~ Poisson.(r)\ny = k .+ 1"
    assert log_density("lawof(y)", "[1, 3]", draws) == pytest.approx(
        poisson.logpmf([0, 2], [1.0, 2.0]).sum(), rel=1e-13
    )


def test_a_singular_matrix_is_no_bijection_of_counts() -> None:
    with pytest.raises(CompilationError, match="singular matrix"):
        log_density("pushfwd(v -> rowstack([[1, 1], [2, 2]]) * v, iid(Poisson(3.0), 2))", "[1, 2]")


DRAWS = (
    "y ~ Normal(0.0, 1.0)\nz ~ Bernoulli(0.3)\nk ~ Poisson(3.0)\nv ~ iid(Poisson(3.0), 2)\nu ~ iid(Normal(0.0, 1.0), 2)"
)
P, N = bernoulli.logpmf(1, 0.3), norm.logpdf
V = poisson.logpmf([1, 2], 3.0).sum()


@pytest.mark.parametrize(
    ("measure", "hit", "expected", "miss"),
    [
        ("joint(a = lawof(z), b = lawof(z))", "record(a = 1, b = 1)", P, "record(a = 1, b = 0)"),
        ("lawof([z, z])", "[1, 1]", P, "[0, 1]"),
        ("lawof(record(a = v, b = v))", "record(a = [1, 2], b = [1, 2])", V, "record(a = [1, 2], b = [1, 3])"),
        ("lawof(record(a = v[1], b = v))", "record(a = 1, b = [1, 2])", V, "record(a = 2, b = [1, 2])"),
        ("lawof(record(a = v, b = sum(v)))", "record(a = [1, 2], b = 3)", V, "record(a = [1, 2], b = 4)"),
        ("lawof(record(a = k + 1, b = 2.0 * k))", "record(a = 3, b = 4.0)", poisson.logpmf(2, 3.0), "record(a = 3, b = 5.0)"),
        ("lawof(record(a = y, b = floor(y)))", "record(a = 0.5, b = 0)", N(0.5), "record(a = 0.5, b = 1)"),
        ("lawof(record(b = floor(y), a = 2.0 * y))", "record(a = 1.0, b = 0)", N(0.5) - math.log(2), "record(a = 1.0, b = 1)"),
        ("lawof(record(a = u, b = floor.(u)))", "record(a = [1.5, 2.0], b = [1, 2])", N(1.5) + N(2.0),
         "record(a = [1.5, 2.0], b = [1, 1])"),
        ("lawof(record(a = y + k, b = k, c = floor(y)))", "record(a = 2.5, b = 2, c = 0)", N(0.5) + poisson.logpmf(2, 3.0),
         "record(a = 2.5, b = 2, c = 1)"),
        ("lawof(record(a = y, b = y > 0.0))", "record(a = 0.5, b = true)", N(0.5), "record(a = 0.5, b = false)"),
    ],
)  # fmt: skip
def test_a_count_may_be_determined_by_other_fields(measure: str, hit: str, expected: float, miss: str) -> None:
    assert log_density(measure, hit, DRAWS) == pytest.approx(expected, rel=1e-13)
    assert log_density(measure, miss, DRAWS) == -math.inf


@pytest.mark.parametrize(
    ("measure", "point"),
    [
        ("joint(a = lawof(y), b = lawof(y))", "record(a = 0.5, b = 0.5)"),
        ("lawof(record(a = y, b = 2.0 * y))", "record(a = 0.5, b = 1.0)"),
        ("lawof(record(a = u, b = u[1]))", "record(a = [1.0, 2.0], b = 1.0)"),
        ("lawof(record(a = y + k, b = k, c = y))", "record(a = 2.5, b = 2, c = 0.5)"),
        ("lawof(record(b = floor(y)))", "record(b = 0)"),
        ("lawof(record(a = k, b = 1))", "record(a = 2, b = 1)"),
    ],
)
def test_a_real_that_others_determine_is_singular(measure: str, point: str) -> None:
    with pytest.raises(CompilationError, match="density"):
        log_density(measure, point, DRAWS)
