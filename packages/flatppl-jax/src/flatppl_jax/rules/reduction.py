"""Reductions over axes, operations along an axis, sorting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import lax

from flatppl_jax.context import Context, Rule

__all__ = ["RULES"]


def _reduction(operation: Callable[..., Any]) -> Rule:
    def rule(context: Context, x: Any, axes: tuple[int, ...]) -> Any:
        return operation(x, tuple(sorted(axis % x.ndim for axis in axes)))

    return rule


#: jaxlib 0.10.2 takes a sum of products for a matrix product, and computes it wrongly on the CPU for large arrays of
#: three axes if the first factor has two. Under ``vmap`` any sum over the last axis may become one of these.
_MISTAKEN = jax.__version_info__ < (0, 12)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _plain_sum(axes: tuple[int, ...], x: Any) -> Any:
    """Sum whose operand is no product: a choice that only NaN could decide otherwise."""
    return lax.reduce_sum(lax.select(lax.eq(x, x), x, lax.full_like(x, np.nan)), axes)


@_plain_sum.defjvp
def _(axes: tuple[int, ...], primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    return _plain_sum(axes, x), lax.reduce_sum(dx, axes)


def _sum(x: Any, axes: tuple[int, ...]) -> Any:
    last = axes == (x.ndim - 1,)
    return _plain_sum(axes, x) if _MISTAKEN and last and x.dtype == np.float32 else lax.reduce_sum(x, axes)


def _spread(reduced: Any, x: Any, axes: tuple[int, ...]) -> Any:
    return lax.broadcast_in_dim(reduced, x.shape, tuple(axis for axis in range(x.ndim) if axis not in axes))


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _total_and_shares(axes: tuple[int, ...], infinite: float, x: Any) -> tuple[Any, Any]:
    """``log(sum(exp(x)))`` and ``exp(x)`` over its sum, each the derivative's material of the other.

    Where the maximum is not finite the total is that maximum, and the shares are numbers times ``infinite``.
    """
    top = lax.reduce_max(x, axes)
    finite = lax.is_finite(top)
    shift = lax.select(finite, top, lax.full_like(top, 0.0))
    weights = lax.exp(lax.min(lax.sub(x, _spread(shift, x, axes)), lax.full_like(x, 0.0)))
    whole = lax.reduce_sum(weights, axes)
    scale = lax.select(finite, lax.div(lax.full_like(whole, 1.0), whole), lax.full_like(whole, infinite))
    total = lax.select(finite, lax.add(lax.log(whole), top), top)
    return total, lax.mul(weights, _spread(scale, x, axes))


@_total_and_shares.defjvp
def _(axes: tuple[int, ...], infinite: float, primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    total, shares = _total_and_shares(axes, infinite, x)
    slope = lax.mul(dx, shares)
    mean = lax.reduce_sum(slope, axes)
    return (total, shares), (mean, lax.sub(slope, lax.mul(shares, _spread(mean, shares, axes))))


def _logsumexp(x: Any, axes: tuple[int, ...]) -> Any:
    """All -inf gives -inf, any +inf gives +inf; derivatives are zero there instead of NaN."""
    return _total_and_shares(axes, 0.0, x)[0]


def _softmax(context: Context, x: Any, axis: int) -> Any:
    return _total_and_shares((axis,), np.nan, x)[1]


def _cumulative(operation: Callable[..., Any]) -> Rule:
    def rule(context: Context, x: Any, axis: int) -> Any:
        return operation(x, axis)

    return rule


RULES = {
    "sum": _reduction(_sum),
    "prod": _reduction(lax.reduce_prod),
    "max": _reduction(lax.reduce_max),
    "min": _reduction(lax.reduce_min),
    "all": _reduction(lax.reduce_and),
    "any": _reduction(lax.reduce_or),
    "logsumexp": _reduction(_logsumexp),
    "softmax": _softmax,
    "cumsum": _cumulative(lax.cumsum),
    "cumprod": _cumulative(lax.cumprod),
    "cummax": _cumulative(lax.cummax),
    "cummin": _cumulative(lax.cummin),
    "sort": _cumulative(lax.sort),
}
