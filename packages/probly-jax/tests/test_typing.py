"""Overloads as a type checker sees them (J-6)."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_wrappers() -> None:
    pytest.importorskip("mypy")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file=",
        "--strict",
        str(Path(__file__).with_name("typing_wrappers.py")),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
