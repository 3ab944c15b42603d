"""The README's example, as it stands there."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_example_runs_and_is_right() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(compile(block, "README.md", "exec"), names)
    log_normal = lambda x, mu, sigma: -0.5 * ((x - mu) / sigma) ** 2  # noqa: E731
    constant = -(0.5 * 1.8378770664093453 * 4 + 1.6094379124341003)
    expected = log_normal(0.5, 0.0, 5.0) + sum(log_normal(y, 0.5, 1.0) for y in (1.0, 2.0, 4.0)) + constant
    assert float(names["value"]) == pytest.approx(expected, rel=1e-6)
    assert float(names["slope"]) == pytest.approx(-0.5 / 25 + (1.0 + 2.0 + 4.0 - 1.5), rel=1e-6)
