"""The acceptance file on NumPy, and the command that runs case files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from probly.testing import failure, load, vocabulary
from probly.testing.__main__ import main

FILE = Path(__file__).parents[3] / "tests/cases/probly.json"
CASES = [case for case in load(FILE) if "numpy" in case["backends"]]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
@pytest.mark.filterwarnings("ignore")
def test_case(case: dict[str, Any]) -> None:
    assert failure(case, "numpy") is None


def _file(tmp_path: Path, *cases: dict[str, Any]) -> str:
    defaults = {"area": "x", "source": "decision", "rule": "x", "backends": ["numpy"], "inputs": {}, "note": ""}
    path = tmp_path / "cases.json"
    content = {"meta": {"count": len(cases)}, "cases": [{**defaults, **case} for case in cases]}
    path.write_text(json.dumps(content))
    return str(path)


def test_command_counts_and_names_failures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = {"id": "A", "call": "1 + 1", "expect": {"value": 2}}
    bad = {"id": "B", "call": "1 + 1", "expect": {"value": 3}}
    assert main([_file(tmp_path, good, bad)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["B [numpy] value: 2, expected 3", "1 passed, 1 failed"]
    assert main([_file(tmp_path, good), "--backend", "numpy"]) == 0


def test_command_line_of_the_module(tmp_path: Path) -> None:
    path = _file(tmp_path, {"id": "A", "call": "abs(-1)", "expect": {"value": 1}})
    done = subprocess.run([sys.executable, "-m", "probly.testing", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1 passed, 0 failed\n")


def test_command_names_a_missing_backend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([_file(tmp_path), "--backend", "nowhere"])
    assert stop.value.code == 2
    assert "nowhere" in capsys.readouterr().err


def test_wrong_count_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"meta": {"count": 2}, "cases": []}))
    with pytest.raises(ValueError, match="count is 2"):
        load(path)


@pytest.mark.parametrize(
    ("call", "expect"),
    [
        ("True", {"value": 1}),
        ("1", {"value": True}),
        ("1.0", {"value": {"dtype": "int64", "shape": [], "data": 1}}),
        ("(1, 2)", {"value": [1]}),
        ("{'a': 1}", {"value": {"b": 1}}),
        ("(1, int('x'))", {"raises": "ValueError"}),
        ("int('x')", {"raises": "TypeError or IndexError"}),
        ("float('inf')", {"value": "-inf"}),
        ("'text'", {"value": 1}),
        ("float('nan')", {"value": 0.0, "atol": 1e9}),
    ],
)
def test_differences_are_found(call: str, expect: dict[str, Any]) -> None:
    assert failure({"id": "X", "call": call, "inputs": {}, "expect": expect}, "numpy") is not None


@pytest.mark.parametrize(
    ("call", "expect"),
    [
        ("float('nan')", {"value": "nan"}),
        ("(1, [2.0, True])", {"value": [1, [2.0, True]]}),
        ("(int('x'), [][0:1][1])", {"raises": "ValueError or IndexError"}),
        ("abs(-2.0) + 1e-4", {"value": 2, "atol": 1e-3}),
    ],
)
def test_agreements_are_found(call: str, expect: dict[str, Any]) -> None:
    assert failure({"id": "X", "call": call, "inputs": {}, "expect": expect}, "numpy") is None


def test_vocabulary_has_every_name_of_the_requirements() -> None:
    names = """inner_product kl_divergence total_variation wasserstein lac aps raps saps cqr cqr_r uacqr absolute_error
    dirichlet_rl conformal_quantile weighted_quantile onehot_set interval_set prediction_set convex distance_based
    distance_based_from_sample probability_intervals categorical categorical_from_logits bernoulli
    sparse_log_categorical dirichlet gaussian sample entropy total_entropy conditional_entropy mutual_information vacuity
    moment_matched mean sum average stack concatenate reshape squeeze moveaxis swapaxes expand_dims size attributes V
    Pair Denied"""
    assert set(vocabulary("numpy")) == set(names.split())
