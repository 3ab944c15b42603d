"""Refused models: ``bad/<code>-<what>.flatppl`` beside the whole text that the user sees."""

from pathlib import Path

import pytest

from flatppl import CompilationError, flatppl
from flatppl.errors import CODES

FOLDER = Path(__file__).parent / "bad"
FILES = sorted(FOLDER.glob("*.flatppl"))

#: Codes that no text of a model can provoke: tested where they arise.
ELSEWHERE = {"backend", "depth"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_refused_with_this_text(path: Path) -> None:
    with pytest.raises(CompilationError) as caught:
        flatppl(path.read_text(), name=path.name).compile(backend="numpy")
    assert str(caught.value) + "\n" == path.with_suffix(".txt").read_text()
    assert caught.value.code == path.stem.split("-")[0]
    assert caught.value.stage == CODES[caught.value.code][0]
    assert caught.value.span is not None


def test_each_code_has_a_file() -> None:
    assert {path.stem.split("-")[0] for path in FILES} == set(CODES) - ELSEWHERE


def test_depth_of_loops_is_bounded() -> None:
    loops = "".join(f"f{i + 1}(x) = reduce(add, scan((s, u) -> s + f{i}(u), x, [x, x]))\n" for i in range(80))
    model = f"f0(x) = x + 1.0\n{loops}y = elementof(reals)\ninputs = y\noutputs = f80(y)"
    with pytest.raises(CompilationError, match="nested deeper than") as caught:
        flatppl(model).compile(backend="numpy")
    assert caught.value.code == "depth"


def test_unknown_backend_names_the_package() -> None:
    with pytest.raises(CompilationError, match="installed: ") as caught:
        flatppl("outputs = 1.0").compile(backend="nympy")
    assert caught.value.code == "backend"
