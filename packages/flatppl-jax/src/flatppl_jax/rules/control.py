"""Loops, and results of primitives that have several."""

from __future__ import annotations

from typing import Any

import jax
from jax import lax

from flatppl.tensor.program import Program
from flatppl_jax.context import Context, alike, as_jax

__all__ = ["RULES"]


def _pack(context: Context, *xs: Any) -> tuple[Any, ...]:
    return xs


def _item(context: Context, x: tuple[Any, ...], index: int) -> Any:
    return x[index]


def _map(context: Context, *operands: Any, body: Program, axes: tuple[int, ...]) -> tuple[Any, ...]:
    """``jax.vmap`` of the body, once per axis."""
    count = len(body.params)
    captures = operands[count:]

    def cell(*values: Any) -> tuple[Any, ...]:
        return context.run(body, values, captures)

    if not count:
        return tuple(lax.broadcast(result, axes) for result in cell())
    mapped = cell
    for size in reversed(axes):
        mapped = jax.vmap(mapped, axis_size=size)
    # Custom derivatives inside the body do not take lanes of NumPy arrays.
    return mapped(*map(as_jax, operands[:count]))


def _scan(context: Context, *operands: Any, body: Program, carries: int, length: int) -> tuple[Any, ...]:
    """One ``lax.scan``; its size does not depend on the length."""
    count = len(body.params)
    captures = operands[count:]

    def step(carry: tuple[Any, ...], xs: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        results = context.run(body, (*carry, *xs), captures)
        return results[:carries], results[carries:]

    carry = alike(operands[:carries], operands)
    last, ys = lax.scan(step, carry, operands[carries:count], length=length)
    return (*last, *ys)


RULES = {"pack": _pack, "item": _item, "map": _map, "scan": _scan}
