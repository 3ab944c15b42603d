"""Dependent sequences: ``kchain``, ``markovchain``, ``kscan``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.higher_order import loop
from flatppl.measures.base import NORMALIZED, NULL, UNKNOWN, Measure, MeasureOperation, once, require_measure, same_form
from flatppl.measures.cells import cell_form, collection_axes, is_collection
from flatppl.measures.draws import draw_from, own_draws
from flatppl.measures.law import Law
from flatppl.measures.lift import is_kernel
from flatppl.tensor.ops import concat, convert, cut, reshape, sum_
from flatppl.tensor.program import Node
from flatppl.values.callables import Native, fixed_integer
from flatppl.values.forms import Form, Record, Table, Tensor, describe, fill, flatten, form_of, named, unflatten
from flatppl.values.product_sets import Power, power_form
from flatppl.values.sets import Set

__all__ = ["OPERATIONS", "Trajectory"]


@dataclass(frozen=True, eq=False)
class Trajectory(Measure):
    """States that each follow the one before by a kernel.

    Attributes
    ----------
    step : callable
        ``step(state, cells)``: task for the measure of the next state.
    init : Value
        State before the first.
    inputs : tuple of Node
        Tensors that the steps consume, one row each.
    length : int
    one : Measure
        The measure of a symbolic step.
    """

    step: Callable[..., Any]
    init: Any
    inputs: tuple[Node, ...]
    length: int
    one: Measure

    @cached_property
    def reference(self) -> Any:
        """Product of the steps'."""
        return self.one.reference

    @cached_property
    def mass_class(self) -> str:
        """That of a normalized or null kernel."""
        return self.one.mass_class if self.one.mass_class in (NORMALIZED, NULL) else UNKNOWN

    @once
    def form(self) -> Form:
        return power_form(self.one.form(), (self.length,))

    @once
    def support(self) -> Set | None:
        support = self.one.support()
        return None if support is None else Power(support, (self.length,))

    def sample(self, evaluator: Any, stream: Any) -> Any:
        """One loop over the steps, each with a random state of its own."""
        states = evaluator.builder.apply("random_split", stream.next(), axes=(self.length,))
        columns = [("rng", Tensor(states, (1,)))]
        columns += [(f"x{i}", Tensor(node, (len(node.shape),))) for i, node in enumerate(self.inputs)]

        def rule(state: Any, row: Any) -> Any:
            parts = [part.node for _, part in row.items]
            measure = yield self.step(state, parts[1:])
            return (yield evaluator.sample(measure, type(stream)(parts[0])))

        step = Native("step", ("state", "row"), rule)
        form, _, nodes = yield loop(evaluator, step, self.init, Table(tuple(columns), self.length), "markovchain")
        return unflatten(power_form(form, (self.length,)), iter(nodes))

    def log_density(self, evaluator: Any, x: Any) -> Any:
        if self.length == 0:
            return evaluator.builder.constant(0.0)
        form, states = flatten(x)
        state_form = cell_form(form)
        before = _shifted(flatten(_ordered(self.init, state_form))[1], states)
        count = len(states)

        def body(variables: list[Node]) -> Any:
            previous = unflatten(state_form, iter(variables[:count]))
            measure = yield self.step(previous, variables[2 * count :])
            return [(yield evaluator.density(measure, unflatten(state_form, iter(variables[count : 2 * count]))))]

        arrays = [*before, *states, *self.inputs]
        (terms,) = yield evaluator.map_cells(arrays, (self.length,), body)
        return sum_(terms)


def _ordered(value: Any, form: Form) -> Any:
    names = [name for name, _ in named(form)]
    return Record(tuple((name, value.fields[name]) for name in names)) if names else value


def _shifted(first: list[Node], states: list[Node]) -> list[Node]:
    """The states before each step: the initial one, then all but the last."""
    before = []
    for start, state in zip(first, states, strict=True):
        head = reshape(convert(start, state.kind), (1, *start.shape))
        before.append(concat([head, cut(state, 0, state.shape[0] - 1)]))
    return before


