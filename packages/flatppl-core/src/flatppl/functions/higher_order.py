"""Operations that call callables: broadcast, reduce, scan, filter, composition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.measures.base import Measure, MeasureOperation
from flatppl.measures.cells import array_form, cell_form, collection_axes, is_collection, spread
from flatppl.measures.lift import is_kernel
from flatppl.measures.product import KernelProduct
from flatppl.tensor.avals import Aval, join
from flatppl.tensor.mapping import cells, finish_map, loop_variable
from flatppl.tensor.ops import element, take
from flatppl.tensor.program import Node, Region, close
from flatppl.values.callables import Function, Native
from flatppl.values.forms import (
    Form,
    Record,
    RecordForm,
    TableForm,
    Tensor,
    TensorForm,
    Texts,
    Tuple,
    TupleForm,
    describe,
    flatten,
    leaves,
    named,
    unflatten,
)
from flatppl.values.product_sets import power_form

__all__ = ["OPERATIONS", "broadcast", "loop"]


def _callable(value: Any, operation: str) -> Any:
    if not isinstance(value, (Function, MeasureOperation)) and not is_kernel(value):
        refuse("kind", f"{operation} needs a function or kernel first, got {describe(value)}")
    return value


def broadcast(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """``broadcast(f, A, B, ...)``: f on every cell of the collections; a kernel gives one product measure."""
    if not args:
        refuse("call", "broadcast needs a callable first")
    callee = _callable(args[0], "broadcast")
    operands = [*args[1:], *keywords.values()]
    names = [None] * (len(args) - 1) + list(keywords)
    for operand in operands:
        if isinstance(operand, (Record, Tuple, Texts)):
            refuse("kind", f"broadcast does not iterate over a {describe(operand)}; use arrays or a table")
    axes = _common_axes([operand for operand in operands if is_collection(operand)])
    if axes is None:
        return evaluator.apply(callee, args[1:], keywords)
    return _Broadcast(evaluator, callee, operands, names, axes).run()


def _common_axes(collections: list[Any]) -> tuple[int, ...] | None:
    axes: tuple[int, ...] | None = None
    for collection in collections:
        mine = collection_axes(collection)
        if axes is None:
            axes = mine
            continue
        if len(mine) != len(axes):
            refuse(
                "shape",
                f"broadcast: collections have {len(axes)} and {len(mine)} axes; align them with addaxes(A, leading, trailing)",
            )
        for a, b in zip(axes, mine, strict=True):
            if a != b and 1 not in (a, b):
                refuse("shape", f"broadcast: sizes {list(axes)} and {list(mine)} do not fit")
        axes = tuple(b if a == 1 else a for a, b in zip(axes, mine, strict=True))
    return axes


class _Broadcast:
    """One broadcast: collections as flat tensors, and how to apply the callable to their cells."""

    def __init__(
        self, evaluator: Any, callee: Any, operands: list[Any], names: list[Any], axes: tuple[int, ...]
    ) -> None:
        self.evaluator = evaluator
        self.callee = callee
        self.operands = operands
        self.names = names
        self.axes = axes
        self.forms: list[Form | None] = []
        self.arrays: list[Node] = []
        for operand in operands:
            if not is_collection(operand):
                self.forms.append(None)
                continue
            form, nodes = flatten(spread(evaluator.builder, operand, axes))
            self.forms.append(cell_form(form))
            self.arrays.extend(nodes)

    def cell(self, variables: Sequence[Node]) -> Any:
        """Task: the callable at the cells of the arrays."""
        supply = iter(variables)
        values = [
            operand if form is None else unflatten(form, supply)
            for operand, form in zip(self.operands, self.forms, strict=True)
        ]
        args = [value for value, name in zip(values, self.names, strict=True) if name is None]
        keywords = {name: value for value, name in zip(values, self.names, strict=True) if name is not None}
        return (yield self.evaluator.apply_cell(self.callee, args, keywords))

    def run(self) -> Any:
        """Task: the result."""
        evaluator = self.evaluator
        region = Region(evaluator.region)
        variables = cells(evaluator.builder, self.arrays, self.axes, region)
        result = yield evaluator.inside(region, self.cell(variables))
        if isinstance(result, Measure):
            return KernelProduct(tuple(self.arrays), self.cell, self.axes, result)
        try:
            form, nodes = flatten(result)
        except TypeError:
            refuse("kind", f"broadcast: the callable gives a {describe(result)}, which cannot fill an array")
        whole = array_form(form, self.axes)
        return unflatten(whole, iter(finish_map(evaluator.builder, self.arrays, self.axes, region, variables, nodes)))


def _broadcasted(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> MeasureOperation:
    if keywords or len(args) != 1:
        refuse("call", "broadcasted(f) takes one positional input")
    callee = _callable(args[0], "broadcasted")
    return MeasureOperation("broadcasted", lambda ev, inner, named: broadcast(ev, (callee, *inner), named))


def _sequence(value: Any, operation: str) -> tuple[int, Form, list[Node]]:
    """Length, cell form and tensors of a vector or table."""
    if not is_collection(value) or len(collection_axes(value)) != 1:
        refuse("kind", f"{operation} runs over a vector or a table, got {describe(value)}")
    form, nodes = flatten(value)
    return collection_axes(value)[0], cell_form(form), nodes


def _scan(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """``scan(f, init, xs)``: all states; the state's kind is the join of init's and the step's, field by field."""
    f, init, xs = _arguments("scan", ("f", "init", "xs"), args, keywords)
    length, _, _ = _sequence(xs, "scan")
    form, _, states = yield loop(evaluator, _callable(f, "scan"), init, xs, "scan")
    return unflatten(power_form(form, (length,)), iter(states))


