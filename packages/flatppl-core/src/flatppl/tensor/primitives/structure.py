"""Shape and layout: no arithmetic happens here."""

from __future__ import annotations

from typing import Any

import numpy as np

from flatppl.errors import InternalError, refuse
from flatppl.tensor.avals import Aval, join
from flatppl.tensor.intervals import Interval, hull
from flatppl.tensor.primitives.rules import expand
from flatppl.tensor.program import Builder, Node, Primitive


def _same_range(x: Interval, *_: Interval, **__: Any) -> Interval:
    return x


# reshape(x, shape): row-major.
def _reshape_aval(x: Aval, shape: tuple[int, ...]) -> Aval:
    if Aval(x.kind, shape).size != x.size:
        refuse("shape", f"cannot reshape {list(x.shape)} to {list(shape)}")
    return Aval(x.kind, shape)


def _reshape_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    x = operands[0]
    if x.shape == params["shape"]:
        return x
    if x.primitive.name != "slice" or x.shape != (1, *params["shape"]):
        return None
    source, place = x.operands[0], x.params["start"][0]
    if source.primitive.name == "stack" and source.shape[1:] == params["shape"]:
        return source.operands[place]
    return _last_state(source, place, params["shape"])


def _last_state(source: Node, place: int, shape: tuple[int, ...]) -> Node | None:
    """The last of the states that a loop has collected is the one with which it ends."""
    if source.primitive.name != "item" or source.operands[0].primitive.name != "scan":
        return None
    loop, index = source.operands[0], source.params["index"]
    carries, results = loop.params["carries"], loop.params["body"].results
    if index < carries or place != loop.params["length"] - 1 or source.shape[1:] != shape:
        return None
    ends = [k for k in range(carries) if results[k] is results[index]]
    return source.builder.apply("item", loop, index=ends[0]) if ends else None


RESHAPE = Primitive(
    "reshape",
    _reshape_aval,
    lambda x, shape: x.reshape(shape),
    range=_same_range,
    batch=lambda builder, operands, batched, axes, shape: builder.apply("reshape", operands[0], shape=axes + shape),
    simplify=_reshape_simple,
)


# transpose(x, axes): axis k of the result is axis axes[k] of x.
TRANSPOSE = Primitive(
    "transpose",
    lambda x, axes: Aval(x.kind, tuple(x.shape[axis] for axis in axes)),
    lambda x, axes: x.transpose(axes),
    range=_same_range,
    batch=lambda builder, operands, batched, lead, axes: builder.apply(
        "transpose", operands[0], axes=tuple(range(len(lead))) + tuple(axis + len(lead) for axis in axes)
    ),
    simplify=lambda operands, params: operands[0] if params["axes"] == tuple(range(len(params["axes"]))) else None,
)


# broadcast(x, shape, dims): axis k of x becomes axis dims[k] of the result; size one repeats.
def _broadcast_aval(x: Aval, shape: tuple[int, ...], dims: tuple[int, ...]) -> Aval:
    if len(dims) != x.rank or any(size not in (1, shape[dim]) for size, dim in zip(x.shape, dims, strict=True)):
        raise InternalError(f"cannot broadcast {x} to {shape} along {dims}")
    return Aval(x.kind, shape)


def _broadcast(x: Any, shape: tuple[int, ...], dims: tuple[int, ...]) -> Any:
    full = [1] * len(shape)
    for size, dim in zip(x.shape, dims, strict=True):
        full[dim] = size
    return np.broadcast_to(x.reshape(full), shape)


def _broadcast_batch(
    builder: Builder, operands: Any, batched: Any, axes: tuple[int, ...], shape: Any, dims: Any
) -> Node:
    lead = len(axes)
    return builder.apply(
        "broadcast", operands[0], shape=axes + shape, dims=tuple(range(lead)) + tuple(dim + lead for dim in dims)
    )


BROADCAST = Primitive(
    "broadcast",
    _broadcast_aval,
    _broadcast,
    range=_same_range,
    batch=_broadcast_batch,
    simplify=lambda operands, params: operands[0] if operands[0].shape == params["shape"] else None,
)


# concat(x, y, ..., axis)
def _concat_aval(*xs: Aval, axis: int) -> Aval:
    first = xs[0]
    for x in xs:
        if x.kind != first.kind or x.rank != first.rank or _without(x.shape, axis) != _without(first.shape, axis):
            refuse("shape", f"cannot join {', '.join(map(str, xs))} along axis {axis + 1}")
    size = sum(x.shape[axis] for x in xs)
    return Aval(first.kind, (*first.shape[:axis], size, *first.shape[axis + 1 :]))


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def _concat_batch(builder: Builder, operands: Any, batched: Any, axes: tuple[int, ...], axis: int) -> Node:
    rank = max(len(x.shape) - len(axes) if flag else len(x.shape) for x, flag in zip(operands, batched, strict=True))
    full = [expand(builder, x, flag, axes, rank) for x, flag in zip(operands, batched, strict=True)]
    return builder.apply("concat", *full, axis=axis + len(axes))


CONCAT = Primitive(
    "concat",
    _concat_aval,
    lambda *xs, axis: np.concatenate(xs, axis),
    range=lambda *xs, axis: hull(*xs),
    batch=_concat_batch,
    simplify=lambda operands, params: operands[0] if len(operands) == 1 else None,
)


