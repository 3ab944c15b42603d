"""Plots of conformal and credal sets; needs matplotlib (``pip install probly-core[plot]``).

Each function takes a set of batch rank 1 (or 0 for a credal set) over any backend, draws on given or new axes, and
returns them. Numbers are moved to the host here, detached from derivatives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from probly.errors import LayoutError
from probly.representation.conformal_set.sets import IntervalConformalSet, OneHotConformalSet
from probly.representation.credal_set.base import CategoricalCredalSet

__all__ = ["plot_classes", "plot_envelope", "plot_intervals"]


def plot_intervals(intervals: IntervalConformalSet, x: Any = None, ax: Any = None) -> Any:
    """Band between the bounds of intervals, over ``x`` or their positions; empty intervals leave gaps.

    Parameters
    ----------
    intervals : IntervalConformalSet of batch shape (n,)
    x : array of shape (n,), optional
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    _require(intervals, IntervalConformalSet, (1,))
    bounds = np.asarray(intervals._ops.to_numpy(intervals.array))
    positions = np.arange(len(bounds)) if x is None else np.asarray(x)
    order = np.argsort(positions, kind="stable")
    axes = _axes(ax)
    low, high = bounds[order, 0], bounds[order, 1]
    axes.fill_between(positions[order], low, high, where=low <= high, alpha=0.3, label="prediction interval")
    return axes


def plot_classes(sets: OneHotConformalSet, labels: Any = None, ax: Any = None) -> Any:
    """Grid of the classes in each set, with true labels as crosses.

    Parameters
    ----------
    sets : OneHotConformalSet of batch shape (n,)
    labels : integer array of shape (n,), optional
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    _require(sets, OneHotConformalSet, (1,))
    mask = np.asarray(sets._ops.to_numpy(sets.array))
    axes = _axes(ax)
    axes.imshow(mask.T, cmap="Blues", aspect="auto", interpolation="nearest", vmin=0, vmax=1)
    if labels is not None:
        axes.plot(np.arange(len(mask)), np.asarray(labels), "x", color="black", label="label")
    axes.set_xlabel("point")
    axes.set_ylabel("class")
    return axes


def plot_envelope(credal: CategoricalCredalSet, ax: Any = None) -> Any:
    """Range of each class's probability over a credal set, with the barycenter as a dot.

    Parameters
    ----------
    credal : CategoricalCredalSet of batch shape () or (n,)
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    _require(credal, CategoricalCredalSet, (0, 1))
    ops = credal._ops
    parts = (credal.lower(), credal.upper(), credal.barycenter.probabilities)
    low, high, center = (np.atleast_2d(ops.to_numpy(part)) for part in parts)
    axes = _axes(ax)
    for row in range(len(low)):
        at = np.arange(credal.num_classes) + 0.6 * (row + 1) / (len(low) + 1) - 0.3
        axes.vlines(at, low[row], high[row], linewidth=4, alpha=0.5)
        axes.plot(at, center[row], "o", color="black", markersize=3)
    axes.set_xlabel("class")
    axes.set_ylabel("probability")
    axes.set_ylim(0, 1)
    return axes


def _require(value: Any, family: type[Any], ranks: tuple[int, ...]) -> None:
    if not isinstance(value, family):
        raise TypeError(f"a {family.__name__} is plotted here, not {type(value).__name__}")
    if value.ndim not in ranks:
        raise LayoutError(f"the plot needs batch rank {' or '.join(map(str, ranks))}, the batch shape is {value.shape}")


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise ImportError("plots need matplotlib: install probly-core[plot]") from error
    return pyplot.subplots()[1]
