"""Draws: what one realisation of a measure is, and the leaves of the tensor program that stand for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flatppl.errors import refuse
from flatppl.marginal.terms import random_leaf
from flatppl.measures.base import NORMALIZED, Measure
from flatppl.measures.fundamental import Dirac
from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Node, ancestors
from flatppl.values.forms import Form, Value, fill, flatten, leaves, named, unflatten
from flatppl.values.product_sets import Power, RecordProduct
from flatppl.values.sets import Set

__all__ = ["Draw", "draw_from", "leaf_of", "leaf_supports", "own_draws", "random_leaves", "stand_ins"]


class Draw:
    """One realisation of a measure: the identity that its leaves share."""

    __slots__ = ("form", "measure", "nodes")

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.form = measure.form()
        self.nodes: tuple[Node, ...] = ()

    @property
    def value(self) -> Any:
        """The value that the draw stands for."""
        return unflatten(self.form, iter(self.nodes))


def draw_from(evaluator: Any, measure: Measure, region: Any = None) -> Value:
    """A fresh draw of a normalized measure, as a value of its form; a Dirac measure at draws hands them on."""
    if measure.mass_class != NORMALIZED:
        refuse(
            "mass",
            f"only a probability measure can be drawn; the mass of this {measure.describe()} is "
            f"{measure.mass_class}; write normalize(...)",
        )
    if isinstance(measure, Dirac) and random_leaves(flatten(measure.value)[1]):
        return measure.value
    return leaf_of(evaluator, measure, region)


def leaf_of(evaluator: Any, measure: Measure, region: Any = None) -> Value:
    """A value that stands for a point of a measure of any mass."""
    draw = Draw(measure)
    supports = leaf_supports(draw.form, measure.support())
    where = region or evaluator.region
    evaluator.draws += 1

    def leaf(aval: Aval) -> Node:
        return random_leaf(evaluator.builder, aval, where, next(supports), draw)

    value = fill(draw.form, leaf)
    draw.nodes = tuple(flatten(value)[1])
    return value


def own_draws(*values: Any) -> frozenset[Draw]:
    """The draws whose values these are."""
    return frozenset(leaf.params["draw"] for value in values for leaf in flatten(value)[1])


def random_leaves(nodes: Sequence[Node]) -> list[Node]:
    """Random leaves that the nodes depend on directly."""
    return [node for node in ancestors(nodes) if node.primitive.name == "random"]


def leaf_supports(form: Form, support: Set | None) -> Iterator[Set | None]:
    """Supports of the tensors of a form, in order; None where nothing is known."""
    shape = support.shape if isinstance(support, Power) else None
    fields = support.base if isinstance(support, Power) else support
    if not named(form) or not isinstance(fields, RecordProduct):
        yield from (support for _ in leaves(form))
        return
    parts = dict(fields.items)
    for name, part in named(form):
        yield from leaf_supports(part, parts[name] if shape is None else Power(parts[name], shape))


def stand_ins(evaluator: Any, leaves: list[Node]) -> dict[Node, Node]:
    """Variables for the draws that a point mentions: a law never takes them for its own."""
    return {leaf: evaluator.builder.variable(leaf.aval, leaf.region, **leaf.params) for leaf in leaves}