# stack(x, y, ...): equal shapes along a new first axis.
def _stack_aval(*xs: Aval) -> Aval:
    if any(x != xs[0] for x in xs):
        refuse("shape", f"cannot stack {', '.join(map(str, xs))}")
    return Aval(join(*(x.kind for x in xs)), (len(xs), *xs[0].shape))


def _stack_batch(builder: Builder, operands: Any, batched: Any, axes: tuple[int, ...]) -> Node:
    lead = len(axes)
    rank = max(len(x.shape) - lead if flag else len(x.shape) for x, flag in zip(operands, batched, strict=True))
    full = [expand(builder, x, flag, axes, rank) for x, flag in zip(operands, batched, strict=True)]
    stacked = builder.apply("stack", *full)
    order = (*range(1, lead + 1), 0, *range(lead + 1, lead + 1 + rank))
    return builder.apply("transpose", stacked, axes=order)


def _stack_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    """Entries of one array, all passed through the same functions: the functions of the array."""
    functions = []
    level = list(operands)
    while _entry(level[0], 0) is None and all(_alike(node, level[0]) for node in level):
        functions.append((level[0].primitive, level[0].params))
        level = [node.operands[0] for node in level]
    source: Node | None = _entry(level[0], 0)
    if source is None or source.shape[0] != len(level):
        return None
    if any(_entry(node, place) is not source for place, node in enumerate(level)):
        return None
    for primitive, its_params in reversed(functions):
        if primitive.elementwise:
            source = source.builder.build(primitive, (source,), its_params)
        elif (source := primitive.batch(source.builder, [source], [True], (len(level),), **its_params)) is None:
            return None
    return source


def _entry(node: Node, place: int) -> Node | None:
    """The array of which ``node`` is the entry at ``place`` of the first axis: ``take``, or a slice without its axis."""
    if node.primitive.name == "take":
        source, index = node.operands
        at = None if index.constant is None or index.constant.shape else int(index.constant)
        return source if node.params["axis"] == 0 and at == place else None
    cut = node.operands[0] if node.primitive.name == "reshape" else node
    if cut.primitive.name != "slice" or cut is node:
        return None
    source = cut.operands[0]
    lower, upper = (place, *(0,) * len(node.shape)), (place + 1, *node.shape)
    whole = (cut.params["start"], cut.params["stop"]) == (lower, upper) and source.shape[1:] == node.shape
    return source if whole else None


def _alike(node: Node, other: Node) -> bool:
    """Whether both apply one function of one operand, and one that can be applied to a whole array."""
    if len(node.operands) != 1 or node.primitive is not other.primitive or node.params != other.params:
        return False
    return node.primitive.elementwise or node.primitive.batch is not None


STACK = Primitive(
    "stack",
    _stack_aval,
    lambda *xs: np.stack(xs),
    range=lambda *xs: hull(*xs),
    batch=_stack_batch,
    simplify=_stack_simple,
)


# slice(x, start, stop, step): static, one entry per axis.
def _slice_aval(x: Aval, start: tuple[int, ...], stop: tuple[int, ...], step: tuple[int, ...]) -> Aval:
    bounds = zip(start, stop, step, strict=True)
    return Aval(x.kind, tuple(len(range(a, b, s)) for a, b, s in bounds))


def _slice_batch(builder: Builder, operands: Any, batched: Any, axes: tuple[int, ...], **params: Any) -> Node:
    lead = len(axes)
    return builder.apply(
        "slice",
        operands[0],
        start=(0,) * lead + params["start"],
        stop=axes + params["stop"],
        step=(1,) * lead + params["step"],
    )


SLICE = Primitive(
    "slice",
    _slice_aval,
    lambda x, start, stop, step: x[tuple(slice(a, b, s) for a, b, s in zip(start, stop, step, strict=True))],
    range=_same_range,
    batch=_slice_batch,
)

# reverse(x, axes)
REVERSE = Primitive(
    "reverse",
    lambda x, axes: x,
    lambda x, axes: np.flip(x, axes),
    range=_same_range,
    batch=lambda builder, operands, batched, lead, axes: builder.apply(
        "reverse", operands[0], axes=tuple(axis + len(lead) for axis in axes)
    ),
)


# take(x, indices, axis): gather along one axis with zero-based integers; out-of-range indices clip (callers guard).
def _take_aval(x: Aval, indices: Aval, axis: int) -> Aval:
    if indices.kind != "integer":
        refuse("kind", f"an index must be an integer, got {indices.kind}")
    return Aval(x.kind, x.shape[:axis] + indices.shape + x.shape[axis + 1 :])


def _take_batch(builder: Builder, operands: Any, batched: Any, axes: tuple[int, ...], axis: int) -> Node | None:
    if batched[0] and not batched[1]:
        return builder.apply("take", *operands, axis=axis + len(axes))
    if not batched[0] and axis == 0:
        return builder.apply("take", *operands, axis=0)
    return None


TAKE = Primitive(
    "take",
    _take_aval,
    lambda x, indices, axis: np.take(x, indices, axis, mode="clip"),
    range=_same_range,
    batch=_take_batch,
)

PRIMITIVES = (RESHAPE, TRANSPOSE, BROADCAST, CONCAT, STACK, SLICE, REVERSE, TAKE)
