"""Reductions over axes, cumulative operations, sorting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jax import lax

from flatppl_jax.context import Context, Rule

__all__ = ["RULES"]


def _reduction(operation: Callable[..., Any]) -> Rule:
    def rule(context: Context, x: Any, axes: tuple[int, ...]) -> Any:
        return operation(x, tuple(sorted(axis % x.ndim for axis in axes)))

    return rule


def _logsumexp(x: Any, axes: tuple[int, ...]) -> Any:
    """All -inf gives -inf, any +inf gives +inf; derivatives are zero there instead of NaN."""
    top = lax.stop_gradient(lax.reduce_max(x, axes))
    shift = lax.select(lax.is_finite(top), top, lax.full_like(top, 0.0))
    kept = tuple(axis for axis in range(x.ndim) if axis not in axes)
    centred = lax.sub(x, lax.broadcast_in_dim(shift, x.shape, kept))
    # Positive only where the maximum is +inf.
    zero = lax.full_like(centred, 0.0)
    total = lax.reduce_sum(lax.exp(lax.select(lax.gt(centred, zero), zero, centred)), axes)
    nothing = lax.eq(total, lax.full_like(total, 0.0))
    finite = lax.add(lax.log(lax.select(nothing, lax.full_like(total, 1.0), total)), shift)
    infinite = lax.bitwise_or(nothing, lax.eq(top, lax.full_like(top, np.inf)))
    return lax.select(infinite, top, finite)


def _cumulative(operation: Callable[..., Any]) -> Rule:
    def rule(context: Context, x: Any, axis: int) -> Any:
        return operation(x, axis)

    return rule


RULES = {
    "sum": _reduction(lax.reduce_sum),
    "prod": _reduction(lax.reduce_prod),
    "max": _reduction(lax.reduce_max),
    "min": _reduction(lax.reduce_min),
    "all": _reduction(lax.reduce_and),
    "any": _reduction(lax.reduce_or),
    "logsumexp": _reduction(_logsumexp),
    "cumsum": _cumulative(lax.cumsum),
    "cumprod": _cumulative(lax.cumprod),
    "cummax": _cumulative(lax.cummax),
    "cummin": _cumulative(lax.cummin),
    "sort": _cumulative(lax.sort),
}
