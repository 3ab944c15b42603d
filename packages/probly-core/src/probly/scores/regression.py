"""Nonconformity scores of real outcomes: CQR, CQR-r, UACQR and the absolute error (S-14 to S-17)."""

from __future__ import annotations

from typing import Any

from probly.array_ops import ArrayOps
from probly.dispatch import convert
from probly.errors import LayoutError
from probly.representation._protected_axis.layout import shape_of
from probly.scores.inputs import read_members

__all__ = ["absolute_error", "cqr", "cqr_r", "uacqr"]

Array = Any

#: Least width of an interval in CQR-r, and least standard deviation in UACQR.
MIN_WIDTH, MIN_STD = 1e-6, 1e-12


def cqr(pred: object, y: object) -> Array:
    """Conformalized quantile regression (Romano, Patterson and Candes 2019): max(lo - y, y - hi).

    Parameters
    ----------
    pred : array of shape (..., 2), or (E, ..., 2) which is averaged over its first axis
        Lower and upper quantile.
    y : array of shape (...)

    Raises
    ------
    TypeError
        For boolean, complex and other dtypes.
    ValueError
        For other shapes.

    Examples
    --------
    >>> cqr([[1.0, 3.0]], [4.0])
    array([1.])
    """
    ops, low, high, outcome = _bounds(pred, y)
    return ops.maximum(ops.subtract(low, outcome), ops.subtract(outcome, high))


def cqr_r(pred: object, y: object) -> Array:
    """CQR over the interval's width, which is at least 1e-6. Parameters and errors as for :func:`cqr`.

    Examples
    --------
    >>> cqr_r([[1.0, 3.0]], [4.0])
    array([0.5])
    """
    ops, low, high, outcome = _bounds(pred, y)
    excess = ops.maximum(ops.subtract(low, outcome), ops.subtract(outcome, high))
    return ops.true_divide(excess, interval_width(ops, low, high))


def uacqr(pred: object, y: object) -> Array:
    """Uncertainty-aware CQR (Rossellini, Barber and Willett 2024): max((mean lo - y) / std lo, (y - mean hi) / std hi).

    Parameters
    ----------
    pred : array of shape (E, ..., 2)
        Lower and upper quantile of E members; standard deviations are of the population, and at least 1e-12.
    y : array of shape (...)

    Examples
    --------
    >>> uacqr([[[0.0, 3.0]], [[2.0, 5.0]]], [6.0])
    array([2.])
    """
    ops, p = read_members(pred)
    mean, std = ensemble_moments(ops, p)
    outcome = _outcome(ops, mean, y, shape_of(mean)[:-1])
    below = ops.true_divide(ops.subtract(column(ops, mean, 0), outcome), column(ops, std, 0))
    above = ops.true_divide(ops.subtract(outcome, column(ops, mean, 1)), column(ops, std, 1))
    return ops.maximum(below, above)


def absolute_error(pred: object, y: object) -> Array:
    """Return |y - pred|.

    Parameters
    ----------
    pred : array of y's shape, or with one more leading axis, which is averaged
    y : array

    Examples
    --------
    >>> absolute_error([1.0, 2.0], [3.0, 2.0])
    array([2., 0.])
    """
    ops, p = read_members(pred)
    rank = len(shape_of(convert(y, ops, p)))
    p = ops.mean(p, axis=0) if len(shape_of(p)) == rank + 1 else p
    return ops.absolute(ops.subtract(_outcome(ops, p, y, shape_of(p)), p))


def column(ops: ArrayOps, array: Array, position: int) -> Array:
    """Entries at one position of the last axis."""
    return ops.index(array, (..., position))


def interval_width(ops: ArrayOps, low: Array, high: Array) -> Array:
    """Width of an interval, at least 1e-6."""
    return ops.maximum(ops.subtract(high, low), MIN_WIDTH)


def ensemble_moments(ops: ArrayOps, p: Array) -> tuple[Array, Array]:
    """Mean and population standard deviation, at least 1e-12, of bounds of shape (E, ..., 2) over the members."""
    if len(shape_of(p)) < 2 or shape_of(p)[-1] != 2:
        raise LayoutError(f"UACQR needs bounds of shape (E, ..., 2), not {shape_of(p)}")
    return ops.mean(p, axis=0), ops.maximum(ops.std(p, axis=0), MIN_STD)


def require_bounds(p: Array) -> None:
    """Refuse an array without a last axis of lower and upper bounds."""
    if shape_of(p)[-1:] != (2,):
        raise LayoutError(f"bounds have a last axis of size 2, the shape is {shape_of(p)}")


def _bounds(pred: object, y: object) -> tuple[ArrayOps, Array, Array, Array]:
    ops, p = read_members(pred)
    require_bounds(p)
    rank = len(shape_of(convert(y, ops, p)))
    p = ops.mean(p, axis=0) if len(shape_of(p)) == rank + 2 else p
    return ops, column(ops, p, 0), column(ops, p, 1), _outcome(ops, p, y, shape_of(p)[:-1])


def _outcome(ops: ArrayOps, p: Array, y: object, shape: tuple[int, ...]) -> Array:
    outcome = convert(y, ops, p)
    if ops.kind(outcome) not in ("integer", "floating"):
        raise TypeError(f"outcomes are real numbers, not of dtype {outcome.dtype}")
    if shape_of(outcome) != shape:
        raise LayoutError(f"outcomes of shape {shape_of(outcome)} for predictions of batch shape {shape}")
    return ops.astype(outcome, p.dtype)
