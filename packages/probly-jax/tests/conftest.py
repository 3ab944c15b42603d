"""Both precisions, chosen per test: nothing is configured for the whole process."""

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(params=["float32", "float64"])
def precision(request: pytest.FixtureRequest) -> Iterator[str]:
    with jax.enable_x64(request.param == "float64"):
        yield request.param
