"""Solve computed fields for draws: change of variables, one field after another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from flatppl.errors import Refusal, refuse
from flatppl.marginal.expansion import LOG, expand
from flatppl.marginal.terms import base_of, entry_sets
from flatppl.measures.base import COUNTING
from flatppl.measures.constructor import DistributionMeasure
from flatppl.measures.draws import random_leaves
from flatppl.tensor.avals import Aval
from flatppl.tensor.invert import Edge, Inverse, invert
from flatppl.tensor.ops import abs_, any_, broadcast, convert, equal, log, maximum, minimum, round_, select
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.ranges import range_of
from flatppl.tensor.substitute import substitute
from flatppl.values.sets import IntegerSet, RealSet

if TYPE_CHECKING:
    from flatppl.measures.observe import Observation

__all__ = ["is_counted", "preimage", "solve"]

#: Numbers this close count as equal: an atom and what a function and its inverse give back, an exponent and another.
ROUNDING = 1e-6


def solve(functions: Sequence[tuple[Node, Node]], observation: Observation) -> None:
    """Assign each computed field to a draw that it determines, given the fields before."""
    waiting = [(node, point, _only_counts(node, observation)) for node, point in functions]
    while waiting:
        nodes = observation.seen([node for node, _, _ in waiting])
        waiting = [(node, point, counts) for node, (_, point, counts) in zip(nodes, waiting, strict=True)]
        node, point, counts = field = min(waiting, key=lambda field: _difficulty(field[0], observation))
        waiting.remove(field)
        unknown = _unknown(node, observation)
        if counts and not unknown:
            observation.require(equal(convert(node, "real"), convert(point, "real")))
        else:
            _assign(node, point, _best(node, unknown), observation)


def _difficulty(node: Node, observation: Observation) -> tuple[bool, int]:
    """Fields of the fewest unknown draws first; counts made of reals last, since they determine no draw."""
    unknown = _unknown(node, observation)
    return node.kind != "real" and any(leaf.kind == "real" for leaf in unknown), len(unknown)


def _only_counts(node: Node, observation: Observation) -> bool:
    """Whether a random field has the counting measure as its reference, so that other fields may determine it."""
    draws = _unknown(node, observation)
    return bool(draws) and (node.kind != "real" or all(map(is_counted, draws)))


def is_counted(leaf: Node) -> bool:
    """Whether a draw has atoms only."""
    return leaf.kind != "real" or leaf.params["draw"].measure.reference == COUNTING


def _unknown(node: Node, observation: Observation) -> list[Node]:
    return [leaf for leaf in random_leaves([node]) if observation.owns(leaf)]


def _best(node: Node, unknown: list[Node]) -> Node:
    """The draw to solve for: one of the value's shape, real before integer."""
    if not unknown:
        refuse("density", "a part of the value is no draw, or determined by the others: the law has no density")
    fitting = [leaf for leaf in unknown if leaf.shape == node.shape]
    if not fitting:
        refuse("density", "a part of the value mixes draws in a way that has no density rule")
    return max(fitting, key=lambda leaf: (leaf.kind == "real", leaf.number))


def _assign(node: Node, point: Node, leaf: Node, observation: Observation) -> None:
    if leaf.kind != "real":
        return _assign_discrete(node, point, leaf, observation)
    if is_counted(leaf):
        refuse("density", "a function of a draw from a discrete law over the reals has no density rule; use pushfwd")
    if not all(isinstance(part, (RealSet, type(None))) for part in entry_sets(leaf.params["support"], leaf.aval.size)):
        refuse(
            "density",
            f"the entries of a draw from {leaf.params['draw'].measure.describe()} are not free real coordinates, so a "
            "function of it has no density rule",
        )
    y = convert(point, "real")
    try:
        step = invert(node, leaf, y, _start(leaf))
    except Refusal:
        affine = _affine(node, leaf, y)
        if affine is None:
            raise
        step = affine
    observation.terms.extend(_gate(outside, -math.inf) for outside in step.outside)
    observation.terms.extend(_gate(edge.at, _limit(edge, leaf)) for edge in step.edges)
    return observation.learn(leaf, step.x, step.log_volume)


def _start(leaf: Node) -> Node:
    """A point of the leaf's support."""
    support = base_of(leaf.params["support"])
    start = support.witness(leaf.builder) if isinstance(support, RealSet) else leaf.builder.constant(0.5)
    return broadcast(convert(start, "real"), leaf.shape) if leaf.shape else convert(start, "real")


def _gate(flag: Node, value: Any) -> Node:
    """A value where the flag holds for some entry, 0 elsewhere."""
    gate: Node = select(any_(flag), value, 0.0)
    return gate


def _limit(edge: Edge, leaf: Node) -> Any:
    """What the log density adds to its value near the end 0 of a power: its limit there, as far as that is infinite."""
    growth = (_growth(leaf) if edge.direct else 0.0) + 1.0 - edge.exponent
    return select(abs_(growth) < ROUNDING, 0.0, select(growth > 0.0, -math.inf, math.inf))


