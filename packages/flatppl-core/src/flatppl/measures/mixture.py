"""``ksuperpose(K, w)(family...)``: the weighted sum of a kernel over a family of parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.distribution import Distribution, Rng
from flatppl.errors import refuse
from flatppl.marginal.latents import static_set
from flatppl.measures.base import (
    FINITE,
    LOCALLY_FINITE,
    NORMALIZED,
    NULL,
    UNKNOWN,
    Measure,
    MeasureOperation,
    once,
    require_measure,
)
from flatppl.measures.lift import is_kernel
from flatppl.measures.product import verify
from flatppl.measures.superpose import Superposition, pick, sums_to_one
from flatppl.measures.weighted import Weighted, shifted
from flatppl.tensor.intervals import NONNEGATIVE
from flatppl.tensor.mapping import cells
from flatppl.tensor.ops import convert, element, equal, log, logsumexp, select, take
from flatppl.tensor.program import Node, Region
from flatppl.tensor.ranges import range_of
from flatppl.values.callables import Native
from flatppl.values.forms import Form, Tensor, Text, Texts, describe
from flatppl.values.sets import Set

__all__ = ["OPERATIONS", "KernelMixture"]


#: Mixtures of more components than this are integrated as a whole.
COMPONENT_LIMIT = 64


@dataclass(frozen=True, eq=False)
class KernelMixture(Measure):
    """Sum over components of a weight times the kernel at the component's parameters.

    Attributes
    ----------
    weights : Node
        Vector.
    arrays : tuple of Node
        Family tensors with the component axis first.
    cell : callable
        ``cell(variables)``: task for the measure at one component's cells.
    one : Measure
        The measure of a symbolic component.
    """

    weights: Node
    arrays: tuple[Node, ...]
    cell: Callable[..., Any]
    one: Measure

    @cached_property
    def reference(self) -> Any:
        """That of the components."""
        return self.one.reference

    @cached_property
    def mass_class(self) -> str:
        """Normalized if the weights provably sum to one; finite for other fixed weights of finite components."""
        if self.one.mass_class == NULL:
            return NULL
        if self.one.mass_class == NORMALIZED and sums_to_one(self.weights):
            return NORMALIZED
        if self.weights.constant is None:
            return UNKNOWN
        return {NORMALIZED: FINITE, FINITE: FINITE, LOCALLY_FINITE: LOCALLY_FINITE}.get(self.one.mass_class, UNKNOWN)

    @once
    def form(self) -> Form:
        return self.one.form()

    @once
    def support(self) -> Set | None:
        """The least set that holds the supports of all components."""
        return static_set(self.one.support())

    def log_density(self, evaluator: Any, x: Any) -> Any:
        return self._combined(evaluator, lambda measure: evaluator.density(measure, x))

    def log_mass(self, evaluator: Any) -> Any:
        if self.mass_class == NORMALIZED:
            return evaluator.builder.constant(0.0)
        if self.one.mass_class == NORMALIZED:
            return log(self.weights.builder.apply("sum", convert(self.weights, "real"), axes=(0,)))
        return self._combined(evaluator, evaluator.log_mass)

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        return self._combined(evaluator, lambda measure: evaluator.log_mass_within(measure, region))

    def components(self, evaluator: Any) -> Any:
        """One part per component, unless there are many."""
        count = self.weights.shape[0]
        if count > COMPONENT_LIMIT:
            return (yield super().components(evaluator))
        logs = log(convert(self.weights, "real"))
        parts = []
        for index in range(count):
            measure = yield self.cell([element(array, index) for array in self.arrays])
            parts.extend((yield shifted(evaluator, measure, element(logs, index))))
        return parts

    def sample(self, evaluator: Any, stream: Any) -> Any:
        logs = log(convert(self.weights, "real"))
        if self.one.mass_class != NORMALIZED:
            masses = yield self._masses(evaluator)
            logs = logs + masses
        index = pick(logs, Rng(stream.next()))
        measure = yield self.cell([take(array, index) for array in self.arrays])
        return (yield evaluator.sample(measure, stream))

    def _masses(self, evaluator: Any) -> Any:
        def body(variables: list[Node]) -> Any:
            measure = yield self.cell(variables)
            return [(yield evaluator.log_mass(measure))]

        (masses,) = yield evaluator.map_cells(list(self.arrays), self.weights.shape, body)
        return masses

    def _combined(self, evaluator: Any, value: Callable[[Measure], Any]) -> Any:
        """Task: log-sum-exp of log weight plus a component's value; zero weights drop out."""

        def body(variables: list[Node]) -> Any:
            measure = yield self.cell(variables[1:])
            term = yield value(measure)
            weight = variables[0]
            return [select(equal(weight, 0.0), -math.inf, log(weight) + term)]

        weights = convert(self.weights, "real")
        (terms,) = yield evaluator.map_cells([weights, *self.arrays], self.weights.shape, body)
        return logsumexp(terms)


