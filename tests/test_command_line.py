"""The command ``flatppl``."""

from pathlib import Path

import pytest

from flatppl.cli import main


def test_check_reports_all_errors_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.flatppl"
    model.write_text(
        "x = [1.0, 2.0] + 1.0\ny = Normal(0.0, -1.0)\nz ~ truncate(Normal(0.0, 1.0), interval(0.0, inf))\n"
    )
    assert main(["check", str(model)]) == 1
    printed = capsys.readouterr().out
    for place in ("1:5", "2:5", "3:1"):
        assert f"{model}:{place}: elaborate error" in printed.replace(str(model.resolve()), str(model))
    assert printed.rstrip().endswith("3 errors")


def test_check_reports_syntax_and_names_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.flatppl"
    model.write_text("a = 1.0 +\nb = nromal(0.0)\nc = 2.0\nc = 3.0\nd = [1.0] + 1.0\n")
    assert main(["check", str(model)]) == 1
    printed = capsys.readouterr().out
    assert "[syntax]" in printed
    assert "[name]" in printed
    assert "[duplicate]" in printed
    assert "[shape]" in printed


def test_check_accepts_a_good_file_and_names_a_missing_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.flatppl"
    model.write_text("x = elementof(reals)\ninputs = x\noutputs = x + 1.0\n")
    assert main(["check", str(model)]) == 0
    assert capsys.readouterr().out == f"{model}: no errors\n"
    assert main(["check", str(tmp_path / "none.flatppl")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_plugins_lists_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins"]) == 0
    printed = capsys.readouterr().out
    for line in ("gumbel (flatppl-gumbel)", "backend jax", "profiles: cpu, gpu", "backend numpy", "module base"):
        assert line in printed
    assert "quarantined" not in printed