def _reduce(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """``reduce(f, xs)``: left fold from the first element."""
    f, xs = _arguments("reduce", ("f", "xs"), args, keywords)
    length, cell, nodes = _sequence(xs, "reduce")
    if length == 0:
        refuse("shape", "reduce needs at least one element")
    first = unflatten(cell, iter([element(node, 0) for node in nodes]))
    if length == 1:
        return first
    whole, _ = flatten(xs)
    rest = unflatten(_shortened(whole, length - 1), iter([_tail(node) for node in nodes]))
    form, final, _ = yield loop(evaluator, _callable(f, "reduce"), first, rest, "reduce")
    return unflatten(form, iter(final))


def _arguments(name: str, inputs: tuple[str, ...], args: Sequence[Any], keywords: Mapping[str, Any]) -> Sequence[Any]:
    if keywords or len(args) != len(inputs):
        refuse("call", f"{name}({', '.join(inputs)}) takes {len(inputs)} positional inputs")
    return args


def _tail(node: Node) -> Node:
    start = (1, *(0 for _ in node.shape[1:]))
    return node.builder.apply("slice", node, start=start, stop=node.shape, step=(1,) * len(node.shape))


def _shortened(form: Form, rows: int) -> Form:
    match form:
        case TensorForm(kind, shape, levels, row):
            return TensorForm(kind, (rows, *shape[1:]), levels, row)
    return TableForm(tuple((name, _shortened(part, rows)) for name, part in named(form)), rows)


def loop(evaluator: Any, f: Any, init: Any, xs: Any, name: str) -> Any:
    """Task: (state form, final state tensors, stacked state tensors) of a loop over ``xs``."""
    length, cell, arrays = _sequence(xs, name)
    try:
        form, start = flatten(init)
    except TypeError:
        refuse("kind", f"{name}: the state must be a value, got {describe(init)}")
    kinds = [node.kind for node in start]
    while True:
        region = Region(evaluator.region)
        state = [evaluator.builder.variable(Aval(k, node.shape), region) for k, node in zip(kinds, start, strict=True)]
        x = [loop_variable(evaluator.builder, array, array.shape[1:], region) for array in arrays]
        current = _retyped(form, kinds)
        values = [unflatten(current, iter(state)), unflatten(cell, iter(x))]
        result = yield evaluator.inside(region, _step(evaluator, f, values))
        nodes = _matched(result, current, name)
        joined = [join(kind, node.kind) if kind != node.kind else kind for kind, node in zip(kinds, nodes, strict=True)]
        if joined == kinds:
            break
        kinds = joined
    convert = evaluator.builder.convert
    results = [convert(node, kind) for node, kind in zip(nodes, kinds, strict=True)]
    body = close([*state, *x], [*results, *results], region)
    operands = [convert(node, kind) for node, kind in zip(start, kinds, strict=True)]
    looped = evaluator.builder.apply(
        "scan", *operands, *arrays, *body.captures, body=body, carries=len(state), length=length
    )
    parts = [evaluator.builder.apply("item", looped, index=index) for index in range(2 * len(state))]
    return current, parts[: len(state)], parts[len(state) :]


def _step(evaluator: Any, f: Any, values: list[Any]) -> Any:
    return (yield evaluator.apply_positional(f, values, {}))


def _retyped(form: Form, kinds: list[str]) -> Form:
    supply = iter(kinds)

    def visit(part: Form) -> Form:
        match part:
            case TensorForm(_, shape, levels, row):
                return TensorForm(next(supply), shape, levels, row)
            case RecordForm(items):
                return RecordForm(tuple((name, visit(inner)) for name, inner in items))
            case TupleForm(items):
                return TupleForm(tuple(visit(inner) for inner in items))
        return part

    return visit(form)


def _matched(result: Any, form: Form, name: str) -> list[Node]:
    """Tensors of a step's result in the order of the state's fields."""
    try:
        got, nodes = flatten(result)
    except TypeError:
        refuse("kind", f"{name}: the step must give a value, got {describe(result)}")
    if isinstance(form, RecordForm) and isinstance(result, Record) and set(result.fields) == {n for n, _ in form.items}:
        fields = result.fields
        return [node for field, part in form.items for node in _matched(fields[field], part, name)]
    if [(leaf.shape, leaf.levels) for leaf in leaves(got)] != [(leaf.shape, leaf.levels) for leaf in leaves(form)]:
        refuse("shape", f"{name}: the state is a {describe(form)}, but the step gives a {describe(got)}")
    return nodes


def _filter(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """``filter(pred, data)``: the elements or rows that satisfy the predicate; both must be fixed."""
    pred, data = _arguments("filter", ("pred", "data"), args, keywords)
    length, cell, arrays = _sequence(data, "filter")

    def body(variables: list[Node]) -> Any:
        kept = yield evaluator.apply_cell(_callable(pred, "filter"), [unflatten(cell, iter(variables))], {})
        if not isinstance(kept, Tensor) or kept.kind != "boolean" or kept.levels:
            refuse("kind", f"filter: the predicate must give a boolean, got {describe(kept)}")
        return [kept.node]

    (mask,) = yield evaluator.map_cells(arrays, (length,), body)
    if mask.constant is None:
        refuse(
            "shape", "filter needs fixed data and a fixed predicate, since they decide a size; fix them with Module.set"
        )
    rows = np.flatnonzero(mask.constant)
    form, _ = flatten(data)
    return unflatten(_shortened(form, len(rows)), iter([take(node, rows, 0) for node in arrays]))


def _fchain(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Native:
    """``fchain(f1, f2, ...)``: composition, left to right; a record result splats into the next callable."""
    if keywords or not args:
        refuse("call", "fchain(f1, f2, ...) takes functions by position")
    first, *rest = [_callable(arg, "fchain") for arg in args]
    inputs = evaluator.inputs_of(first)

    def rule(*values: Any) -> Any:
        value = yield evaluator.apply(first, [], dict(zip(inputs, values, strict=True)))
        for f in rest:
            value = yield evaluator.apply(f, [value], {})
        return value

    return Native("fchain", inputs, rule)


OPERATIONS = (
    MeasureOperation("broadcast", broadcast),
    MeasureOperation("broadcasted", _broadcasted),
    MeasureOperation("scan", _scan),
    MeasureOperation("reduce", _reduce),
    MeasureOperation("filter", _filter),
    MeasureOperation("fchain", _fchain),
)
