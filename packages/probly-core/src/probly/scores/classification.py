"""Nonconformity scores of classes: LAC, APS, RAPS, SAPS and the Dirichlet relative likelihood (S-10 to S-13, S-18).

Without labels a score has the prediction's shape (..., K), one value per class; with labels y of shape (...) it has
theirs. Predictions are arrays, categorical distributions or samples (members first). Randomization draws one u per
class and batch element, uniform on [0, 1), from ``rng``, or takes ``u``.
"""

from __future__ import annotations

from typing import Any

from probly.array_ops import ArrayOps
from probly.dispatch import convert
from probly.errors import LayoutError
from probly.representation._protected_axis.layout import broadcast_shapes, shape_of
from probly.representation.sample.base import Sample
from probly.scores.inputs import pick, read_labels, read_members, read_prediction

__all__ = ["aps", "dirichlet_rl", "lac", "raps", "saps"]

Array = Any


def lac(pred: object, y: object = None) -> Array:
    """Least ambiguous classifier (Sadinle, Lei and Wasserman 2019): 1 - p_k.

    Parameters
    ----------
    pred : array of shape (..., K), categorical distribution or sample
    y : integer array of shape (...), optional

    Raises
    ------
    TypeError
        For labels that are no integers.
    ValueError
        For labels of another shape, or out of range (NaN while tracing).

    Examples
    --------
    >>> lac([[0.75, 0.25]])
    array([[0.25, 0.75]])
    """
    ops, p = read_prediction(pred)
    return _chosen(ops, ops.subtract(1.0, p), pred, y)


def aps(pred: object, y: object = None, randomized: bool = True, u: object = None, rng: object = None) -> Array:
    """Adaptive prediction sets (Romano, Sesia and Candes 2020).

    Classes are sorted by decreasing p, ties by lower index; the score is the cumulative sum through the class's own
    rank, less u_k p_k if randomized.

    Parameters
    ----------
    pred, y
        As for :func:`lac`.
    randomized : bool
        Without it, u is 0 whatever else is given.
    u : number or array, optional
        Of the prediction's shape, or of its batch shape.
    rng : source of randomness, optional
        Fresh by default; refused while tracing, where a key is needed.

    Examples
    --------
    >>> aps([[0.5, 0.25, 0.25]], randomized=False)
    array([[0.5 , 0.75, 1.  ]])
    """
    ops, p = read_prediction(pred)
    _, cumulative = _ranked(ops, p)
    return _chosen(ops, _shifted(ops, p, cumulative, randomized, u, rng), pred, y)


def raps(
    pred: object,
    y: object = None,
    randomized: bool = True,
    lambda_reg: float = 0.1,
    k_reg: int = 0,
    u: object = None,
    rng: object = None,
) -> Array:
    """Regularized adaptive prediction sets: APS + lambda_reg * max(0, rank - k_reg - 1), ranks from 1.

    The paper (Angelopoulos, Bates, Malik and Jordan 2021) has lambda_reg * max(0, rank - k_reg): its k_reg is ours
    plus one. Parameters as for :func:`aps`.

    Examples
    --------
    >>> raps([[0.5, 0.25, 0.25]], randomized=False, lambda_reg=0.5, k_reg=1)
    array([[0.5 , 0.75, 1.5 ]])
    """
    ops, p = read_prediction(pred)
    rank, cumulative = _ranked(ops, p)
    excess = ops.maximum(ops.subtract(ops.astype(rank, p.dtype), float(k_reg)), 0.0)
    score = ops.add(_shifted(ops, p, cumulative, randomized, u, rng), ops.multiply(excess, lambda_reg))
    return _chosen(ops, score, pred, y)


def saps(
    pred: object,
    y: object = None,
    randomized: bool = True,
    lambda_val: float = 0.1,
    u: object = None,
    rng: object = None,
) -> Array:
    """Sorted adaptive prediction sets (Huang et al. 2024): u p_max at rank 1, else p_max + (rank - 2 + u) lambda_val.

    Without randomization u is 0. Parameters as for :func:`aps`.

    Examples
    --------
    >>> saps([[0.5, 0.25, 0.25]], randomized=False, lambda_val=0.5)
    array([[0. , 0.5, 1. ]])
    """
    ops, p = read_prediction(pred)
    rank, _ = _ranked(ops, p)
    draw = _draws(ops, p, randomized, u, rng)
    top = ops.max(p, axis=-1, keepdims=True)
    steps = ops.add(ops.subtract(ops.astype(rank, p.dtype), 1.0), draw)
    later = ops.add(top, ops.multiply(steps, lambda_val))
    return _chosen(ops, ops.where(ops.equal(rank, 0), ops.multiply(draw, top), later), pred, y)


def dirichlet_rl(alphas: object, y: object = None) -> Array:
    """Relative likelihood of a Dirichlet's concentrations: 1 - alpha_y / max_k alpha_k.

    Parameters
    ----------
    alphas : array of shape (..., K) or Dirichlet distribution
    y : integer array of shape (...), optional

    Examples
    --------
    >>> dirichlet_rl([2.0, 4.0])
    array([0.5, 0. ])
    """
    ops, a = read_members(alphas)
    if not shape_of(a):
        raise LayoutError("concentrations need a class axis, they have rank 0")
    score = ops.subtract(1.0, ops.true_divide(a, ops.max(a, axis=-1, keepdims=True)))
    return _chosen(ops, score, alphas, y)


def _chosen(ops: ArrayOps, scores: Array, pred: object, y: object) -> Array:
    """Scores of all classes, or those of the labels."""
    if y is None:
        return scores
    labels = read_labels(ops, scores, y, isinstance(pred, Sample))
    return labels.mark(ops, pick(ops, scores, labels.ids))


def _ranked(ops: ArrayOps, p: Array) -> tuple[Array, Array]:
    """Each class's rank from 0 by decreasing p, and the sum of p through that rank."""
    order = ops.argsort(ops.negative(p), -1)
    rank = ops.argsort(order, -1)
    cumulative = ops.cumsum(ops.take_along_axis(p, order, -1), -1)
    return rank, ops.take_along_axis(cumulative, rank, -1)


def _shifted(ops: ArrayOps, p: Array, cumulative: Array, randomized: bool, u: object, rng: object) -> Array:
    if not randomized:
        return cumulative
    return ops.subtract(cumulative, ops.multiply(_draws(ops, p, randomized, u, rng), p))


def _draws(ops: ArrayOps, p: Array, randomized: bool, u: object, rng: object) -> Array:
    """Give u in the dtype of p: drawn, or given for each class or each batch element; 0 without randomization."""
    shape = shape_of(p)
    if not randomized:
        return ops.full((), 0.0, p)
    if u is None:
        return ops.uniform(ops.generators(rng, 1, p)[0], shape, p)
    given = ops.astype(convert(u, ops, p), p.dtype)
    if shape_of(given) == shape[:-1] and shape_of(given) != shape:
        given = ops.expand_dims(given, len(shape) - 1)
    if broadcast_shapes([shape_of(given), shape], "u and predictions of shapes") != shape:
        raise LayoutError(f"u of shape {shape_of(given)} for predictions of shape {shape}")
    return given
