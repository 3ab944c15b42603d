"""Parameter derivatives of the incomplete gamma and beta functions against Gauss-Legendre quadrature of their definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest
from scipy import special

from flatppl_jax.numerics.moments import beta_moments, gamma_moments

NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)


def tail(integrand: Callable[[Any], Any], edge: float, scale: float) -> float:
    """Integral from ``edge`` to where it no longer counts, in the direction of ``scale``: many short panels."""
    steps = np.concatenate([np.linspace(0.0, 8.0, 33), np.linspace(8.0, 100.0, 185)[1:]])
    ends = edge + scale * steps
    near_zero = np.linspace(-20.0, 20.0, 41)
    ends = np.unique([*ends, *near_zero[(near_zero > ends.min()) & (near_zero < ends.max())]])
    half = 0.5 * np.diff(ends)[:, None]
    return float(np.sum(abs(half) * WEIGHTS * integrand(ends[:-1, None] + half * (1.0 + NODES))))


def gamma_reference(order: int, a: float, x: float) -> float:
    centre, edge = special.digamma(a), np.log(x)
    lower = edge < max(centre, -30.0)
    width = 1.0 / max(a - x, 0.5 * np.sqrt(x)) if lower else 1.0 / max(x - a, np.sqrt(x)) + 0.05 * (edge < 0)

    def integrand(u: Any) -> Any:
        with np.errstate(over="ignore"):
            return (u - centre) ** order * np.exp(a * u - np.exp(u) - special.gammaln(a))

    return tail(integrand, edge, -width if lower else min(width, 0.5)) * (1.0 if lower else -1.0)


def beta_reference(i: int, j: int, a: float, b: float, x: float) -> float:
    lower = x * b < a * (1.0 - x)
    spread = np.sqrt(special.polygamma(1, a) + special.polygamma(1, b))

    def integrand(u: Any) -> Any:
        left, right = -np.logaddexp(0.0, -u), -np.logaddexp(0.0, u)
        first = left - special.digamma(a) + special.digamma(a + b)
        second = right - special.digamma(b) + special.digamma(a + b)
        return first**i * second**j * np.exp(a * left + b * right - special.betaln(a, b))

    return tail(integrand, special.logit(x), -spread if lower else spread) * (1.0 if lower else -1.0)


GAMMA = [
    (1e-6, 1e-9),
    (1e-6, 3e-3),
    (1e-3, 1e-20),
    (0.3, 1e-300),
    (0.3, 2.0),
    (5.0, 4.5),
    (5.0, 30.0),
    (1e4, 9.9e3),
    (1e4, 1.03e4),
]
BETA = [(1e-3, 0.5, 1e-10), (1e-3, 0.5, 2e-3), (0.3, 2.0, 0.2), (2.0, 0.3, 0.9999), (50.0, 3.0, 0.9), (1e4, 2e4, 0.33)]


@pytest.mark.parametrize("at", GAMMA, ids=str)
def test_gamma_moments(at: tuple[float, float]) -> None:
    with jax.enable_x64(True):
        got = gamma_moments(3, *map(np.float64, at))[1:]
    np.testing.assert_allclose(got, [gamma_reference(order, *at) for order in (1, 2, 3)], rtol=1e-9)


@pytest.mark.parametrize("at", BETA, ids=str)
def test_beta_moments(at: tuple[float, float, float]) -> None:
    orders = ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
    with jax.enable_x64(True):
        got = beta_moments(3, *map(np.float64, at))[1:]
    np.testing.assert_allclose(got, [beta_reference(*order, *at) for order in orders], rtol=1e-9)


def test_third_order_of_a_distribution_function() -> None:
    with jax.enable_x64(True):
        second = jax.jit(jax.grad(jax.grad(lambda a: gamma_moments(0, a, np.float64(2.0))[0])))
        third = jax.grad(second)(3.0)
        h = 1e-3
        near = (8 * (second(3.0 + h) - second(3.0 - h)) - (second(3.0 + 2 * h) - second(3.0 - 2 * h))) / (12 * h)
        np.testing.assert_allclose(third, near, rtol=1e-9)