def _markovchain(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 3:
        refuse("call", "markovchain(kernel, init, n) takes three positional inputs")
    kernel, init, n = args
    length = fixed_integer(n, "markovchain: n")

    def step(state: Any, cells: list[Node]) -> Any:
        return (yield _apply_state(evaluator, kernel, state, ()))

    return _trajectory(evaluator, "markovchain", kernel, init, (), length, step)


def _kscan(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 3:
        refuse("call", "kscan(kernel, init, xs) takes three positional inputs")
    kernel, init, xs = args
    if not is_collection(xs) or len(collection_axes(xs)) != 1:
        refuse("kind", f"kscan runs over a vector or a table, got {describe(xs)}")
    form, rows = flatten(xs)
    row = cell_form(form)

    def step(state: Any, cells: list[Node]) -> Any:
        return (yield _apply_state(evaluator, kernel, state, (unflatten(row, iter(cells)),)))

    return _trajectory(evaluator, "kscan", kernel, init, tuple(rows), collection_axes(xs)[0], step)


def _apply_state(evaluator: Any, kernel: Any, state: Any, rest: tuple[Any, ...]) -> Any:
    """A record state splats into a kernel of its fields; otherwise it goes whole to the first input."""
    names = evaluator.inputs_of(kernel)
    if isinstance(state, Record) and not rest and set(names) == set(state.fields):
        return evaluator.apply(kernel, [], state.fields)
    return evaluator.apply_positional(kernel, (state, *rest), {})


def _trajectory(
    evaluator: Any, name: str, kernel: Any, init: Any, inputs: tuple[Node, ...], length: int, step: Callable[..., Any]
) -> Any:
    if not is_kernel(kernel):
        refuse("kind", f"{name} needs a kernel first, got {describe(kernel)}")
    if not getattr(kernel, "ordered", True):
        refuse("call", f"{name}: the kernel must take its inputs by position; write it as a lambda")
    state = fill(form_of(init), evaluator.builder.variable)
    cells = [evaluator.builder.variable(type(node.aval)(node.kind, node.shape[1:])) for node in inputs]
    one = require_measure((yield step(state, cells)), name)
    if not same_form(one.form(), form_of(init)):
        refuse("shape", f"{name}: the state is a {describe(init)}, but a step draws a {describe(one.form())}")
    if isinstance(state, Record) or form_of(init) != one.form():
        state = fill(one.form(), evaluator.builder.variable)
        one = require_measure((yield step(state, cells)), name)
    return Trajectory(step, init, inputs, length, one)


def _kchain(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) < 2:
        refuse("call", "kchain(M, K, ...) takes a measure and kernels by position")
    first, *kernels = args
    for kernel in kernels:
        if not is_kernel(kernel):
            refuse("kind", f"kchain: steps after the first must be kernels, got {describe(kernel)}")
    if is_kernel(first):
        inputs = evaluator.inputs_of(first)

        def rule(*values: Any) -> Any:
            start = yield evaluator.apply(first, [], dict(zip(inputs, values, strict=True)))
            return (yield _marginal_chain(evaluator, start, kernels))

        return Native("kchain of kernels", inputs, rule)
    return _marginal_chain(evaluator, first, kernels)


def _marginal_chain(evaluator: Any, first: Any, kernels: list[Any]) -> Any:
    """The law of the last draw; what came before is integrated out."""
    values = [draw_from(evaluator, require_measure(first, "kchain"))]
    for kernel in kernels:
        names = evaluator.inputs_of(kernel)
        value = values[-1]
        if isinstance(value, Record) and all(name in value.fields for name in names):
            measure = yield evaluator.apply(kernel, [], {name: value.fields[name] for name in names})
        else:
            measure = yield evaluator.apply_whole(kernel, value)
        values.append(draw_from(evaluator, require_measure(measure, "kchain")))
    return Law(values[-1], own=own_draws(*values))


OPERATIONS = (
    MeasureOperation("markovchain", _markovchain),
    MeasureOperation("kscan", _kscan),
    MeasureOperation("kchain", _kchain),
)
