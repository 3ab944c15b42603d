"""The acceptance file on Torch, and the conformance kit's own checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from probly.testing import check_backend, failure, load

FILE = Path(__file__).parents[3] / "tests/cases/probly.json"
CASES = [case for case in load(FILE) if "torch" in case["backends"]]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
@pytest.mark.filterwarnings("ignore")
def test_case(case: dict[str, Any]) -> None:
    assert failure(case, "torch") is None


def test_every_case_but_the_four_of_jax_names_torch() -> None:
    assert len(CASES) >= 125


def test_conformance_kit() -> None:
    assert check_backend("torch") == []
