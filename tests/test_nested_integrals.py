"""Several continuous latents or variates without a closed form: integrals inside integrals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import jax
import numpy as np
import pytest
from scipy.stats import expon, gamma, laplace, norm

from flatppl import Integration, flatppl

Function = Callable[[np.ndarray, np.ndarray], np.ndarray]


def plane(f: Function, a: Sequence[float], b: Sequence[float]) -> float:
    """Integral of ``f(a, b)`` over a box; each list holds the ends and where f has kinks."""
    (x, u), (y, v) = rule(a), rule(b)
    return float(u @ f(x[:, None], y[None, :]) @ v)


def rule(edges: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss-Legendre quadrature on panels between edges."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    fine = np.unique(np.concatenate([np.linspace(*pair, 25) for pair in itertools.pairwise(edges)]))
    half = np.diff(fine)[:, None] / 2
    return (fine[:-1, None] + half * (1 + nodes)).ravel(), (half * weights).ravel()


def weight(c: float, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + c * a**2 * b**4)


WEIGHT = "p -> 1.0 / (1.0 + c * p.a ^ 2 * p.b ^ 4)"
#: Model, and its value at c.
MODELS = {
    "two latents": (
        "a ~ Normal(0.0, 1.0)\nb ~ Gamma(2.0, 1.0)\ny ~ Normal(exp(c * a) * log1p(b), 0.7)\n"
        "outputs = logdensityof(kernelof(y, c = c)(c), 1.3)",
        lambda c: math.log(plane(
            lambda a, b: norm.pdf(a) * gamma.pdf(b, 2) * norm.pdf(1.3, np.exp(c * a) * np.log1p(b), 0.7),
            [-9, 9], [0, 5, 60],
        )),
    ),
    "a chain": (
        "m = kchain(Normal(0.0, c), a -> Normal(exp(a), 1.0), b -> Laplace(b * b, 0.7))\noutputs = logdensityof(m, 1.3)",
        lambda c: math.log(plane(
            lambda a, b: norm.pdf(a, 0, c) * norm.pdf(b, np.exp(a)) * laplace.pdf(1.3, b * b, 0.7), [-4, 4], [-12, -1.3**0.5, 1.3**0.5, 60],
        )),
    ),
    "mass of a vector": (
        "outputs = totalmass(weighted(p -> 1.0 / (1.0 + c * p[1] ^ 2 * p[2] ^ 4), joint(Normal(0.0, 1.0), "
        "Exponential(1.0))))",
        lambda c: plane(lambda a, b: norm.pdf(a) * expon.pdf(b) * weight(c, a, b), [-9, 9], [0, 5, 60]),
    ),
    "mass of a record": (
        f"outputs = totalmass(weighted({WEIGHT}, joint(a = Normal(0.0, 1.0), b = Normal(0.0, 1.0))))",
        lambda c: plane(lambda a, b: norm.pdf(a) * norm.pdf(b) * weight(c, a, b), [-9, 9], [-9, 9]),
    ),
    "normalized": (
        f"m = normalize(weighted({WEIGHT}, joint(a = Normal(0.0, 1.0), b = Exponential(1.0))))\n"
        "outputs = logdensityof(m, record(a = 0.3, b = 0.7))",
        lambda c: math.log(norm.pdf(0.3) * expon.pdf(0.7) * weight(c, 0.3, 0.7)) - math.log(
            plane(lambda a, b: norm.pdf(a) * expon.pdf(b) * weight(c, a, b), [-9, 9], [0, 5, 60])
        ),
    ),
    "inside a box": (
        "m = weighted(p -> exp(-c * abs(p.a * p.b) ^ 3), joint(a = Normal(0.0, 1.0), b = Exponential(1.0)))\n"
        "outputs = totalmass(truncate(m, cartprod(a = interval(-1.0, 2.0), b = interval(0.0, 1.5))))",
        lambda c: plane(lambda a, b: norm.pdf(a) * expon.pdf(b) * np.exp(-c * abs(a * b) ** 3), [-1, 0, 2], [0, 1.5]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_values_and_derivatives(name: str) -> None:
    model, expected = MODELS[name]
    source = f"c = elementof(posreals)\n{model}".replace("outputs", "inputs = c\noutputs")
    with jax.enable_x64(True):
        f = flatppl(source).compile(dtype="float64", integration=Integration(rtol=1e-9, max_intervals=512))
        value, slope = jax.value_and_grad(f)(0.4)
    assert value == pytest.approx(expected(0.4), rel=1e-8)
    assert slope == pytest.approx((expected(0.401) - expected(0.399)) / 0.002, rel=1e-4)
