"""Functions of arrays composed of the vocabulary; classes are on the last axis."""

from __future__ import annotations

import math
from typing import Any

from probly.array_ops import ArrayOps

__all__ = ["entropy_of", "exp_shifted", "in_base", "log_softmax", "normalize", "safe_log", "softmax"]

Array = Any


def normalize(ops: ArrayOps, weights: Array) -> Array:
    """Weights over their sum; integers become floating."""
    weights = ops.to_floating(weights)
    return ops.true_divide(weights, ops.sum(weights, axis=-1, keepdims=True))


def softmax(ops: ArrayOps, logits: Array) -> Array:
    """Probabilities proportional to exp(logits), computed after a shift by the maximum."""
    return normalize(ops, exp_shifted(ops, logits))


def exp_shifted(ops: ArrayOps, logits: Array) -> Array:
    """exp(logits - max); the largest entry of each row is 1."""
    return ops.exp(ops.subtract(logits, ops.max(logits, axis=-1, keepdims=True)))


def log_softmax(ops: ArrayOps, logits: Array) -> Array:
    """Logarithms of :func:`softmax`, without forming it."""
    shifted = ops.subtract(logits, ops.max(logits, axis=-1, keepdims=True))
    return ops.subtract(shifted, ops.log(ops.sum(ops.exp(shifted), axis=-1, keepdims=True)))


def safe_log(ops: ArrayOps, p: Array) -> Array:
    """Log p where p > 0, else 0 with derivative 0."""
    return ops.log(ops.where(ops.greater(p, 0), p, 1.0))


def entropy_of(ops: ArrayOps, p: Array) -> Array:
    """Entropy in nats of probabilities: -sum p log p with 0 log 0 = 0 and finite derivatives."""
    return ops.negative(ops.vecdot(p, safe_log(ops, p)))


def in_base(ops: ArrayOps, nats: Array, base: object, classes: int | None) -> Array:
    """Entropy in another unit.

    Parameters
    ----------
    base : None, number or "normalize"
        None keeps nats; a number b divides by log b; "normalize" divides by the logarithm of the number of classes,
        and gives 0 for one class.
    classes : int or None
        None where normalizing has no meaning.

    Raises
    ------
    ValueError
        For a base that is not positive, is 1, or cannot normalize.
    """
    if base is None:
        return nats
    if base == "normalize":
        if classes is None:
            raise ValueError("base='normalize' needs a finite number of classes; this distribution is continuous")
        return ops.multiply(nats, 0.0) if classes == 1 else ops.true_divide(nats, math.log(classes))
    if isinstance(base, bool) or not isinstance(base, int | float) or not base > 0 or base == 1:
        raise ValueError(f"base is None, 'normalize' or a positive number other than 1, not {base!r}")
    return ops.true_divide(nats, math.log(base))
