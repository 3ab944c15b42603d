"""Every installed distribution sits the exam, on NumPy and on JAX; and the exam can be failed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import jax
import pytest

from flatppl.backend import Executable, Options
from flatppl.distribution import Distribution
from flatppl.exam import CHECKS, ENGINE_CHECKS, exam
from flatppl.registry import default_registry
from flatppl.tensor.ops import select, sqrt
from flatppl.values.sets import posreals
from flatppl_distributions.base import exponential, normal
from flatppl_distributions.base.exponential import Exponential
from flatppl_distributions.base.normal import Normal

REGISTRY = default_registry()
ROWS = [
    member
    for module in REGISTRY.modules.values()
    for member in module.members.values()
    if isinstance(member, Distribution)
]


class Jax:
    """JAX with its own transformations."""

    def precision(self, dtype: str) -> AbstractContextManager[Any]:
        return jax.enable_x64(dtype == "float64")

    def compile(self, executable: Executable, dtype: str) -> Callable[..., Any]:
        return REGISTRY.backends["jax"].compile(executable, Options(dtype=dtype))

    def jit(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(function)

    def vmap(self, function: Callable[..., Any], batched: tuple[bool, ...]) -> Callable[..., Any]:
        return jax.vmap(function, in_axes=tuple(0 if flag else None for flag in batched))

    def grad(self, function: Callable[..., Any], inputs: tuple[int, ...]) -> Callable[..., Any]:
        return jax.grad(function, argnums=inputs)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_numpy(row: Distribution, check: str) -> None:
    assert list(CHECKS[check](row)) == []


#: Those whose kernels differ most; the others sit the exam on JAX in the session "exam".
SHORT = ("Normal", "Gamma", "Beta", "Poisson", "StudentT", "VonMises", "Dirichlet", "MvNormal")
ON_JAX = [pytest.param(row, marks=() if row.name in SHORT else pytest.mark.long, id=row.name) for row in ROWS]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("check", ENGINE_CHECKS)
@pytest.mark.parametrize("row", ON_JAX)
def test_jax(row: Distribution, check: str, dtype: str) -> None:
    assert list(ENGINE_CHECKS[check](row, Jax(), dtype)) == []


def _wrong_constant(x: Any, mu: Any, sigma: Any) -> Any:
    return normal.log_density(x, mu, sigma) + 1e-6


def _wrong_cdf(x: Any, mu: Any, sigma: Any) -> Any:
    return normal.cdf(x, mu, 1.001 * sigma)


def _wrong_sampler(rng: Any, mu: Any, sigma: Any) -> Any:
    return mu + 1.5 * sigma * rng.normal()


def _wrong_quantile(u: Any, mu: Any, sigma: Any) -> Any:
    return normal.quantile(u, mu, sigma) + 1e-5 * sigma


def _wrong_log_mass(lo: Any, hi: Any, mu: Any, sigma: Any) -> Any:
    return normal.log_mass(lo, hi, mu, sigma) + 1e-4


def _hole(x: Any, mu: Any, sigma: Any) -> Any:
    return select(x > 1e8, math.nan, normal.log_density(x, mu, sigma))


def _poisoned(x: Any, rate: Any) -> Any:
    """Right in value; the derivative is NaN below 2, from the branch that is not taken."""
    return exponential.log_density(x, rate) + 0.0 * select(x < 2.0, 0.0, sqrt(x - 2.0))


MUTANTS = {
    "truth": {"log_density": _wrong_constant},
    "edges": {"log_density": _hole},
    "mass": {"cdf": _wrong_cdf},
    "quantile": {"quantile": _wrong_quantile},
    "log mass": {"log_mass": _wrong_log_mass},
    "sampler": {"sample": _wrong_sampler},
    "cdf": {"survival": normal.cdf},
    "parameters": {"log_density": lambda x, mu, sigma: x * 0.0},
}


@pytest.mark.parametrize("check", MUTANTS)
def test_the_exam_can_be_failed(check: str) -> None:
    assert list(CHECKS[check](dataclasses.replace(Normal, **MUTANTS[check]))) != []


def test_a_wrong_support_is_noticed() -> None:
    assert list(CHECKS["cdf"](dataclasses.replace(Normal, support=posreals))) != []


def test_a_derivative_that_is_not_finite_is_noticed() -> None:
    poisoned = dataclasses.replace(Exponential, log_density=_poisoned)
    assert list(ENGINE_CHECKS["gradients"](poisoned, Jax(), "float32")) != []


def test_exam_collects_everything() -> None:
    assert exam(Normal) == []
    sentences = exam(dataclasses.replace(Normal, log_density=_wrong_constant))
    assert sentences[0].startswith("Normal(0, 1) at x = 0: log density is -0.918")