def _growth(leaf: Node) -> Any:
    """The power of x with which the density of a draw begins at 0, if its law is a distribution's."""
    measure = leaf.params["draw"].measure
    if leaf.shape or not isinstance(measure, DistributionMeasure):
        return 0.0
    density = measure.row.algebraic or measure.row.log_density
    log_density = leaf.builder.lift(density(leaf, *measure.parameters))
    expansion = expand(log_density, leaf, True, leaf.params["interval"].hi <= 1.0)
    return 0.0 if expansion is None else expansion.terms.get(LOG, 0.0)


def _affine(node: Node, leaf: Node, y: Node) -> Inverse | None:
    """The same for a function that is affine in the leaf with a constant slope, however it is spelt."""
    expansion = None if leaf.shape else expand(node, leaf, False, False)
    if expansion is None or not set(expansion.terms) <= {Fraction(0), Fraction(1)}:
        return None
    slope = leaf.builder.lift(expansion.terms.get(Fraction(1), 0.0))
    if slope.constant is None or not math.isfinite(1.0 / float(slope.constant or math.nan)):
        return None
    return Inverse((y - expansion.terms.get(Fraction(0), 0.0)) / slope, log(abs_(slope)))


def _assign_discrete(node: Node, point: Node, leaf: Node, observation: Observation) -> None:
    """The atom whose image is the point, if there is one; no volume."""
    builder = point.builder
    real = builder.variable(Aval("real", leaf.shape), interval=leaf.params["interval"])
    (smooth,) = substitute(builder, [node], {leaf: convert(real, leaf.kind)})
    bare = _without_conversions(smooth, real)
    _refuse_poles(bare, real)
    y = convert(point, "real")
    k = round_(invert(bare, real, y).x)
    support = base_of(leaf.params["support"])
    inside, witness = equal(k, k), builder.constant(0.0)
    if isinstance(support, IntegerSet):
        inside, witness = support.contains(k), support.witness(builder)
    safe = select(inside, k, convert(witness, "real"))
    (back,) = substitute(builder, [node], {leaf: convert(safe, leaf.kind)})
    observation.require(inside & equal(convert(back, "real"), y))
    observation.learn(leaf, convert(safe, leaf.kind), 0.0)


def _refuse_poles(root: Node, leaf: Node) -> None:
    """A function that is infinite at an end of the support, where there is an atom, has no value there."""
    interval = leaf.params["interval"]
    for end in (interval.lo, interval.hi):
        if math.isfinite(end):
            atom = convert(root.builder.constant(np.full(leaf.shape, end)), leaf.kind)
            (value,) = substitute(root.builder, [root], {leaf: atom})
            if value.constant is not None and not np.isfinite(value.constant).all():
                refuse("density", f"the function is not finite at the atom {end:g} of the discrete law")


def _without_conversions(root: Node, real: Node) -> Node:
    """The program as a function of reals: conversions of kinds dropped."""
    builder = root.builder
    new: dict[int, Node] = {}
    for node in ancestors([root], lambda node: node is real):
        operands = tuple(new[operand.number] for operand in node.operands)
        if node.primitive.name == "convert":
            new[node.number] = operands[0] if operands[0].kind == "real" else builder.convert(operands[0], "real")
        elif operands == node.operands:
            new[node.number] = node
        else:
            reals = [builder.convert(operand, "real") for operand in operands]
            new[node.number] = builder.build(node.primitive, tuple(reals), node.params)
    return new[root.number]


def preimage(node: Node, leaf: Node, region: RealSet, discrete: bool) -> tuple[RealSet, Node]:
    """Where an increasing or decreasing function of a scalar leaf lies in a region, and whether that is nowhere.

    For a discrete leaf the ends are moved to the atoms that they include.
    """
    builder = node.builder
    if discrete:
        _refuse_poles(node, leaf)
    image = range_of(node)
    lo, hi = (convert(builder.lift(end), "real") for end in (region.lo, region.hi))
    ends = [invert(node, leaf, maximum(minimum(end, image.hi), image.lo)).x for end in (lo, hi)]
    empty = (hi < image.lo) | (lo > image.hi)
    if discrete:
        first, last = (select(abs_(end - round_(end)) < ROUNDING * (1.0 + abs_(end)), round_(end), end) for end in ends)
        inward = select(last >= first, 0.5, -0.5)
        starts = convert(builder.lift(region.lo_open), "boolean") & equal(first, round_(first)) & (lo >= image.lo)
        stops = convert(builder.lift(region.hi_open), "boolean") & equal(last, round_(last)) & (hi <= image.hi)
        empty = empty | ((starts | stops) & equal(first, last))
        ends = [first + select(starts, inward, 0.0), last - select(stops, inward, 0.0)]
    return RealSet(minimum(*ends), maximum(*ends)), empty
