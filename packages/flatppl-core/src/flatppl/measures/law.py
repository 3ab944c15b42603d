"""Draws and laws: ``draw(m)``, ``lawof(x)``.

A draw is a leaf of the tensor program that carries its measure. The law of a value substitutes points for
leaves in the finished density program, so two uses of one draw are one leaf; draws that the value does not
show are integrated out of that program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.marginal.integrate import eliminate
from flatppl.marginal.latents import Evidence, latents_of, static_set, term_of
from flatppl.marginal.terms import Terms, base_of, single
from flatppl.measures.base import (
    COUNTING,
    LEBESGUE,
    NORMALIZED,
    Measure,
    MeasureOperation,
    joint_reference,
    once,
    require_measure,
)
from flatppl.measures.draws import Draw, draw_from, leaf_of, own_draws, random_leaves, stand_ins
from flatppl.measures.lift import lifted
from flatppl.measures.observe import observe
from flatppl.measures.solve import preimage
from flatppl.tensor.ops import convert, select
from flatppl.tensor.program import Node
from flatppl.tensor.ranges import proved_range
from flatppl.tensor.substitute import substitute
from flatppl.values.forms import (
    Form,
    Record,
    RecordForm,
    Tensor,
    TensorForm,
    describe,
    fill,
    flatten,
    form_of,
    leaves,
    unflatten,
)
from flatppl.values.product_sets import Power, RecordProduct
from flatppl.values.sets import IntegerSet, RealSet, Set

__all__ = ["OPERATIONS", "Law", "draws_of"]


def _joined(form: Form, parts: Iterator[Set | None]) -> Set | None:
    """The set of values of a form, from the sets of its tensors."""
    if not isinstance(form, RecordForm):
        found = [next(parts) for _ in leaves(form)]
        return found[0] if isinstance(form, TensorForm) else None
    fields = [(name, _joined(part, parts)) for name, part in form.items]
    known = tuple((name, part) for name, part in fields if part is not None)
    return RecordProduct(known) if len(known) == len(fields) else None


def draws_of(evaluator: Any, measure: Measure) -> Any:
    """Task: all draws that a measure involves, those that a law absorbs included."""
    found: dict[Draw, None] = {}
    waiting = [measure]
    while waiting:
        measure = waiting.pop()
        if isinstance(measure, Law):
            nodes = flatten(measure.value)[1]
        else:
            nodes = [(yield evaluator.density(measure, fill(measure.form(), evaluator.builder.variable)))]
        draws = [leaf.params["draw"] for leaf in random_leaves(nodes)]
        waiting.extend(draw.measure for draw in dict.fromkeys(draws) if draw not in found)
        found.update(dict.fromkeys(draws))
    return found


@dataclass(frozen=True, eq=False)
class Law(Measure):
    """The law of a value: draws that are part of the value are scored, all others integrated out.

    Attributes
    ----------
    value : Value
    source : Measure or None
        For the image of a measure: that measure, whose mass the image keeps.
    own : frozenset of Draw or None
        The draws that are scored or integrated out; other random leaves are parameters. None: all of them.
    """

    value: Any
    source: Measure | None = None
    own: frozenset[Draw] | None = None

    def owns(self, leaf: Node) -> bool:
        """Whether the law scores or integrates a random leaf."""
        return self.own is None or leaf.params["draw"] in self.own

    def own_leaves(self, nodes: list[Node]) -> list[Node]:
        """The random leaves among a program's that the law owns."""
        return [leaf for leaf in random_leaves(nodes) if self.owns(leaf)]

    @cached_property
    def mass_class(self) -> str:
        """One, unless it is the image of another measure: then that one's."""
        return NORMALIZED if self.source is None else self.source.mass_class

    @cached_property
    def reference(self) -> Any:
        """Of each tensor: counting if it depends on discrete draws only."""
        return self._reference(self.value)

    def _reference(self, value: Any) -> Any:
        if isinstance(value, Record):
            return joint_reference([self._reference(part) for _, part in value.items], list(value.fields))
        references = set()
        for leaf in self.own_leaves(flatten(value)[1]):
            whole = leaf.params["draw"].measure.reference
            by_kind = LEBESGUE if leaf.kind == "real" else COUNTING
            references.add(whole if isinstance(whole, str) else by_kind)
        if references and isinstance(value, Tensor) and value.kind != "real":
            return COUNTING
        scalar = isinstance(value, Tensor) and not value.levels
        if len(references) == 1:
            return references.pop()
        # A scalar is continuous as soon as one of its draws is; an array could mix both kinds of entries.
        return LEBESGUE if scalar else self

    @once
    def form(self) -> Form:
        return form_of(self.value)

    @once
    def support(self) -> Set | None:
        """A set outside of which the value cannot lie; for computed reals only if the draws have no atoms."""
        form, nodes = flatten(self.value)
        return _joined(form, iter([self._reach(node) for node in nodes]))

    def _reach(self, node: Node) -> Set | None:
        if node.primitive.name == "random" and self.owns(node):
            return static_set(node.params["support"])
        reach = proved_range(node)
        if node.kind == "integer" and not node.shape:
            return IntegerSet(reach.lo, reach.hi)
        measures = [leaf.params["draw"].measure for leaf in self.own_leaves([node])]
        spread = all(isinstance(base_of(measure.support()), RealSet) and measure.atom is None for measure in measures)
        if node.kind != "real" or not spread:
            return None
        entry = RealSet(reach.lo, reach.hi, reach.lo_open, reach.hi_open)
        return Power(entry, node.shape) if node.shape else entry

    def components(self, evaluator: Any) -> Any:
        """Of a function of one draw from a mixture: the laws of the function of a draw from each component."""
        form, nodes = flatten(self.value)
        draws = dict.fromkeys(leaf.params["draw"] for leaf in self.own_leaves(nodes))
        parts = (yield next(iter(draws)).measure.components(evaluator)) if len(draws) == 1 else ()
        if len(parts) < 2 or self.own_leaves([weight for weight, _ in parts]):
            return (yield super().components(evaluator))
        (draw,) = draws
        laws = []
        for weight, measure in parts:
            point = leaf_of(evaluator, measure)
            fresh = dict(zip(draw.nodes, flatten(point)[1], strict=True))
            value = unflatten(form, iter(substitute(evaluator.builder, nodes, fresh)))
            own = None if self.own is None else own_draws(point)
            laws.append((weight, Law(value, None if self.source is None else measure, own)))
        return laws

    def describe(self) -> str:
        return f"law of a {describe(self.value)}"

    def fields(self, evaluator: Any, names: list[str]) -> Any:
        if not isinstance(self.value, Record) or self.source is not None:
            return super().fields(evaluator, names)
        return Law(Record(tuple((name, part) for name, part in self.value.items if name in names)), own=self.own)

    def log_mass(self, evaluator: Any) -> Any:
        return evaluator.builder.constant(0.0) if self.source is None else evaluator.log_mass(self.source)

    def sample(self, evaluator: Any, stream: Any) -> Any:
        """Ancestral: every draw once."""
        samples = yield _sampled(evaluator, flatten(self.value)[1], self.owns, stream)
        return _realised(evaluator, self.value, samples, {})

    def sample_given(self, evaluator: Any, stream: Any, given: Record) -> Any:
        if not isinstance(self.value, Record):
            return super().sample_given(evaluator, stream, given)
        mapping: dict[Node, Node] = {}
        fields = self.value.fields
        for name, point in given.items:
            pairs = zip(flatten(fields[name])[1], flatten(point)[1], strict=True)
            mapping.update((node, convert(value, node.kind)) for node, value in pairs)
        behind = yield _sampled(evaluator, list(mapping), self.owns, stream)
        if any(node not in mapping for draw in behind for node in draw.nodes):
            refuse("mass", "the fixed fields depend on draws that are free: the conditional has no exact sampler")
        free = Record(tuple(item for item in self.value.items if item[0] not in given.fields))
        nodes = substitute(evaluator.builder, flatten(free)[1], mapping)
        samples = yield _sampled(evaluator, nodes, lambda leaf: self.owns(leaf) and leaf not in mapping, stream)
        return _realised(evaluator, free, samples, mapping)

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        """For an increasing or decreasing function of a scalar: the source's mass between the preimages."""
        found = self._preimage(region)
        if self.source is None or found is None:
            return (yield super().log_mass_within(evaluator, region))
        inside, empty = found
        mass = yield evaluator.log_mass_within(self.source, inside)
        return select(empty, -math.inf, mass)

    def sample_within(self, evaluator: Any, stream: Any, region: Set) -> Any:
        """For an increasing or decreasing function of a scalar: of the source's draw between the preimages."""
        found = self._preimage(region)
        if self.source is None or found is None:
            return super().sample_within(evaluator, stream, region)
        return self._image_of_part(evaluator, stream, found[0])

    def _image_of_part(self, evaluator: Any, stream: Any, inside: Set) -> Any:
        """Task: the value at the source's draw from a set."""
        form, nodes = flatten(self.value)
        (leaf,) = self.own_leaves(nodes)
        draw = yield self.source.sample_within(evaluator, stream, inside)  # type: ignore[union-attr]
        return unflatten(form, iter(substitute(evaluator.builder, nodes, {leaf: convert(draw.node, leaf.kind)})))

    def _preimage(self, region: Set) -> tuple[RealSet, Node] | None:
        """Where the source's scalar gives a scalar inside a region, and whether that is nowhere; None for other laws."""
        nodes = flatten(self.value)[1]
        leaves = self.own_leaves(nodes)
        single = len(nodes) == 1 and len(leaves) == 1 and not nodes[0].shape
        if isinstance(region, IntegerSet):
            region = RealSet(region.lo, region.hi)
        if self.source is None or not single or not isinstance(region, RealSet):
            return None
        return preimage(nodes[0], leaves[0], region, self.source.reference == COUNTING)

    def log_density(self, evaluator: Any, x: Any) -> Any:
        form, nodes = flatten(x)
        foreign = stand_ins(evaluator, self.own_leaves(nodes))
        x = unflatten(form, iter(substitute(evaluator.builder, nodes, foreign)))
        observation = observe(self.value, x, self.owns)
        draws = dict.fromkeys(leaf.params["draw"] for leaf in observation.points)
        evidence = Evidence(
            observation.points,
            observation.entries,
            tuple(draw for draw in draws if any(node not in observation.points for node in draw.nodes)),
            lambda leaf: self.owns(leaf) and leaf not in observation.points,
            observation.seen,
        )
        terms = yield self._terms(evaluator, evidence, [draw for draw in draws if draw not in evidence.partial])
        for gate in observation.terms:
            terms = terms.plus(single(gate))
        terms, latents = yield latents_of(evaluator, terms.mapped(observation.seen), evidence)
        total = eliminate(evaluator, terms, latents).total(evaluator.builder)
        return substitute(evaluator.builder, [total], {new: old for old, new in foreign.items()})[0]

    def _terms(self, evaluator: Any, evidence: Evidence, draws: list[Draw]) -> Any:
        """Task: the densities of the observed draws at their points."""
        terms = []
        for draw in draws:
            point = unflatten(draw.form, map(evidence.value, draw.nodes))
            terms.append((yield term_of(evaluator, draw.measure, point)))
        return Terms(terms)


