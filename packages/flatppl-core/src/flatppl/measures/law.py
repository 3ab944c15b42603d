"""Draws and laws: ``draw(m)``, ``lawof(x)``.

A draw is a leaf of the tensor program that carries its measure. The law of a value substitutes points for
leaves in the finished density program, so two uses of one draw are one leaf.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.measures.base import COUNTING, NORMALIZED, Measure, MeasureOperation, once, require_measure
from flatppl.measures.lift import lifted
from flatppl.tensor.avals import Aval
from flatppl.tensor.intervals import REALS
from flatppl.tensor.ops import convert, select
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.substitute import substitute
from flatppl.values.forms import Form, Tensor, Value, describe, fill, flatten, form_of, unflatten
from flatppl.values.sets import IntegerSet, Power, RealSet

__all__ = ["OPERATIONS", "Draw", "Law", "draw_from", "draws_of", "random_leaves"]


class Draw:
    """One realisation of a measure: the identity that its leaves share."""

    __slots__ = ("form", "measure", "nodes")

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.form = measure.form()
        self.nodes: tuple[Node, ...] = ()


def draw_from(evaluator: Any, measure: Measure, region: Any = None) -> Value:
    """A fresh draw of a normalized measure, as a value of its form."""
    if measure.mass_class != NORMALIZED:
        refuse(
            "mass",
            f"only a probability measure can be drawn; the mass of this {measure.describe()} is "
            f"{measure.mass_class}; write normalize(...)",
        )
    draw = Draw(measure)
    support = measure.support()
    interval = support.interval if support is not None else REALS
    where = region or evaluator.region
    evaluator.draws += 1

    def leaf(aval: Aval) -> Node:
        return evaluator.builder.random(aval, where, draw=draw, interval=interval, proved=interval)

    value = fill(draw.form, leaf)
    draw.nodes = tuple(flatten(value)[1])
    return value


def random_leaves(nodes: list[Node]) -> list[Node]:
    """Random leaves that the nodes depend on directly."""
    return [node for node in ancestors(nodes) if node.primitive.name == "random"]


def draws_of(evaluator: Any, measure: Measure) -> Any:
    """Task: all draws that a measure's law involves, absorbed ones included."""
    if isinstance(measure, Law):
        start = random_leaves(flatten(measure.value)[1])
    else:
        point = fill(measure.form(), evaluator.builder.variable)
        start = random_leaves([(yield evaluator.density(measure, point))])
    return (yield _closure(evaluator, start))


def _closure(evaluator: Any, start: list[Node]) -> Any:
    """Draws of the leaves, their ancestors included."""
    found: dict[Draw, None] = {}
    waiting = [leaf.params["draw"] for leaf in start]
    while waiting:
        draw = waiting.pop()
        if draw in found:
            continue
        found[draw] = None
        density = yield evaluator.density(draw.measure, unflatten(draw.form, iter(draw.nodes)))
        waiting.extend(leaf.params["draw"] for leaf in random_leaves([density]))
    return found


@dataclass(frozen=True, eq=False)
class Law(Measure):
    """The law of a value: draws that are part of the value are scored, all others integrated out."""

    value: Any

    @cached_property
    def reference(self) -> Any:  # type: ignore[override]
        """Of each leaf's measure."""
        kinds = {node.kind for node in flatten(self.value)[1]}
        return COUNTING if kinds <= {"integer", "boolean"} else "lebesgue" if kinds == {"real"} else "mixed"

    @once
    def form(self) -> Form:
        return form_of(self.value)

    def describe(self) -> str:
        return f"law of a {describe(self.value)}"

    def log_density(self, evaluator: Any, x: Any) -> Any:
        points = _match(self.value, x)
        draws = list(dict.fromkeys(leaf.params["draw"] for leaf in points))
        total: list[Node] = []
        for draw in draws:
            missing = [node for node in draw.nodes if node not in points]
            if missing:
                refuse("density", "only a part of a draw is observed; give all components of the draw")
            point = unflatten(draw.form, iter(points[node] for node in draw.nodes))
            total.append((yield evaluator.density(draw.measure, point)))
        return self._at(evaluator, total, points)

    def _at(self, evaluator: Any, densities: list[Node], points: dict[Node, Node]) -> Node:
        for leaf in random_leaves([*densities]):
            if leaf not in points:
                refuse(
                    "density",
                    "a latent draw would have to be integrated out: "
                    f"{leaf.params['draw'].measure.describe()}; add it to the record whose law is scored, or make it "
                    "an input with kernelof(..., name = name)",
                )
        mapping = {leaf: _sanitized(leaf, point) for leaf, point in points.items()}
        total: Any = densities[0] if densities else evaluator.builder.constant(0.0)
        for density in densities[1:]:
            total = total + density
        return substitute(evaluator.builder, [total], mapping)[0]


def _sanitized(leaf: Node, point: Node) -> Node:
    """The point as other draws see it: moved inside the draw's support where it lies outside.

    The draw's own density is -inf there; the others stay finite and their parameters in their sets.
    """
    support = leaf.params["draw"].measure.support()
    while isinstance(support, Power):
        support = support.base
    same = convert(point, leaf.kind)
    if not isinstance(support, (RealSet, IntegerSet)) or support.interval == REALS:
        return same
    witness = convert(support.witness(leaf.builder), leaf.kind)
    return select(support.contains(point), same, witness)


def _match(value: Any, x: Any) -> dict[Node, Node]:
    """Random leaves of a value and the tensors of the point that stand for them."""
    pairs: dict[Node, Node] = {}
    waiting = [(value, x)]
    while waiting:
        mine, point = waiting.pop()
        if hasattr(mine, "items") and hasattr(point, "items"):
            theirs = dict(point.items)
            waiting.extend((part, theirs[name]) for name, part in mine.items)
        elif isinstance(mine, Tensor) and isinstance(point, Tensor):
            _match_tensor(mine.node, point.node, pairs)
        else:
            refuse("density", f"the law of a {describe(mine)} has no density: it is not random")
    return pairs


def _match_tensor(node: Node, point: Node, pairs: dict[Node, Node]) -> None:
    if node.primitive.name == "random":
        if node in pairs:
            refuse("density", "one draw stands in two places of the value: the law is singular and has no density")
        pairs[node] = point
        return
    if node.primitive.name == "stack":
        for index, part in enumerate(node.operands):
            take = node.builder.apply("take", point, node.builder.constant(index), axis=0)
            _match_tensor(part, take, pairs)
        return
    if not random_leaves([node]):
        refuse("density", "a part of the value is not random: its law has no density")
    refuse("density", "a part of the value is computed from draws; densities of transformed draws are not implemented")


def _lawof(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 1:
        refuse("call", "lawof(x) takes one positional input")
    (target,) = args

    def build(value: Any) -> Any:
        if not isinstance(value, Measure):
            try:
                flatten(value)
            except TypeError:
                refuse("kind", f"lawof needs a value or a measure, got {describe(value)}")
            return Law(value)
        require_measure(value, "lawof")
        return _law_of_measure(evaluator, value)

    return lifted(evaluator, "lawof", target, build)


def _law_of_measure(evaluator: Any, measure: Measure) -> Any:
    if measure.mass_class != NORMALIZED:
        refuse("mass", f"lawof needs a probability measure; the mass is {measure.mass_class}; write normalize(...)")
    point = fill(measure.form(), evaluator.builder.variable)
    density = yield evaluator.density(measure, point)
    if not random_leaves([density]):
        return measure
    return Law((yield draw_from(evaluator, measure)))


OPERATIONS = (MeasureOperation("lawof", _lawof),)
