"""Dependent sequences: ``kchain``, ``markovchain``, ``kscan``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.calls import value_form
from flatppl.errors import refuse
from flatppl.functions.higher_order import loop
from flatppl.functions.variadic import cat
from flatppl.measures.base import NORMALIZED, NULL, UNKNOWN, Measure, MeasureOperation, once, require_measure, same_form
from flatppl.measures.cells import cell_form, collection_axes, is_collection
from flatppl.measures.draws import Draw, leaf_of, own_draws, random_leaves
from flatppl.measures.fundamental import Dirac
from flatppl.measures.joint import Joint
from flatppl.measures.law import Law, draws_of
from flatppl.measures.lift import is_kernel, lifted
from flatppl.tensor.ops import concat, convert, cut, reshape, sum_
from flatppl.tensor.program import Node
from flatppl.values.callables import Native, fixed_integer
from flatppl.values.forms import Form, Record, Table, Tensor, describe, fill, flatten, named, unflatten
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
    if getattr(n, "kind", None) == "boolean":
        refuse("kind", f"markovchain: n must be an integer, got a {describe(n)}")
    length = fixed_integer(n, "markovchain: n")
    if length < 0:
        refuse("shape", f"markovchain: n must be positive, got {length}")

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
    given = value_form(init, f"{name}: init")
    state = fill(given, evaluator.builder.variable)
    cells = [evaluator.builder.variable(type(node.aval)(node.kind, node.shape[1:])) for node in inputs]
    one = require_measure((yield step(state, cells)), name)
    if not same_form(one.form(), given):
        refuse("shape", f"{name}: the state is a {describe(init)}, but a step draws a {describe(one.form())}")
    if isinstance(state, Record) or given != one.form():
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
    return lifted(evaluator, "kchain", first, lambda start: _marginal_chain(evaluator, start, kernels))


@dataclass(frozen=True, eq=False)
class ChainEnd(Measure):
    """The last variate of a chain whose masses are not all one; what came before is integrated out.

    Attributes
    ----------
    law : Law
        Of the last variate, with the variates of all steps as its own draws.
    steps : tuple of Draw
        These draws, the first step's first.
    """

    law: Law
    steps: tuple[Draw, ...]

    @cached_property
    def mass_class(self) -> str:
        """Not known."""
        return UNKNOWN

    @cached_property
    def reference(self) -> Any:
        """That of the last step."""
        return self.law.reference

    @once
    def form(self) -> Form:
        return self.law.form()

    @once
    def support(self) -> Set | None:
        return self.law.support()

    def describe(self) -> str:
        return "kchain"

    def log_density(self, evaluator: Any, x: Any) -> Any:
        density = yield evaluator.density(self.law, x)
        # A law leaves out the draws that its value does not depend on, as if their mass were one.
        involved = yield draws_of(evaluator, self.law)
        mass = yield self._mass(evaluator, [draw for draw in self.steps if draw not in involved])
        if mass is None:
            refuse(
                "mass", "kchain: steps that the last one does not depend on have a mass that depends on earlier ones"
            )
        return density + mass

    def log_mass(self, evaluator: Any) -> Any:
        mass = yield self._mass(evaluator, self.steps)
        return mass if mass is not None else (yield super().log_mass(evaluator))

    def sample(self, evaluator: Any, stream: Any) -> Any:
        if any(draw.measure.mass_class != NORMALIZED for draw in self.steps[1:]):
            refuse("mass", "a kchain with kernels that are not normalized has no exact sampler")
        return self.law.sample(evaluator, stream)

    def _mass(self, evaluator: Any, draws: Sequence[Draw]) -> Any:
        """Task: log of the product of the masses of some steps; None where one depends on an earlier step."""
        total: Any = evaluator.builder.constant(0.0)
        for draw in draws:
            total = total + (yield evaluator.log_mass(draw.measure))
        return None if self.law.own_leaves([total]) else total


def _marginal_chain(evaluator: Any, first: Any, kernels: list[Any]) -> Any:
    """The law of the last variate; what came before is integrated out."""
    measures, own = [require_measure(first, "kchain")], dict[Draw, None]()
    value = _variate(evaluator, measures[0], own)
    for kernel in kernels:
        names = evaluator.inputs_of(kernel)
        if isinstance(value, Record) and all(name in value.fields for name in names):
            measure = yield evaluator.apply(kernel, [], {name: value.fields[name] for name in names})
        else:
            measure = yield evaluator.apply_whole(kernel, value)
        measures.append(require_measure(measure, "kchain"))
        value = _variate(evaluator, measures[-1], own)
    law = Law(value, own=frozenset(own))
    return law if all(measure.mass_class == NORMALIZED for measure in measures) else ChainEnd(law, tuple(own))


def _variate(evaluator: Any, measure: Measure, own: dict[Draw, None]) -> Any:
    """A point of a step, whose draws join ``own``; a value that is taken over from earlier ones is no draw."""
    match measure:
        case Dirac(value) if any(leaf.params["draw"] in own for leaf in random_leaves(flatten(value)[1])):
            return value
        case Joint(parts, names) if any(isinstance(part, Dirac) for part in parts):
            values = [_variate(evaluator, part, own) for part in parts]
            return cat(values) if names is None else Record(tuple(zip(names, values, strict=True)))
    value = leaf_of(evaluator, measure)
    own.update(dict.fromkeys(own_draws(value)))
    return value


OPERATIONS = (
    MeasureOperation("markovchain", _markovchain),
    MeasureOperation("kscan", _kscan),
    MeasureOperation("kchain", _kchain),
)