def _sampled(evaluator: Any, nodes: list[Node], owns: Callable[[Node], bool], stream: Any) -> Any:
    """Task: a sample of each of the law's own draws that nodes depend on, as a program of the draws before it."""
    samples: dict[Draw, list[Node]] = {}
    waiting = nodes
    while waiting:
        draws = dict.fromkeys(leaf.params["draw"] for leaf in random_leaves(waiting) if owns(leaf))
        waiting = []
        for draw in draws:
            if draw not in samples:
                samples[draw] = flatten((yield evaluator.sample(draw.measure, stream)))[1]
                waiting.extend(samples[draw])
    return samples


def _realised(evaluator: Any, value: Any, samples: dict[Draw, list[Node]], mapping: dict[Node, Node]) -> Any:
    """A value with all draws at their samples; a draw depends only on draws that were made before it."""
    for draw in sorted(samples, key=lambda draw: draw.nodes[-1].number):
        fresh = substitute(evaluator.builder, samples[draw], mapping)
        mapping.update((old, convert(new, old.kind)) for old, new in zip(draw.nodes, fresh, strict=True))
    form, nodes = flatten(value)
    return unflatten(form, iter(substitute(evaluator.builder, nodes, mapping)))


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
            evaluator.laws += 1
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
    evaluator.laws += 1
    return Law(draw_from(evaluator, measure))


OPERATIONS = (MeasureOperation("lawof", _lawof),)
