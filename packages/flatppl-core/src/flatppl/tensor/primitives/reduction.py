"""Reductions over axes, operations along an axis, sorting."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.intervals import REALS, UNIT, Interval
from flatppl.tensor.primitives.rules import normal_axes
from flatppl.tensor.program import Builder, Node, Primitive

NUMBER = ("integer", "real", "complex")
ORDERED = ("integer", "real")


def _reduction(
    name: str,
    allowed: tuple[str, ...],
    evaluate: Callable[..., Any],
    bounds: Callable[..., Interval] | None = None,
    simplify: Callable[..., Node | None] | None = None,
) -> Primitive:
    def abstract(x: Aval, axes: tuple[int, ...]) -> Aval:
        if x.kind not in allowed:
            refuse("kind", f"{name} needs {' or '.join(allowed)} entries, got {x.kind}")
        gone = normal_axes(axes, x.rank)
        return Aval(x.kind, tuple(size for axis, size in enumerate(x.shape) if axis not in gone))

    def batch(builder: Builder, operands: Any, batched: Any, lead: tuple[int, ...], axes: tuple[int, ...]) -> Node:
        return builder.apply(name, operands[0], axes=tuple(axis + len(lead) for axis in axes))

    return Primitive(name, abstract, evaluate, range=bounds, batch=batch, simplify=simplify)


def _logsumexp(x: Any, axes: tuple[int, ...]) -> Any:
    from scipy.special import logsumexp

    return logsumexp(x, axis=axes) if x.size else np.full(np.sum(x, axis=axes).shape, -np.inf)


def _of_two(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    """Two tensors are added where they are: stacked, they would be copied."""
    (x,) = operands
    if x.primitive.name != "stack" or len(x.operands) != 2 or params["axes"] != (0,):
        return None
    return x.builder.apply("logaddexp", *x.operands)


def _sum_range(x: Interval, axes: tuple[int, ...]) -> Interval:
    lo = 0.0 if x.lo >= 0 else -math.inf
    return Interval(lo, 0.0 if x.hi <= 0 else math.inf)


def _extreme(f: Any, empty: float) -> Any:
    def evaluate(x: Any, axes: tuple[int, ...]) -> Any:
        if x.dtype.kind == "f":
            return f(x, axis=axes, initial=empty)
        least = np.iinfo(x.dtype)
        return f(x, axis=axes, initial=least.min if empty < 0 else least.max)

    return evaluate


def _extreme_range(x: Interval, axes: tuple[int, ...]) -> Interval:
    """Bounds of the entries do not bound the extreme of no entries."""
    return REALS


def _softmax(x: Any, axis: int) -> Any:
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True, initial=-np.inf))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def _along(
    name: str, allowed: tuple[str, ...], evaluate: Callable[..., Any], bounds: Callable[..., Interval] | None = None
) -> Primitive:
    """An operation along one axis that keeps the shape."""

    def abstract(x: Aval, axis: int) -> Aval:
        if x.kind not in allowed:
            refuse("kind", f"{name} needs {' or '.join(allowed)} entries, got {x.kind}")
        return x

    def batch(builder: Builder, operands: Any, batched: Any, lead: tuple[int, ...], axis: int) -> Node:
        return builder.apply(name, operands[0], axis=axis + len(lead))

    return Primitive(name, abstract, evaluate, range=bounds, batch=batch)


PRIMITIVES = (
    _reduction("sum", NUMBER, lambda x, axes: np.sum(x, axis=axes), _sum_range),
    _reduction("prod", NUMBER, lambda x, axes: np.prod(x, axis=axes)),
    # NaN propagates; the empty maximum is -inf, the empty minimum +inf.
    _reduction("max", ORDERED, _extreme(np.max, -np.inf), _extreme_range),
    _reduction("min", ORDERED, _extreme(np.min, np.inf), _extreme_range),
    _reduction("all", ("boolean",), lambda x, axes: np.all(x, axis=axes)),
    _reduction("any", ("boolean",), lambda x, axes: np.any(x, axis=axes)),
    # log(sum(exp(x))) with the maximum taken out: all -inf gives -inf, any +inf gives +inf.
    _reduction("logsumexp", ("real",), _logsumexp, simplify=_of_two),
    # exp(x) over its sum; NaN throughout where the maximum is infinite.
    _along("softmax", ("real",), _softmax, lambda x, axis: UNIT),
    _along("cumsum", NUMBER, lambda x, axis: np.cumsum(x, axis)),
    _along("cumprod", NUMBER, lambda x, axis: np.cumprod(x, axis)),
    # NaN propagates from its place on.
    _along("cummax", ORDERED, lambda x, axis: np.maximum.accumulate(x, axis)),
    _along("cummin", ORDERED, lambda x, axis: np.minimum.accumulate(x, axis)),
    # Ascending, NaN last.
    _along("sort", ("boolean", *ORDERED), lambda x, axis: np.sort(x, axis, kind="stable")),
)
