"""The acceptance cases and the conformance kit, in both precisions."""

from pathlib import Path

import pytest

from probly.testing import check_backend, failure, load

CASES = [case for case in load(Path(__file__).parents[3] / "tests/cases/probly.json") if "jax" in case["backends"]]


@pytest.mark.filterwarnings("ignore:.*scores are too few:UserWarning")
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict, precision: str) -> None:
    assert failure(case, "jax") is None


def test_conformance() -> None:
    assert check_backend("jax") == []
