"""Per-class extremes over balls ``{q: d(p, q) <= r}`` of distributions, for each distance d.

Each function takes ``(ops, p, r, upper)`` with p of shape (..., K) and r of shape (...), and gives shape (..., K).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probly.array_ops import ArrayOps

__all__ = ["ENVELOPES"]

Array = Any

#: Bisection steps: the interval [0, 1] shrinks below the spacing of float64.
_STEPS = 60


def _clip(ops: ArrayOps, x: Array) -> Array:
    return ops.minimum(ops.maximum(x, 0.0), 1.0)


def _column(ops: ArrayOps, r: Array) -> Array:
    return ops.expand_dims(r, len(r.shape))


def total_variation(ops: ArrayOps, p: Array, r: Array, upper: bool) -> Array:
    """Move mass r to, or from, the class."""
    if p.shape[-1] == 1:
        return p
    return _clip(ops, (ops.add if upper else ops.subtract)(p, _column(ops, r)))


def wasserstein(ops: ArrayOps, p: Array, r: Array, upper: bool) -> Array:
    """Move mass between the class and its nearest neighbours; one unit over distance d costs d.

    Down: all mass goes to a neighbour, at cost 1. Up: mass is fetched from distance 1, then 2, and so on.
    """
    classes = int(p.shape[-1])
    if classes == 1:
        return p
    if not upper:
        return _clip(ops, ops.subtract(p, _column(ops, r)))
    columns = [_fetch(ops, p, r, k) for k in range(classes)]
    return _clip(ops, ops.stack(columns, len(p.shape) - 1))


def _fetch(ops: ArrayOps, p: Array, r: Array, k: int) -> Array:
    """Largest mass that class k can hold with transport budget r."""
    classes = int(p.shape[-1])
    mass, budget = ops.index(p, (..., k)), r
    for distance in range(1, max(k, classes - 1 - k) + 1):
        near = [j for j in (k - distance, k + distance) if 0 <= j < classes]
        there = sum((ops.index(p, (..., j)) for j in near[1:]), ops.index(p, (..., near[0])))
        moved = ops.minimum(there, ops.true_divide(budget, float(distance)))
        mass, budget = ops.add(mass, moved), ops.subtract(budget, ops.multiply(moved, float(distance)))
    return mass


def kl_divergence(ops: ArrayOps, p: Array, r: Array, upper: bool) -> Array:
    """Bisect the divergence of two-class distributions.

    With q_k fixed, KL(q || p) is least if q is proportional to p elsewhere (chain rule), where it is
    q log(q / p) + (1 - q) log((1 - q) / (1 - p)).
    """
    inside, outside = p, ops.full(tuple(p.shape), 1.0 if upper else 0.0, p)
    bound = _column(ops, r)
    for _ in range(_STEPS):
        middle = ops.multiply(ops.add(inside, outside), 0.5)
        fits = ops.less_equal(_binary_kl(ops, middle, p), bound)
        inside, outside = ops.where(fits, middle, inside), ops.where(fits, outside, middle)
    end = ops.full(tuple(p.shape), 1.0 if upper else 0.0, p)
    return ops.where(ops.less_equal(_binary_kl(ops, end, p), bound), end, inside)


def _binary_kl(ops: ArrayOps, q: Array, p: Array) -> Array:
    return ops.add(_part(ops, q, p), _part(ops, ops.subtract(1.0, q), ops.subtract(1.0, p)))


def _part(ops: ArrayOps, q: Array, p: Array) -> Array:
    """Q log(q / p), 0 at q = 0, infinite where only p is 0."""
    ratio = ops.true_divide(ops.where(ops.greater(q, 0), q, 1.0), ops.where(ops.greater(p, 0), p, 1.0))
    value = ops.where(ops.greater(p, 0), ops.multiply(q, ops.log(ratio)), float("inf"))
    return ops.where(ops.greater(q, 0), value, 0.0)


def inner_product(ops: ArrayOps, p: Array, r: Array, upper: bool) -> Array:
    """Extremes of a linear constraint, sum p q >= 1 - r: mix the class with the best other one.

    NaN where no distribution satisfies it, that is where 1 - r exceeds the largest probability.
    """
    classes = int(p.shape[-1])
    need = ops.subtract(1.0, _column(ops, r))
    if classes == 1:
        return ops.where(ops.greater_equal(p, need), ops.full(tuple(p.shape), 1.0, p), float("nan"))
    other = _best_other(ops, p)
    gap = ops.subtract(other, p)
    share = ops.true_divide(ops.subtract(other, need), ops.where(ops.equal(gap, 0), 1.0, gap))
    share = _clip(ops, share)
    one, zero = ops.full(tuple(p.shape), 1.0, p), ops.full(tuple(p.shape), 0.0, p)
    alone = ops.greater_equal(p, need) if upper else ops.greater_equal(other, need)
    value = ops.where(alone, one if upper else zero, share)
    feasible = ops.greater_equal(ops.max(p, axis=-1, keepdims=True), need)
    return ops.where(feasible, value, float("nan"))


def _best_other(ops: ArrayOps, p: Array) -> Array:
    """Largest probability among the other classes, for each class."""
    ranked = ops.sort(p, -1)
    first, second = ops.index(ranked, (..., slice(-1, None))), ops.index(ranked, (..., slice(-2, -1)))
    best = ops.expand_dims(ops.argmax(p, -1), len(p.shape) - 1)
    return ops.where(ops.equal(ops.arange(int(p.shape[-1]), p), best), second, first)


#: Envelope by the name of the distance.
ENVELOPES: dict[str, Callable[..., Array]] = {
    "total_variation": total_variation,
    "wasserstein": wasserstein,
    "kl_divergence": kl_divergence,
    "inner_product": inner_product,
}
