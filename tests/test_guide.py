"""The guide's code blocks print what they print there."""

import contextlib
import io
from pathlib import Path

import pytest

BLOCKS = sorted((Path(__file__).parent / "guide").glob("*.py"))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.stem)
def test_block_prints_this(block: Path) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.read_text(), block.name, "exec"), {"__name__": "guide"})
    assert printed.getvalue() == block.with_suffix(".txt").read_text()


def test_the_blocks_are_all_here() -> None:
    assert len(BLOCKS) == 9
