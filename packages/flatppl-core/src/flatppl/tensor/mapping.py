"""Build ``map`` nodes; a map whose body has batching rules throughout becomes whole-array operations."""

from __future__ import annotations

from collections.abc import Sequence

from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Builder, Node, Program, Region, close
from flatppl.tensor.ranges import proved_range, range_of

__all__ = ["cells", "finish_map", "loop_variable"]


def cells(builder: Builder, arrays: Sequence[Node], axes: tuple[int, ...], region: Region) -> list[Node]:
    """One loop variable per array: a cell along the leading ``axes``."""
    lead = len(axes)
    return [loop_variable(builder, array, array.shape[lead:], region) for array in arrays]


def loop_variable(builder: Builder, array: Node, cell: tuple[int, ...], region: Region) -> Node:
    """A variable that stands for any cell of an array, with the array's range."""
    aval = Aval(array.kind, cell)
    return builder.variable(aval, region, interval=range_of(array), proved=proved_range(array))


def finish_map(
    builder: Builder,
    arrays: Sequence[Node],
    axes: tuple[int, ...],
    region: Region,
    variables: Sequence[Node],
    results: Sequence[Node],
) -> list[Node]:
    """Close the body and apply it to every cell; each result gets the leading ``axes``."""
    body = close(variables, results, region)
    whole = _inline(builder, body, arrays, axes)
    if whole is None:
        looped = builder.apply("map", *arrays, *body.captures, body=body, axes=axes)
        whole = [builder.apply("item", looped, index=index) for index in range(len(results))]
    return whole


def _inline(builder: Builder, body: Program, arrays: Sequence[Node], axes: tuple[int, ...]) -> list[Node] | None:
    whole = {variable.number: array for variable, array in zip(body.params, arrays, strict=True)}
    for node in body.nodes:
        batched = [operand.number in whole for operand in node.operands]
        if not any(batched):
            continue
        operands = [whole.get(operand.number, operand) for operand in node.operands]
        if node.primitive.elementwise:
            operands = [_align(builder, x, flag, axes, node.shape) for x, flag in zip(operands, batched, strict=True)]
            whole[node.number] = builder.build(node.primitive, tuple(operands), node.params)
            continue
        rule = node.primitive.batch
        result = rule(builder, operands, batched, axes, **node.params) if rule is not None else None
        if result is None:
            return None
        whole[node.number] = result
    return [_spread(builder, whole.get(r.number), r, axes) for r in body.results]


def _align(builder: Builder, x: Node, batched: bool, axes: tuple[int, ...], cell: tuple[int, ...]) -> Node:
    """Operand of an elementwise primitive: a scalar, or the full batched shape."""
    shape, lead = axes + cell, len(axes)
    if (x.shape == shape and batched) or (not batched and not x.shape):
        return x
    dims = tuple(range(lead)) if batched else tuple(range(lead, len(shape)))
    return builder.apply("broadcast", x, shape=shape, dims=dims)


def _spread(builder: Builder, whole: Node | None, result: Node, axes: tuple[int, ...]) -> Node:
    shape = axes + result.shape
    if whole is not None:
        return whole
    return builder.apply("broadcast", result, shape=shape, dims=tuple(range(len(axes), len(shape))))
