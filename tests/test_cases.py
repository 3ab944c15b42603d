"""The acceptance cases, through the public command and one by one."""

import json
from pathlib import Path

import pytest

from flatppl import Context
from flatppl.testing import check_case, main

CASES = Path(__file__).parent / "cases"
MEASURES = json.loads((CASES / "measures.json").read_text())
FOUNDATION = [case for case in MEASURES if case.get("foundation")]
CONTEXT = Context()


def test_the_foundation_has_its_64_cases() -> None:
    assert len(FOUNDATION) == 64


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("backend", ["numpy", "jax"])
@pytest.mark.parametrize("case", FOUNDATION, ids=lambda case: case["name"])
def test_foundation(case: dict, backend: str, dtype: str) -> None:
    assert check_case(case, CONTEXT, backend, dtype) is None


def test_the_command_counts_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = [{"name": "off", "source": "outputs = 1.0", "inputs": {}, "expected": 1.1}, FOUNDATION[0]]
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(wrong))
    assert main([str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("FAILED off: got 1.0")
    assert lines[-1] == "1 passed, 1 failed"
    path.write_text(json.dumps(FOUNDATION[:3]))
    assert main([str(path)]) == 0
    assert capsys.readouterr().out == "3 passed, 0 failed\n"


REFUSAL = {
    "name": "misplaced",
    "source": "M = normalize(Lebesgue(reals))\noutputs = logdensityof(M, 0.5)",
    "inputs": {},
    "expected": "refuse",
    "construct": "normalize(Lebesgue(reals))",
    "accept_twin": "M = normalize(Lebesgue(unitinterval))\noutputs = logdensityof(M, 0.5)",
    "twin_expected": 0.0,
}


def test_a_refusal_counts_only_at_its_construct() -> None:
    assert check_case(REFUSAL, CONTEXT, "numpy", "float64") is None
    elsewhere = REFUSAL | {"construct": "logdensityof(M, 0.5)"}
    assert "outside" in str(check_case(elsewhere, CONTEXT, "numpy", "float64"))
    answered = REFUSAL | {"source": REFUSAL["accept_twin"], "construct": "M"}
    assert "answered" in str(check_case(answered, CONTEXT, "numpy", "float64"))
    broken = REFUSAL | {"accept_twin": REFUSAL["source"]}
    assert "twin" in str(check_case(broken, CONTEXT, "numpy", "float64"))
    wrong = REFUSAL | {"twin_expected": 0.1}
    assert "twin" in str(check_case(wrong, CONTEXT, "numpy", "float64"))
