"""Loops over sub-programs, and results of primitives that have several."""

from __future__ import annotations

from typing import Any

import numpy as np

from flatppl.errors import InternalError
from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Primitive, Program

# pack(x, y, ...): several results as one node; what remains of a multi-result primitive after folding.
PACK = Primitive("pack", lambda *xs: tuple(xs), lambda *xs: tuple(xs))

# item(x, index): one result of a primitive that has several.
ITEM = Primitive(
    "item",
    lambda x, index: x[index],
    lambda x, index: x[index],
    simplify=lambda operands, params: (
        operands[0].operands[params["index"]] if operands[0].primitive.name == "pack" else None
    ),
)


def run(body: Program, params: Any, captures: Any) -> tuple[Any, ...]:
    """NumPy meaning of a sub-program."""
    from flatppl.tensor.evaluate import evaluate_nodes

    values = {node.number: value for node, value in zip(body.params, params, strict=True)}
    values.update((node.number, value) for node, value in zip(body.captures, captures, strict=True))
    return evaluate_nodes(body.nodes, body.results, values)


# map(collections..., captures..., body, axes): the body on every cell along the leading axes ``axes`` of the
# collections; one result per body result.
def _map_aval(*operands: Aval, body: Program, axes: tuple[int, ...]) -> tuple[Aval, ...]:
    for param, operand in zip(body.params, operands, strict=False):
        if operand != Aval(param.kind, axes + param.shape):
            raise InternalError(f"map over {axes}: {operand} does not hold cells {param.aval}")
    return tuple(Aval(result.kind, axes + result.shape) for result in body.results)


def _map(*operands: Any, body: Program, axes: tuple[int, ...]) -> tuple[Any, ...]:
    from flatppl.tensor.primitives.core import DTYPES

    count = len(body.params)
    outs: tuple[Any, ...] = tuple(np.empty(axes + result.shape, DTYPES[result.kind]) for result in body.results)
    for cell in np.ndindex(*axes):
        results = run(body, [np.asarray(x[cell]) for x in operands[:count]], operands[count:])
        for out, result in zip(outs, results, strict=True):
            out[cell] = result
    return outs


MAP = Primitive("map", _map_aval, _map)


# scan(carry..., xs..., captures..., body, carries, length): body(carry..., x...) -> (carry'..., y...) along the
# first axis of xs; results are the last carries, then the stacked ys.
def _scan_aval(*operands: Aval, body: Program, carries: int, length: int) -> tuple[Aval, ...]:
    for param, operand in zip(body.params, operands, strict=False):
        index = body.params.index(param)
        expected = param.aval if index < carries else Aval(param.kind, (length, *param.shape))
        if operand != expected:
            raise InternalError(f"scan: operand {index} is {operand}, expected {expected}")
    for param, result in zip(body.params[:carries], body.results[:carries], strict=True):
        if param.aval != result.aval:
            raise InternalError(f"scan: carry {param.aval} becomes {result.aval}")
    ys = tuple(Aval(result.kind, (length, *result.shape)) for result in body.results[carries:])
    return tuple(result.aval for result in body.results[:carries]) + ys


def _scan(*operands: Any, body: Program, carries: int, length: int) -> tuple[Any, ...]:
    from flatppl.tensor.primitives.core import DTYPES

    count = len(body.params)
    carry, xs, captures = list(operands[:carries]), operands[carries:count], operands[count:]
    ys: list[Any] = [np.empty((length, *result.shape), DTYPES[result.kind]) for result in body.results[carries:]]
    for step in range(length):
        results = run(body, [*carry, *(np.asarray(x[step]) for x in xs)], captures)
        carry = list(results[:carries])
        for y, result in zip(ys, results[carries:], strict=True):
            y[step] = result
    return (*carry, *ys)


SCAN = Primitive("scan", _scan_aval, _scan)

PRIMITIVES = (PACK, ITEM, MAP, SCAN)
