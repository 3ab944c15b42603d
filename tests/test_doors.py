"""A stranger's distribution, from its own package, in a model."""

import math

import pytest

from flatppl import CompilationError, flatppl
from flatppl.registry import default_registry

MODEL = """
g = standard_module("gumbel", "0.1")
mu = elementof(reals)
beta = elementof(posreals)
y = [0.3, 1.7]
inputs = (mu, beta)
outputs = logdensityof(g.Gumbel.(mu, [beta, 2.0]), y)
"""


def log_density(x: float, mu: float, beta: float) -> float:
    z = (x - mu) / beta
    return -math.log(beta) - z - math.exp(-z)


@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_gumbel_in_a_model(backend: str) -> None:
    f = flatppl(MODEL).compile(backend=backend)
    expected = log_density(0.3, 0.2, 1.5) + log_density(1.7, 0.2, 2.0)
    assert float(f(0.2, 1.5)) == pytest.approx(expected, rel=1e-6)


def test_gumbel_is_found_by_its_entry_point() -> None:
    registry = default_registry()
    assert not registry.quarantined
    assert "flatppl-gumbel" in {plugin.distribution for plugin in registry.plugins}
    assert set(registry.modules["gumbel"].members) == {"Gumbel"}


def test_a_strangers_member_is_not_a_builtin() -> None:
    with pytest.raises(CompilationError, match="nothing defines 'Gumbel'"):
        flatppl("outputs = logdensityof(Gumbel(0.0, 1.0), 0.5)")
    with pytest.raises(CompilationError, match="no member 'Gumble'; did you mean 'Gumbel'"):
        flatppl('g = standard_module("gumbel", "0.1")\noutputs = logdensityof(g.Gumble(0.0, 1.0), 0.5)').compile(
            backend="numpy"
        )
    with pytest.raises(CompilationError, match=r"version 0\.1, which '0\.2' does not admit"):
        flatppl('g = standard_module("gumbel", "0.2")\noutputs = logdensityof(g.Gumbel(0.0, 1.0), 0.5)').compile(
            backend="numpy"
        )
