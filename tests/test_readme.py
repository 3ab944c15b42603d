"""The README's examples, as they stand there."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, poisson

README = (Path(__file__).parent.parent / "README.md").read_text()


@pytest.fixture
def names() -> list[dict[str, Any]]:
    """What is defined after each block."""
    current: dict[str, Any] = {}
    found = []
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(block, "README.md", "exec"), current)
        found.append(dict(current))
    return found


def test_the_examples_run_and_are_right(names: list[dict[str, Any]]) -> None:
    first, second = names
    log_normal = lambda x, mu, sigma: -0.5 * ((x - mu) / sigma) ** 2  # noqa: E731
    constant = -(0.5 * 1.8378770664093453 * 4 + 1.6094379124341003)
    expected = log_normal(0.5, 0.0, 5.0) + sum(log_normal(y, 0.5, 1.0) for y in (1.0, 2.0, 4.0)) + constant
    assert float(first["value"]) == pytest.approx(expected, rel=1e-6)
    assert float(first["slope"]) == pytest.approx(-0.5 / 25 + (1.0 + 2.0 + 4.0 - 1.5), rel=1e-6)
    counts = np.arange(100)

    def spectrum(light: float) -> float:
        cells = [poisson.pmf(counts, light) * norm.pdf(x, counts, 0.1 + 0.05 * counts) for x in (0.1, 0.9, 2.2, 1.0)]
        return np.log(np.sum(cells, axis=1)).sum()

    assert float(second["value"]) == pytest.approx(spectrum(1.3), rel=1e-5)
    assert float(second["slope"]) == pytest.approx((spectrum(1.301) - spectrum(1.299)) / 0.002, rel=1e-4)
