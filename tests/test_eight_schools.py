"""The example ``examples/eight_schools``: its density against SciPy, its posterior against the reference."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "eight_schools" / "run.py"

Position = dict[str, Any]


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("eight_schools_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def scipy_density(data: dict[str, list[float]], position: Position) -> float:
    """The same posterior from SciPy's formulas."""
    tau = np.exp(position["log_tau"])
    theta = position["mu"] + tau * position["z"]
    prior = stats.norm.logpdf(position["mu"], 0.0, 5.0) + stats.halfcauchy.logpdf(tau, 0.0, 5.0)
    latent = stats.norm.logpdf(position["z"]).sum()
    likelihood = stats.norm.logpdf(data["effects"], theta, data["standard_errors"]).sum()
    return float(prior + latent + likelihood + position["log_tau"])


def positions() -> list[Position]:
    rng = np.random.default_rng(8)
    return [{"mu": rng.normal(0, 5), "log_tau": t, "z": rng.normal(size=8)} for t in (-6.0, -1.0, 0.5, 2.0, 6.0)]


@pytest.mark.parametrize("position", positions())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_density_is_scipys(example: ModuleType, dtype: str, position: Position) -> None:
    expected = scipy_density(example.read_data(), position)
    with jax.enable_x64(dtype == "float64"):
        found = example.load_model().compile(dtype=dtype)(position)
        assert found.dtype == dtype
        assert float(found) == pytest.approx(expected, rel=2e-6 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("position", positions())
def test_gradient_is_the_finite_difference(example: ModuleType, position: Position) -> None:
    data = example.read_data()
    with jax.enable_x64(True):
        gradient = jax.grad(example.load_model().compile(dtype="float64"))(position)
    assert gradient.keys() == position.keys()
    for name, slope in gradient.items():
        expected = central_difference(lambda p: scipy_density(data, p), position, name)
        np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-6, err_msg=name)


def central_difference(f: Callable[[Position], float], position: Position, name: str, step: float = 1e-5) -> Any:
    """Derivative of f by each entry of one coordinate."""
    centre = np.asarray(position[name])
    slopes = np.empty_like(centre)
    for index in np.ndindex(centre.shape):
        shift = np.zeros_like(centre)
        shift[index] = step
        ends = [f(position | {name: centre + sign * shift}) for sign in (1.0, -1.0)]
        slopes[index] = (ends[0] - ends[1]) / (2.0 * step)
    return slopes


def test_position_is_a_pytree_that_maps(example: ModuleType) -> None:
    log_density = example.load_model().compile()
    points = positions()
    batch = jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves), jnp.float32), *points)
    np.testing.assert_allclose(jax.vmap(log_density)(batch), [log_density(p) for p in points], rtol=1e-6)


def test_example_agrees_with_the_reference(
    example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "plots.png"
    status = example.main(["--warmup", "500", "--draws", "500", "--plot", str(picture)])
    printed = capsys.readouterr().out
    assert status == 0, printed
    assert printed.count("  agrees\n") == 4
    assert "bulk ESS" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_wrong_posterior_is_noticed(example: ModuleType) -> None:
    rng = np.random.default_rng(0)
    shape = (4, 500)
    draws = {"mu": 4.39 + 3.31 * rng.normal(size=shape), "tau": 5.0 + 3.23 * rng.normal(size=shape)}
    verdicts = {row.name: row.agrees for row in example.compare(draws)}
    assert verdicts["mean of mu"]
    assert not verdicts["mean of tau"]
