"""The seed's two code blocks, word for word, from both import paths."""

import sys
import types

import pytest

ENABLING = """
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from probly.representation._protected_axis.jax import JaxAxisProtected
from probly.representation.jax_functions import jax_add, jax_multiply

@dataclass(frozen=True, eq=False)
class Vectors(JaxAxisProtected[jax.Array]):
    array: jax.Array
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_functions: ClassVar[set[Callable]] = {jax_add, jax_multiply}

x = Vectors(jnp.ones((2, 3)))
y = 2 * x + x
assert y.shape == (2,)
assert y.protected_shape == (3,)
"""

VALIDATION = """
import jax
import jax.numpy as jnp
from jax.experimental import checkify

from probly.representation.distribution.jax_categorical import (
    JaxProbabilityCategoricalDistribution,
)
from probly.representation.jax_functions import jax_mean

distribution = JaxProbabilityCategoricalDistribution(
    jnp.array([[0.2, 0.8], [0.4, 0.6]])
)
checked_mean = jax.jit(checkify.checkify(lambda d: jax_mean(d, axis=0)))
error, result = checked_mean(distribution)
error.throw()  # Check the error outside the compiled function.
"""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    made = types.ModuleType("seed_block")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


@pytest.mark.parametrize("package", ["probly", "probly_jax"])
@pytest.mark.parametrize("block", [ENABLING, VALIDATION], ids=["enabling", "validation"])
def test_block(block: str, package: str, module: types.ModuleType) -> None:
    exec(block.replace("from probly.", f"from {package}."), module.__dict__)
    if block is VALIDATION:
        assert type(module.result) is module.JaxProbabilityCategoricalDistribution
        assert module.result.probabilities.tolist() == pytest.approx([0.3, 0.7])
    else:
        assert module.y.array.tolist() == [[3.0] * 3] * 2
