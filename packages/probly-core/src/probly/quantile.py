"""The conformal quantile, by exact rank, and the weighted quantile (Q-1 to Q-4)."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

from probly.array_ops import ArrayOps
from probly.dispatch import convert, ops_of
from probly.errors import InvalidValueError, LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.layout import normalize_axis, shape_of
from probly.representation.sample.base import Sample

__all__ = ["conformal_quantile", "conformal_rank", "weighted_quantile"]

Array = Any

#: Products (n + 1) alpha this close below an integer are that integer: 10 * (1 - 0.9) is 1.
_SLACK = Fraction(1, 10**9)


def conformal_rank(n: int, alpha: float) -> int:
    """Rank k = ceil((n + 1)(1 - alpha)) = (n + 1) - floor((n + 1) alpha), with alpha read as the decimal it prints.

    Raises
    ------
    InvalidValueError
        If alpha is outside [0, 1] or NaN, or n is 0.

    Examples
    --------
    >>> conformal_rank(9, 0.7), conformal_rank(5, 0.1)
    (3, 6)
    """
    level = float(alpha)
    if not 0 <= level <= 1:
        raise InvalidValueError(f"alpha is in [0, 1], not {alpha!r}")
    if n < 1:
        raise InvalidValueError("a conformal quantile needs at least one score")
    return n + 1 - math.floor(Fraction(repr(level)) * (n + 1) + _SLACK)


def conformal_quantile(scores: Any, alpha: float, clip: bool = False, axis: int | None = None) -> Any:
    """Return the k-th smallest score, k = ceil((n + 1)(1 - alpha)).

    A fresh score that is exchangeable with the n scores is at most this quantile with probability at least 1 - alpha:
    exactly k / (n + 1) if there are no ties and k is at most n.

    Parameters
    ----------
    scores : one-dimensional array, or sample
        A sample is ranked along its member axis.
    alpha : float
        Level of miscoverage.
    clip : bool
        Limit k to 1..n, so that the result is one of the scores. This loses the guarantee where k would be n + 1, and
        warns there. By default the result is then +inf, and for k = 0 it is -inf.
    axis : int, optional
        Rank along this axis of an array of any rank: a batch of score sets.

    Returns
    -------
    float, or array
        A Python float for one set of scores that can be read; an array while tracing, and for a batch.

    Raises
    ------
    TypeError
        For scores that are no real numbers.
    ValueError
        If alpha is outside [0, 1], there are no scores, or one is NaN (NaN while tracing); for another rank without
        ``axis``; for a weighted sample.

    Examples
    --------
    >>> conformal_quantile([0.1, 0.4, 0.2, 0.3], 0.4), conformal_quantile([0.1, 0.4], 0.1)
    (0.3, inf)
    """
    ops, array, axis = _ranked_along(scores, axis)
    n = shape_of(array)[axis]
    rank = conformal_rank(n, alpha)
    if clip and rank > n:
        warnings.warn(f"{n} scores are too few for alpha={alpha}: clipping loses coverage", stacklevel=2)
    rank = min(max(rank, 1), n) if clip else rank
    result = _kth(ops, array, rank, axis)
    return float(ops.detach(result)) if not shape_of(result) and ops.is_concrete(result) else result


def _ranked_along(scores: Any, axis: int | None) -> tuple[ArrayOps, Array, int]:
    ops = ops_of(scores)
    array = convert(_scores_of(scores), ops)
    if ops.kind(array) not in ("integer", "floating"):
        raise TypeError(f"scores are real numbers, not of dtype {array.dtype}")
    rank = len(shape_of(array))
    if isinstance(scores, Sample):
        return ops, ops.to_floating(array), 0
    if axis is None and rank != 1:
        raise LayoutError(f"scores are one-dimensional, not of shape {shape_of(array)}; give axis for a batch of them")
    return ops, ops.to_floating(array), 0 if axis is None else normalize_axis(axis, rank, "score")


def _scores_of(scores: Any) -> Any:
    if not isinstance(scores, Sample):
        return scores
    if scores.is_weighted:
        raise InvalidValueError("a conformal quantile ranks unweighted scores; weighted_quantile takes weights")
    if isinstance(scores.array, ProtectedAxes):
        raise TypeError(f"scores are numbers, not a sample of {type(scores.array).__name__}")
    return scores.samples


def _kth(ops: ArrayOps, array: Array, rank: int, axis: int) -> Array:
    """The score of a rank along an axis; infinite outside 1..n, NaN where a traced score is NaN."""
    shape = shape_of(array)
    missing = ops.any(ops.isnan(array), axis=axis)
    if ops.is_concrete(array) and bool(ops.any(missing)):
        raise InvalidValueError("a score is NaN")
    if 1 <= rank <= shape[axis]:
        result = ops.index(ops.sort(array, axis), (*(slice(None),) * axis, rank - 1))
    else:
        result = ops.full((*shape[:axis], *shape[axis + 1 :]), float("inf") if rank else float("-inf"), array)
    return result if ops.is_concrete(array) else ops.where(missing, float("nan"), result)


def weighted_quantile(values: Any, q: float, weights: Any = None) -> Any:
    """Quantile of weighted values by linear interpolation.

    The i-th smallest value sits at level (W_i - w_i / 2) / W, with W_i the sum of weights through it and W of all;
    between levels the quantile is linear, beyond the first and last it is constant.

    Parameters
    ----------
    values : one-dimensional array, or one-dimensional sample
        The weights of a weighted sample are used.
    q : float
        In [0, 1].
    weights : array of the values' shape, optional
        Non-negative; unit weights by default.

    Returns
    -------
    0-d array

    Raises
    ------
    ValueError
        For other shapes and levels, no values, negative weights or a weight sum that is not positive, and for weights
        given twice.

    Examples
    --------
    >>> float(weighted_quantile([1.0, 2.0, 4.0], 0.5))
    2.0
    """
    if isinstance(values, Sample):
        if values.is_weighted and weights is not None:
            raise InvalidValueError("the sample has weights already; give a sample without them")
        return weighted_quantile(values.samples, q, values.weights if weights is None else weights)
    if not 0 <= float(q) <= 1:
        raise InvalidValueError(f"q is in [0, 1], not {q!r}")
    ops = ops_of(values)
    array = ops.to_floating(convert(values, ops))
    order, levels = _levels(ops, array, weights)
    return _interpolate(ops, ops.take(array, order, 0), levels, float(q))


def _levels(ops: ArrayOps, array: Array, weights: Any) -> tuple[Array, Array]:
    """Sorting order of the values, and the level of each sorted value."""
    shape = shape_of(array)
    if len(shape) != 1 or not shape[0]:
        raise LayoutError(f"values are one-dimensional and not empty, the shape is {shape}")
    unit = ops.full(shape, 1.0, array)
    given = unit if weights is None else ops.astype(convert(weights, ops, array), array.dtype)
    if shape_of(given) != shape:
        raise LayoutError(f"weights of shape {shape_of(given)} for values of shape {shape}")
    total = ops.sum(given)
    valid = ops.logical_and(ops.all(ops.greater_equal(given, 0)), ops.greater(total, 0))
    if ops.is_concrete(valid) and not bool(valid):
        raise InvalidValueError("weights are non-negative with a positive sum")
    order = ops.argsort(array, 0)
    ranked = ops.take(given, order, 0)
    return order, ops.true_divide(ops.subtract(ops.cumsum(ranked, 0), ops.multiply(ranked, 0.5)), total)


def _interpolate(ops: ArrayOps, ranked: Array, levels: Array, q: float) -> Array:
    last = shape_of(ranked)[0] - 1
    above = ops.minimum(ops.sum(ops.less(levels, q)), last)
    below = ops.maximum(ops.subtract(above, 1), 0)
    low, high = ops.take(levels, below, 0), ops.take(levels, above, 0)
    gap = ops.subtract(high, low)
    share = ops.true_divide(ops.subtract(q, low), ops.where(ops.greater(gap, 0), gap, 1.0))
    share = ops.minimum(ops.maximum(share, 0.0), 1.0)
    first, second = ops.take(ranked, below, 0), ops.take(ranked, above, 0)
    inside = ops.add(first, ops.multiply(share, ops.subtract(second, first)))
    return ops.where(ops.greater(gap, 0), inside, first)
