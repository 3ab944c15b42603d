"""Abstract-evaluation and batching rules that many primitives share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flatppl.errors import refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Builder, Node

__all__ = ["elementwise", "expand", "merge_shapes", "normal_axes"]


def merge_shapes(*avals: Aval) -> tuple[int, ...]:
    """Common shape of scalars and equal-shaped tensors."""
    shape: tuple[int, ...] = ()
    for aval in avals:
        if aval.shape and shape and aval.shape != shape:
            refuse("shape", f"shapes {list(shape)} and {list(aval.shape)} do not fit")
        shape = shape or aval.shape
    return shape


def elementwise(allowed: Sequence[str], result: str | None = None) -> Callable[..., Aval]:
    """Rule of an elementwise primitive: equal operand kinds out of ``allowed``; ``result`` kind or the same."""

    def rule(*avals: Aval, **_: Any) -> Aval:
        kind = avals[0].kind
        for aval in avals:
            if aval.kind not in allowed or aval.kind != kind:
                refuse("kind", f"expected {' or '.join(allowed)}, got {', '.join(a.kind for a in avals)}")
        return Aval(result or kind, merge_shapes(*avals))

    return rule


def normal_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front, sorted."""
    return tuple(sorted(axis % rank for axis in axes))


def expand(builder: Builder, node: Node, batched: bool, axes: tuple[int, ...], rank: int) -> Node:
    """Give ``node`` the leading batch axes and a cell of ``rank`` axes (trailing axes of size one repeat nothing)."""
    cell = node.shape[len(axes) :] if batched else node.shape
    if batched:
        return node if len(cell) == rank else builder.apply("reshape", node, shape=axes + (1,) * (rank - len(cell)))
    shape = axes + cell
    dims = tuple(range(len(axes), len(shape)))
    return builder.apply("broadcast", node, shape=shape, dims=dims)
