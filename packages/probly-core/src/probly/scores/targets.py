"""Scores of a prediction against a target: inner product, KL divergence, total variation, Wasserstein (section 6).

Let p be the prediction and t the target's probabilities, classes on the last axis. Targets are integer class labels
(point masses), floating probability vectors, or categorical distributions (their normalized probabilities); see
:func:`probly.scores.inputs.read_target` for the whole table. Predictions are arrays (used as they are), categorical
distributions (normalized) or samples (scored member by member, members first). Batch shapes broadcast. Results are in
the prediction's backend, device and floating dtype; all four work under ``jit``, ``vmap`` and ``grad``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probly.array_ops import ArrayOps
from probly.scores.inputs import Labels, pick, read_prediction, read_target

__all__ = ["inner_product", "kl_divergence", "total_variation", "wasserstein"]

Array = Any
Kernel = Callable[[ArrayOps, Array, Array], Array]


def _score(pred: object, target: object, by_label: Kernel, by_vector: Kernel) -> Array:
    ops, p = read_prediction(pred)
    read = read_target(ops, p, target)
    if isinstance(read, Labels):
        return read.mark(ops, by_label(ops, p, read.ids))
    return by_vector(ops, p, read)


def inner_product(pred: object, target: object = None) -> Array:
    """Return 1 - sum p t; for a label y, 1 - p_y. In [0, 1] for probabilities.

    Parameters
    ----------
    pred : array of shape (..., K), categorical distribution or sample
    target : integer array, floating array of shape (..., K), or categorical distribution

    Returns
    -------
    array of the broadcast batch shape

    Raises
    ------
    TypeError
        For boolean, complex and other dtypes, and representations that are no categorical.
    ValueError
        For a missing target, shapes that do not fit, and labels out of range (NaN while tracing).

    Examples
    --------
    >>> import numpy as np
    >>> inner_product(np.array([[0.6, 0.3, 0.1]]), np.array([1]))
    array([0.7])
    """
    return _score(
        pred,
        target,
        lambda ops, p, y: ops.subtract(1.0, pick(ops, p, y)),
        lambda ops, p, t: ops.subtract(1.0, ops.vecdot(p, t)),
    )


def kl_divergence(pred: object, target: object = None) -> Array:
    """Return KL(target || prediction) = sum t log(max(t, e) / max(p, e)); for a label y, -log max(p_y, e).

    e is the larger of 1e-12 and the smallest normal number of the dtype, so that a label's score is at most 27.63 in
    double precision. Classes of target 0 contribute exactly 0. Parameters and errors as for :func:`inner_product`.

    Examples
    --------
    >>> import numpy as np
    >>> float(kl_divergence(np.array([0.25, 0.75]), np.array([0.25, 0.75])))
    0.0
    """
    return _score(pred, target, _kl_label, _kl_vector)


def total_variation(pred: object, target: object = None) -> Array:
    """Return half of sum |p - t|; for a label y, (sum |p| - |p_y| + |p_y - 1|) / 2, which is 1 - p_y if p sums to 1.

    Parameters and errors as for :func:`inner_product`.

    Examples
    --------
    >>> import numpy as np
    >>> float(total_variation(np.array([0.5, 0.5]), np.array([0.0, 1.0])))
    0.5
    """
    return _score(pred, target, _tv_label, _tv_vector)


def wasserstein(pred: object, target: object = None) -> Array:
    """Return sum |P_k - T_k| over cumulative sums: the Wasserstein-1 distance of classes at 0, 1, ..., K-1.

    For a label y, T_k is 1 from k = y on. In [0, K-1] for probabilities. Parameters and errors as for
    :func:`inner_product`.

    Examples
    --------
    >>> import numpy as np
    >>> float(wasserstein(np.array([0.5, 0.5, 0.0]), np.array(2)))
    1.5
    """
    return _score(pred, target, _wasserstein_label, _wasserstein_vector)


def _floored(ops: ArrayOps, x: Array) -> Array:
    return ops.maximum(x, max(1e-12, ops.smallest_normal(x)))


def _kl_label(ops: ArrayOps, p: Array, y: Array) -> Array:
    return ops.negative(ops.log(_floored(ops, pick(ops, p, y))))


def _kl_vector(ops: ArrayOps, p: Array, t: Array) -> Array:
    return ops.subtract(ops.rowwise(_cross, ops, t, t), ops.rowwise(_cross, ops, t, p))


def _cross(ops: ArrayOps, t: Array, p: Array) -> Array:
    """Sum t log max(p, e)."""
    return ops.vecdot(t, ops.log(_floored(ops, p)))


def _tv_label(ops: ArrayOps, p: Array, y: Array) -> Array:
    hit = pick(ops, p, y)
    rest = ops.subtract(ops.rowwise(_norm, ops, p), ops.absolute(hit))
    return ops.multiply(ops.add(rest, ops.absolute(ops.subtract(hit, 1.0))), 0.5)


def _norm(ops: ArrayOps, x: Array) -> Array:
    """Sum |x|."""
    return ops.sum(ops.absolute(x), axis=-1)


def _tv_vector(ops: ArrayOps, p: Array, t: Array) -> Array:
    return ops.multiply(ops.rowwise(_distance, ops, p, t), 0.5)


def _distance(ops: ArrayOps, p: Array, t: Array) -> Array:
    """Sum |p - t|."""
    return _norm(ops, ops.subtract(p, t))


def _wasserstein_label(ops: ArrayOps, p: Array, y: Array) -> Array:
    return ops.rowwise(_to_step, ops, p, ops.expand_dims(y, len(y.shape)))


def _to_step(ops: ArrayOps, p: Array, y: Array) -> Array:
    """Sum |P_k - [k >= y]|."""
    steps = ops.astype(ops.greater_equal(ops.arange(int(p.shape[-1]), p), y), p.dtype)
    return _norm(ops, ops.subtract(ops.cumsum(p, -1), steps))


def _wasserstein_vector(ops: ArrayOps, p: Array, t: Array) -> Array:
    return ops.rowwise(_cumulated, ops, p, t)


def _cumulated(ops: ArrayOps, p: Array, t: Array) -> Array:
    """Sum |P_k - T_k|."""
    return _norm(ops, ops.cumsum(ops.subtract(p, t), -1))
