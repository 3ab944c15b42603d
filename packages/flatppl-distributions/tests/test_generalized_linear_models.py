"""The module generalized-linear-models: the examples of its specification."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flatppl import CompilationError, flatppl

MODULE = 'glm = standard_module("generalized-linear-models", "0.1")\n'


def value(expression: str, backend: str = "numpy") -> Any:
    """Value of an expression that uses the module as ``glm``."""
    module = flatppl(f"{MODULE}outputs = {expression}")
    with module.context.plugins.backends[backend].session("float64"):
        return np.asarray(module.compile(backend=backend, dtype="float64")(), np.float64)


# functions.md 26.4
EXAMPLES = [
    ("BernoulliLogitGLM([1.0, 2.0], 0.1, [0.5, -0.25]), 1", -0.6443966601),
    ("PoissonLogGLM([1.0, 2.0], 0.1, [0.5, -0.25]), 2", -1.5983180986),
    ("NormalGLM([1.0, 2.0], 0.1, [0.5, -0.25], 2.0), 1.0", -1.7133357138),
    ("BinomialLogitGLM([1.0, 2.0], 3, 0.1, [0.5, -0.25]), 2", -0.9345776916),
]
CLASSES = "x = [1.0, 2.0], alpha = [0.1, 0.0, -0.2], beta = rowstack([[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]])"


@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_examples(backend: str) -> None:
    got = value(f"[{', '.join(f'logdensityof(glm.{query})' for query, _ in EXAMPLES)}]", backend)
    np.testing.assert_allclose(got, [expected for _, expected in EXAMPLES], rtol=1e-9)


@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_classes(backend: str) -> None:
    got = value(f"[{', '.join(f'densityof(glm.CategoricalLogitGLM({CLASSES}), {k})' for k in (1, 2, 3))}]", backend)
    np.testing.assert_allclose(got, [0.2380713555, 0.5855610466, 0.1763675980], rtol=1e-9)


def test_curvature_at_zero() -> None:
    """The logistic log mass has second derivative -1/4 at predictor zero, where its branches meet."""
    import jax

    law = "glm.BernoulliLogitGLM([1.0], a, [0.0])"
    module = flatppl(f"{MODULE}a = elementof(reals)\ninputs = a\noutputs = logdensityof({law}, 1)")
    with module.context.plugins.backends["jax"].session("float64"), jax.enable_x64(True):
        function = module.compile(backend="jax", dtype="float64")
        assert float(jax.grad(jax.grad(lambda a: function(a=a)))(0.0)) == pytest.approx(-0.25)


def test_lengths_disagree() -> None:
    with pytest.raises(CompilationError, match="x holds 2 values, beta coefficients for 3"):
        value("logdensityof(glm.PoissonLogGLM([1.0, 2.0], 0.1, [0.5, 0.25, 1.0]), 2)")
