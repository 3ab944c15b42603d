"""Draws as arguments: a callable's laws take them for parameters, never for draws of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.marginal.latents import moved_set
from flatppl.measures.base import Likelihood, Measure, once
from flatppl.measures.draws import random_leaves, stand_ins
from flatppl.tensor.program import Node
from flatppl.tensor.substitute import substitute
from flatppl.values.callables import Closure, Native
from flatppl.values.forms import Form, Tuple, flatten, unflatten
from flatppl.values.sets import Set

__all__ = ["Given", "apply_to_draws"]


def apply_to_draws(evaluator: Any, values: Sequence[Any], apply: Callable[[Sequence[Any]], Any]) -> Any:
    """Task: ``apply(values)``; where that forms a law, the draws among the values stay out of it.

    ``lawof`` integrates all draws that its value depends on. For a callable's arguments that would be wrong: ``K(z)``
    is a kernel at the point z. So it is applied to stand-ins, which see the draws again in every result.
    """
    laws = evaluator.laws
    result = yield apply(values)
    leaves = random_leaves([node for value in values for node in _nodes(value)]) if evaluator.laws != laws else []
    if not leaves:
        return result
    held = stand_ins(evaluator, leaves)
    result = yield apply([_moved(value, held) for value in values])
    return _released(evaluator, result, {new: old for old, new in held.items()})


def _nodes(value: Any) -> list[Node]:
    try:
        return flatten(value)[1]
    except TypeError:
        return []


def _moved(value: Any, mapping: Mapping[Node, Node]) -> Any:
    nodes = _nodes(value)
    return unflatten(flatten(value)[0], iter(substitute(nodes[0].builder, nodes, mapping))) if nodes else value


def _released(evaluator: Any, result: Any, draws: Mapping[Node, Node]) -> Any:
    """A result in which the stand-ins are the draws again."""

    def released(part: Any) -> Any:
        return _released(evaluator, part, draws)

    def rule(*values: Any) -> Any:
        return released((yield evaluator.apply(result, [], dict(zip(result.inputs, values, strict=True)))))

    match result:
        case Measure():
            return Given(result, draws)
        case Likelihood(terms):
            return Likelihood(tuple((released(kernel), released(observed)) for kernel, observed in terms))
        case Tuple(items):
            return Tuple(tuple(map(released, items)))
        case Closure() | Native():
            return Native(result.describe(), result.inputs, rule, result.ordered)
    return _moved(result, draws)


@dataclass(frozen=True, eq=False)
class Given(Measure):
    """A measure that was made with stand-ins for draws.

    Attributes
    ----------
    base : Measure
    draws : mapping
        Stand-in to the leaf for which it stands.
    """

    base: Measure
    draws: Mapping[Node, Node]

    def _seen(self, nodes: Sequence[Node]) -> list[Node]:
        return substitute(nodes[0].builder, nodes, self.draws)

    def _one(self, node: Any) -> Any:
        return self._seen([node])[0] if isinstance(node, Node) else node

    @cached_property
    def mass_class(self) -> str:
        """That of the base."""
        return self.base.mass_class

    @cached_property
    def reference(self) -> Any:
        """That of the base."""
        return self.base.reference

    @cached_property
    def atom(self) -> Any:
        """That of the base."""
        return self._one(self.base.atom)

    @once
    def form(self) -> Form:
        return self.base.form()

    @once
    def support(self) -> Set | None:
        return moved_set(self.base.support(), self._seen)

    def describe(self) -> str:
        return self.base.describe()

    def log_density(self, evaluator: Any, x: Any) -> Any:
        return self._one((yield evaluator.density(self.base, x)))

    def log_mass(self, evaluator: Any) -> Any:
        return self._one((yield evaluator.log_mass(self.base)))

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        return self._one((yield evaluator.log_mass_within(self.base, region)))

    def sample(self, evaluator: Any, stream: Any) -> Any:
        return _moved((yield evaluator.sample(self.base, stream)), self.draws)

    def sample_within(self, evaluator: Any, stream: Any, region: Set) -> Any:
        return _moved((yield self.base.sample_within(evaluator, stream, region)), self.draws)

    def sample_given(self, evaluator: Any, stream: Any, given: Any) -> Any:
        return _moved((yield self.base.sample_given(evaluator, stream, given)), self.draws)

    def components(self, evaluator: Any) -> Any:
        parts = yield self.base.components(evaluator)
        return [(self._one(weight), Given(measure, self.draws)) for weight, measure in parts]

    def entries(self, evaluator: Any, indices: Any) -> Any:
        return Given((yield self.base.entries(evaluator, indices)), self.draws)

    def fields(self, evaluator: Any, names: list[str]) -> Any:
        return Given((yield self.base.fields(evaluator, names)), self.draws)
