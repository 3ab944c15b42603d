"""Latent counts without end: sums that stop where the rest is proved to be small."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom, geom, laplace, nbinom, norm, poisson

from flatppl import CompilationError, Integration, flatppl

TIGHT = Integration(rtol=1e-13)


def compiled(source: str, integration: Integration = TIGHT, **options: Any) -> Any:
    return flatppl(source).compile(integration=integration, **{"dtype": "float64", **options})


K = np.arange(3000)
#: Draws, query, log density at c = 1.7 by a long sum.
MODELS = {
    "normal": (
        "k ~ Poisson(c)\ny ~ Normal(k, 0.5)", "1.3",
        lambda c: poisson.logpmf(K, c) + norm.logpdf(1.3, K, 0.5),
    ),
    "far from the prior": (
        "k ~ Poisson(c)\ny ~ Normal(k, 0.5)", "160.0",
        lambda c: poisson.logpmf(K, c) + norm.logpdf(160.0, K, 0.5),
    ),
    "a scale that depends on the count": (
        "k ~ Geometric(0.2)\ny ~ Normal(c * k, sqrt(0.1 + 0.2 * k))", "21.3",
        lambda c: geom.logpmf(K + 1, 0.2) + norm.logpdf(21.3, c * K, np.sqrt(0.1 + 0.2 * K)),
    ),
    "counts of counts": (
        "k ~ NegativeBinomial(2.0, 0.5)\ny ~ Poisson(c * k + 0.1)", "7",
        lambda c: nbinom.logpmf(K, 2.0, 0.5 / 1.5) + poisson.logpmf(7, c * K + 0.1),
    ),
    "less than one failure": (
        "k ~ NegativeBinomial2(c, 0.3)\ny ~ Laplace(k, 2.0)", "4.5",
        lambda c: nbinom.logpmf(K, 0.3, 0.3 / (0.3 + c)) + laplace.logpdf(4.5, K, 2.0),
    ),
    "more trials than a finite sum takes": (
        "k ~ Binomial(2000, 0.1 * c)\ny ~ Normal(k, 3.0)", "352.0",
        lambda c: binom.logpmf(K, 2000, 0.1 * c) + norm.logpdf(352.0, K, 3.0),
    ),
    "truncated": (
        "k ~ normalize(truncate(Poisson(c), interval(2.0, inf)))\ny ~ Normal(k, 0.5)", "0.4",
        lambda c: np.where(K >= 2, poisson.logpmf(K, c), -np.inf) - poisson.logsf(1, c) + norm.logpdf(0.4, K, 0.5),
    ),
    "truncated to an open set": (
        "k ~ normalize(truncate(Poisson(c), posreals))\ny ~ Normal(k, 0.5)", "0.4",
        lambda c: np.where(K > 0, poisson.logpmf(K, c), -np.inf) - poisson.logsf(0, c) + norm.logpdf(0.4, K, 0.5),
    ),
    "a mixture": (
        "k ~ normalize(superpose(weighted(0.3, Poisson(c)), weighted(0.7, Poisson(40.0))))\ny ~ Normal(k, 1.0)", "31.0",
        lambda c: np.logaddexp(
            np.log(0.3) + poisson.logpmf(K, c), np.log(0.7) + poisson.logpmf(K, 40.0)
        ) + norm.logpdf(31.0, K, 1.0),
    ),
    "several observations": (
        "k ~ Poisson(c)\ny ~ iid(Normal(k, 1.5), 3)", "[1.0, 2.5, 2.0]",
        lambda c: poisson.logpmf(K, c) + norm.logpdf(np.array([1.0, 2.5, 2.0]), K[:, None], 1.5).sum(axis=1),
    ),
    "a count for every observation": (
        "k ~ iid(Poisson(c), 3)\ny ~ Normal.(k, 0.5)", "[0.3, 1.2, 5.0]",
        lambda c: (poisson.logpmf(K[:, None], c) + norm.logpdf([0.3, 1.2, 5.0], K[:, None], 0.5)),
    ),
    "counts with rates of their own": (
        "k ~ Poisson.(c * [0.5, 1.0, 2.0])\ny ~ Normal.(k, 0.5)", "[0.3, 1.2, 5.0]",
        lambda c: (
            poisson.logpmf(K[:, None], c * np.array([0.5, 1.0, 2.0])) + norm.logpdf([0.3, 1.2, 5.0], K[:, None], 0.5)
        ),
    ),
    "a kernel": (
        "y ~ kchain(Poisson(c), k -> Normal(k, 0.5))", "1.3",
        lambda c: poisson.logpmf(K, c) + norm.logpdf(1.3, K, 0.5),
    ),
}  # fmt: skip


def model(name: str) -> tuple[str, Any]:
    draws, point, terms = MODELS[name]
    source = f"c = elementof(posreals)\n{draws}\ninputs = c\noutputs = logdensityof(kernelof(y, c = c)(c), {point})"
    return source, lambda c: np.sum(logsumexp(terms(c), axis=0))


@pytest.mark.parametrize("name", MODELS)
def test_values_and_derivatives(name: str) -> None:
    source, expected = model(name)
    assert compiled(source, backend="numpy")(1.7) == pytest.approx(expected(1.7), rel=1e-12)
    with jax.enable_x64(True):
        f = compiled(source)
        assert f(1.7) == pytest.approx(expected(1.7), rel=1e-12)
        slope = (expected(1.7 + 1e-4) - expected(1.7 - 1e-4)) / 2e-4
        assert jax.grad(f)(1.7) == pytest.approx(slope, rel=1e-6)
        curvature = (expected(1.71) - 2 * expected(1.7) + expected(1.69)) / 1e-4
        assert jax.hessian(f)(1.7) == pytest.approx(curvature, rel=1e-3)


def test_lanes_stop_at_counts_of_their_own() -> None:
    source, expected = model("normal")
    rates = np.array([0.01, 1.7, 300.0])
    f = compiled(source, Integration(), dtype="float32")
    np.testing.assert_allclose(jax.vmap(f)(rates), [expected(c) for c in rates], rtol=1e-4)
    slopes = [(expected(c * 1.0001) - expected(c * 0.9999)) / (2e-4 * c) for c in rates]
    np.testing.assert_allclose(jax.vmap(jax.grad(f))(rates), slopes, rtol=2e-3)


@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_the_rest_is_smaller_than_the_tolerance_says(backend: str) -> None:
    source, expected = model("less than one failure")
    with jax.enable_x64(True):
        for rtol in (1e-2, 1e-5, 1e-8):
            error = expected(1.7) - float(compiled(source, Integration(rtol=rtol), backend=backend)(1.7))
            assert -1e-14 <= error <= -math.log1p(-rtol) + 1e-14


@pytest.mark.parametrize(
    ("draws", "point", "masses", "density"),
    [
        ("a ~ Poisson(3.0)\nb ~ Poisson(2.0)\ny ~ Normal(1.0 * a + b, 1.0)", 2.3,
         poisson.pmf(K[:60], 2.0), lambda n: norm.pdf(2.3, n)),
        ("a ~ Poisson(3.0)\nb ~ Geometric(0.5)\ny ~ Poisson(1.0 + a + b)", 2,
         geom.pmf(K[:60] + 1, 0.5), lambda n: poisson.pmf(2, 1.0 + n)),
    ],
)  # fmt: skip
def test_sums_inside_sums(draws: str, point: float, masses: Any, density: Any) -> None:
    source = f"{draws}\noutputs = logdensityof(lawof(y), {point})"
    total = np.einsum("a,b,ab", poisson.pmf(K[:60], 3.0), masses, density(K[:60, None] + K[:60]))
    assert compiled(source, backend="numpy")() == pytest.approx(math.log(total), rel=1e-10)


@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_too_many_terms_are_nan(backend: str) -> None:
    source, _ = model("normal")
    few = compiled(source, Integration(max_intervals=2), dtype="float32", backend=backend)
    assert math.isfinite(few(3.0))
    assert math.isnan(few(300.0))


@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_an_impossible_observation_is_no_number(backend: str) -> None:
    draws = "x = elementof(reals)\nk ~ Poisson(2.0)\ny ~ Uniform(interval(0.0, 0.6))\nz = y + k"
    source = f"{draws}\ninputs = x\noutputs = logdensityof(lawof(z), x)"
    f = compiled(source, Integration(), dtype="float32", backend=backend)
    assert f(3.5) == pytest.approx(poisson.logpmf(3, 2.0) - math.log(0.6), rel=1e-5)
    assert f(-1.0) == -math.inf
    assert math.isnan(f(3.8))


@pytest.mark.parametrize("kernel", ["Exponential(k + 1.0)", "Normal(0.0, 1.0 / (1.0 + k))"])
def test_a_density_without_a_proved_bound_is_refused(kernel: str) -> None:
    source = f"k ~ Poisson(3.0)\ny ~ {kernel}\noutputs = logdensityof(lawof(y), 0.4)"
    with pytest.raises(CompilationError, match="cannot be cut off: no bound") as caught:
        compiled(source)
    assert "lawof(y)" in str(caught.value)


def test_exact_mode_refuses_and_says_what_allows_it() -> None:
    source = "k ~ Poisson(3.0)\ny ~ Normal(k, 1.0)\noutputs = logdensityof(lawof(y), 0.4)"
    with pytest.raises(CompilationError, match="allows quadrature and infinite sums"):
        flatppl(source).compile()
