"""Both precisions, chosen per test: nothing is configured for the whole process."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for the module of representations


@pytest.fixture(params=["float32", "float64"])
def precision(request: pytest.FixtureRequest) -> Iterator[str]:
    import jax  # here, so that the file can be read where JAX is absent

    with jax.enable_x64(request.param == "float64"):
        yield request.param