def _ksuperpose(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if len(args) < 2:
        refuse(
            "call",
            "ksuperpose(K, weights) takes a kernel and a vector of weights, then ksuperpose(K, weights)(family...)",
        )
    kernel, weights, *family = args
    if not is_kernel(kernel) and not isinstance(kernel, MeasureOperation):
        refuse("kind", f"ksuperpose needs a kernel first, got {describe(kernel)}")
    if not isinstance(weights, Tensor) or weights.levels != (1,):
        refuse("kind", f"ksuperpose: weights must be a vector, got {describe(weights)}")
    negative = range_of(weights.node).disjoint(NONNEGATIVE)
    if negative or (weights.node.constant is not None and any(w < 0 for w in weights.node.constant.tolist())):
        refuse("domain", "ksuperpose: weights cannot be negative")
    names = ("value",) if isinstance(kernel, MeasureOperation) else evaluator.inputs_of(kernel)
    ordered = getattr(kernel, "ordered", True)
    applied = Native("ksuperpose", names, lambda *values: _applied(evaluator, kernel, weights, names, values), ordered)
    return evaluator.apply(applied, family, keywords) if family or keywords else applied


def _applied(evaluator: Any, kernel: Any, weights: Tensor, names: tuple[str, ...], values: Sequence[Any]) -> Any:
    if any(isinstance(value, Texts) for value in values):
        return _labelled(evaluator, kernel, weights, names, values)
    held, arrays = _families(evaluator, kernel, names, values, weights.node.shape[0])
    return _mixture(evaluator, kernel, weights.node, names, held, arrays)


def _families(evaluator: Any, kernel: Any, names: tuple[str, ...], values: Sequence[Any], count: int) -> Any:
    """(held values by name, [(name, cell form, tensors)] of the collections)."""
    held: dict[str, Any] = {}
    arrays = []
    for name, value in zip(names, values, strict=True):
        rank = _rank(kernel, name)
        cells = _as_family(value, rank, name)
        if cells is None:
            held[name] = value
            continue
        size = cells.node.shape[0]
        if size not in (1, count):
            refuse("shape", f"ksuperpose: {name} has {size} components, the weights {count}")
        node = cells.node
        if size != count:
            node = evaluator.builder.apply(
                "broadcast", node, shape=(count, *node.shape[1:]), dims=tuple(range(len(node.shape)))
            )
        arrays.append((name, Tensor(node, cells.levels)))
    return held, arrays


def _rank(kernel: Any, name: str) -> int | None:
    """Axes of a parameter, where the kernel says so."""
    if isinstance(kernel, Distribution):
        return getattr(dict(kernel.parameters)[name], "rank", 0)
    return None


def _as_family(value: Any, rank: int | None, name: str) -> Tensor | None:
    """The collection of a parameter with one axis in front, or None for a shared value."""
    if not isinstance(value, Tensor) or not value.levels:
        return None
    axes = len(value.node.shape)
    if value.levels == (2,) and (rank in (1, None) or rank == 0):
        if rank == 0:
            refuse("shape", f"ksuperpose: {name} is a scalar parameter; a matrix is a family of vectors")
        return Tensor(value.node, (1, 1))
    if value.levels[0] != 1:
        refuse("shape", f"ksuperpose: the family of {name} must have one axis of components, got a {describe(value)}")
    if rank is not None and axes != rank + 1:
        if axes == rank:
            refuse("shape", f"ksuperpose: {name} needs one axis more than the parameter; share one value as [{name}]")
        refuse("shape", f"ksuperpose: the family of {name} has {axes} axes, expected {rank + 1}")
    return value


def _mixture(
    evaluator: Any,
    kernel: Any,
    weights: Node,
    names: tuple[str, ...],
    held: dict[str, Any],
    arrays: list[tuple[str, Tensor]],
) -> Any:
    def cell(variables: list[Node]) -> Any:
        given = dict(held)
        for (name, value), node in zip(arrays, variables, strict=True):
            given[name] = Tensor(node, value.levels[1:])
        measure = yield evaluator.apply(kernel, [], {name: given[name] for name in names})
        return require_measure(measure, "ksuperpose")

    families = tuple(value.node for _, value in arrays)
    region = Region(evaluator.region)
    one = yield evaluator.inside(region, cell(cells(evaluator.builder, families, weights.shape, region)))
    yield verify(evaluator, families, weights.shape, cell, one)
    return KernelMixture(weights, families, cell, one)


def _labelled(evaluator: Any, kernel: Any, weights: Tensor, names: tuple[str, ...], values: Sequence[Any]) -> Any:
    """A family of strings: one component after another."""
    count = weights.node.shape[0]
    parts = []
    for index in range(count):
        given = {}
        for name, value in zip(names, values, strict=True):
            given[name] = Text(value.texts[index % len(value.texts)]) if isinstance(value, Texts) else value
        measure = require_measure((yield evaluator.apply(kernel, [], given)), "ksuperpose")
        parts.append(Weighted(Tensor(element(weights.node, index)), measure, False))
    return Superposition(tuple(parts))


OPERATIONS = (MeasureOperation("ksuperpose", _ksuperpose),)
