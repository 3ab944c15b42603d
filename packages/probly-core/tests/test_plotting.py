"""Plots, where matplotlib is installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from probly import plotting
from probly.dispatch import library

CLASSES = library("numpy").classes


class Axes:
    """Records what is drawn."""

    def __init__(self) -> None:
        self.drawn: dict[str, tuple[object, ...]] = {}

    def __getattr__(self, name: str) -> object:
        return lambda *args, **options: self.drawn.update({name: args})


def test_intervals_are_sorted_by_x() -> None:
    x = CLASSES["interval_set"](np.array([[0.0, 1.0], [2.0, 5.0]]))
    axes = plotting.plot_intervals(x, x=[3, 1], ax=Axes())
    positions, low, high = axes.drawn["fill_between"]
    np.testing.assert_array_equal((positions, low, high), ([1, 3], [2, 0], [5, 1]))


def test_classes_and_labels() -> None:
    x = CLASSES["onehot_set"](np.array([[True, False, True], [False, True, False]]))
    axes = plotting.plot_classes(x, labels=[0, 1], ax=Axes())
    np.testing.assert_array_equal(axes.drawn["imshow"][0], x.array.T)
    np.testing.assert_array_equal(axes.drawn["plot"][1], [0, 1])


def test_envelopes() -> None:
    x = CLASSES["intervals_credal"](np.array([0.1, 0.2]), np.array([0.8, 0.9]))
    axes = plotting.plot_envelope(x, ax=Axes())
    np.testing.assert_array_equal(axes.drawn["vlines"][1:3], ([0.1, 0.2], [0.8, 0.9]))


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    x = CLASSES["interval_set"](np.ones((2, 2)))
    with pytest.raises(TypeError, match="IntervalConformalSet"):
        plotting.plot_intervals(np.ones((2, 2)))
    with pytest.raises(ValueError, match="rank 1"):
        plotting.plot_intervals(x[0])
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"probly-core\[plot\]"):
        plotting.plot_intervals(x)
