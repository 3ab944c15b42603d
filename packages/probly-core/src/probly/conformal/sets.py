"""Prediction sets from scores and a quantile (C-4)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from probly.array_ops import ArrayOps
from probly.dispatch import class_of
from probly.representation._protected_axis.layout import shape_of
from probly.scores.classification import aps, dirichlet_rl, lac, raps, saps
from probly.scores.inputs import read_members, read_prediction
from probly.scores.regression import (
    absolute_error,
    column,
    cqr,
    cqr_r,
    ensemble_moments,
    interval_width,
    require_bounds,
    uacqr,
)
from probly.scores.targets import inner_product, kl_divergence, total_variation, wasserstein

__all__ = ["BUILDERS", "prediction_set"]

Array = Any
Builder = Callable[..., Any]


def prediction_set(score: Callable[..., Any], pred: object, q: float, **options: Any) -> Any:
    """All outcomes whose score is at most a quantile.

    Parameters
    ----------
    score : callable
        A score of :mod:`probly.scores`, or ``functools.partial`` of one; or any object with a method
        ``prediction_set(pred, q)``.
    pred : array, distribution or sample
        As the score takes it. For UACQR of shape (E, ..., 2).
    q : float
        Infinite quantiles give the full and the empty set.
    **options
        Passed to the score, such as ``randomized`` and ``rng``; use at prediction what calibration used.

    Returns
    -------
    OneHotConformalSet or IntervalConformalSet
        ``{k: score_k <= q}`` for scores of classes. Intervals: absolute error pred -+ q; CQR lo - q, hi + q; CQR-r
        lo - q w, hi + q w with the width w; UACQR mean -+ q std for each bound.

    Raises
    ------
    TypeError
        If the score has no set.

    Examples
    --------
    >>> prediction_set(lac, [[0.75, 0.25]], 0.5).array
    array([[ True, False]])
    """
    if isinstance(score, functools.partial):
        return prediction_set(score.func, pred, q, **{**score.keywords, **options})
    own = getattr(score, "prediction_set", None)
    if own is not None:
        return own(pred, q, **options)
    builder = BUILDERS.get(score)
    if builder is None:
        known = ", ".join(each.__name__ for each in BUILDERS)
        raise TypeError(f"{score!r} has no prediction set: use {known}, or give it a method prediction_set(pred, q)")
    return builder(pred, q, **options)


def _classes(score: Callable[..., Any]) -> Builder:
    """Set of the classes whose score, of shape (..., K), is small enough."""

    def build(pred: object, q: float, **options: Any) -> Any:
        ops, _ = read_members(pred) if score is dirichlet_rl else read_prediction(pred)
        return class_of(ops, "onehot_set")(ops.less_equal(score(pred, **options), q))

    return build


def _targets(score: Callable[..., Any]) -> Builder:
    """Set of the classes whose point mass scores small enough against the prediction."""

    def build(pred: object, q: float) -> Any:
        ops, p = read_prediction(pred)
        every = score(ops.expand_dims(p, len(shape_of(p)) - 1), ops.arange(int(p.shape[-1]), p))
        return class_of(ops, "onehot_set")(ops.less_equal(every, q))

    return build


def _interval(bounds: Callable[[ArrayOps, Array, float], tuple[Array, Array]]) -> Builder:
    def build(pred: object, q: float) -> Any:
        ops, p = read_members(pred)
        return class_of(ops, "interval_set").from_bounds(*bounds(ops, p, q))

    return build


def _around(ops: ArrayOps, p: Array, q: float) -> tuple[Array, Array]:
    return ops.subtract(p, q), ops.add(p, q)


def _widened(ops: ArrayOps, p: Array, q: float) -> tuple[Array, Array]:
    require_bounds(p)
    return ops.subtract(column(ops, p, 0), q), ops.add(column(ops, p, 1), q)


def _widened_by_width(ops: ArrayOps, p: Array, q: float) -> tuple[Array, Array]:
    require_bounds(p)
    low, high = column(ops, p, 0), column(ops, p, 1)
    margin = ops.multiply(interval_width(ops, low, high), q)
    return ops.subtract(low, margin), ops.add(high, margin)


def _widened_by_std(ops: ArrayOps, p: Array, q: float) -> tuple[Array, Array]:
    mean, std = ensemble_moments(ops, p)
    margin = ops.multiply(std, q)
    low = ops.subtract(column(ops, mean, 0), column(ops, margin, 0))
    return low, ops.add(column(ops, mean, 1), column(ops, margin, 1))


#: Score to the function ``(pred, q, **options)`` that makes its sets.
BUILDERS: dict[Callable[..., Any], Builder] = {
    **{score: _classes(score) for score in (lac, aps, raps, saps, dirichlet_rl)},
    **{score: _targets(score) for score in (inner_product, kl_divergence, total_variation, wasserstein)},
    absolute_error: _interval(_around),
    cqr: _interval(_widened),
    cqr_r: _interval(_widened_by_width),
    uacqr: _interval(_widened_by_std),
}
