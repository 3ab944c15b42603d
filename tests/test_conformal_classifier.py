"""The example that joins FlatPPL, BlackJAX and probly."""

import runpy
from pathlib import Path

import pytest

RUN = Path(__file__).parent.parent / "examples" / "conformal_classifier" / "run.py"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_sets_cover_at_the_promised_rate(tmp_path: Path) -> None:
    table = runpy.run_path(str(RUN))["main"](["--draws", "150", "--plot", str(tmp_path / "plot.png")])
    assert (tmp_path / "plot.png").stat().st_size > 5_000
    # Coverage over calibration sets of 60 and test sets of 200 is beta-binomial; four standard deviations.
    for level, covered in zip(table["level"], table["coverage"], strict=True):
        spread = (level * (1 - level) * (1 / 60 + 1 / 200)) ** 0.5
        assert covered > 1 - level - 4 * spread
    assert table["size"] == sorted(table["size"], reverse=True)
    assert 1.0 < table["size"][0] < 3.0
