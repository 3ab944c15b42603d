"""Solve computed fields for draws: change of variables, one field after another."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from flatppl.errors import Refusal, refuse
from flatppl.marginal.expansion import expand
from flatppl.marginal.terms import base_of, entry_sets
from flatppl.measures.base import COUNTING
from flatppl.measures.draws import random_leaves
from flatppl.tensor.intervals import REALS
from flatppl.tensor.invert import invert
from flatppl.tensor.ops import abs_, all_, convert, equal, log, maximum, minimum, round_, select
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.ranges import range_of
from flatppl.tensor.substitute import substitute
from flatppl.values.sets import IntegerSet, RealSet, is_nan

if TYPE_CHECKING:
    from flatppl.measures.observe import Observation

__all__ = ["preimage", "solve"]

#: Relative error with which a function and its inverse give an atom back.
ROUNDING = 1e-6


def solve(functions: Sequence[tuple[Node, Node]], observation: Observation) -> None:
    """Assign each computed field to a draw that it determines, given the fields before."""
    waiting = list(functions)
    while waiting:
        nodes = observation.seen([node for node, _ in waiting])
        waiting = [(node, point) for node, (_, point) in zip(nodes, waiting, strict=True)]
        node, point = min(waiting, key=lambda pair: len(_unknown(pair[0], observation)))
        waiting.remove((node, point))
        _assign(node, point, _best(node, _unknown(node, observation)), observation)


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
    if leaf.params["draw"].measure.reference == COUNTING:
        refuse("density", "a function of a draw from a discrete law over the reals has no density rule; use pushfwd")
    if not all(isinstance(part, (RealSet, type(None))) for part in entry_sets(leaf.params["support"], leaf.aval.size)):
        refuse(
            "density",
            f"the entries of a draw from {leaf.params['draw'].measure.describe()} are not free real coordinates, so a "
            "function of it has no density rule",
        )
    y = convert(point, "real")
    try:
        x, volume, gates = _inverse(node, leaf, y)
    except Refusal:
        affine = _affine(node, leaf, y)
        if affine is None:
            raise
        x, volume, gates = affine
    observation.terms.extend(gates)
    return observation.learn(leaf, x, volume)


def _inverse(node: Node, leaf: Node, y: Node) -> tuple[Node, Any, list[Node]]:
    """(preimage, log volume, image gates); a step with a runtime operand may leave the image, so each has its gate."""
    volume: Any = 0.0
    gates: list[Node] = []
    moving = _dependent(node, leaf)
    while node is not leaf:
        stop = _next_stop(node, leaf, moving)
        image = range_of(node)
        if image != REALS:
            gate, y = _gated(node, leaf, y, image)
            gates.append(gate)
        step = invert(node, stop, y)
        node, y, volume = stop, step.x, volume + step.log_volume
    return y, volume, gates


def _next_stop(node: Node, leaf: Node, moving: Container[Node]) -> Node:
    """The first node below a step that has an operand which is not constant, on the way to the leaf."""
    while node is not leaf:
        on_path = [operand for operand in node.operands if operand in moving]
        if len(on_path) != 1:
            return leaf
        fixed = all(operand.constant is not None for operand in node.operands if operand is not on_path[0])
        node = on_path[0]
        if not fixed:
            return node
    return leaf


def _dependent(root: Node, leaf: Node) -> set[Node]:
    """The nodes of a program that depend on a leaf."""
    found = {leaf}
    for node in ancestors([root], lambda node: node is leaf):
        if not found.isdisjoint(node.operands):
            found.add(node)
    return found


def _affine(node: Node, leaf: Node, y: Node) -> tuple[Node, Any, list[Node]] | None:
    """The same for a function that is affine in the leaf with a constant slope, however it is spelt."""
    expansion = None if leaf.shape else expand(node, leaf, False, False)
    if expansion is None or not set(expansion.terms) <= {Fraction(0), Fraction(1)}:
        return None
    slope = leaf.builder.lift(expansion.terms.get(Fraction(1), 0.0))
    if slope.constant is None or not math.isfinite(1.0 / float(slope.constant or math.nan)):
        return None
    return (y - expansion.terms.get(Fraction(0), 0.0)) / slope, log(abs_(slope)), []


def _gated(node: Node, leaf: Node, y: Node, image: Any) -> tuple[Node, Node]:
    """-inf outside the image, and the point moved to an interior image point there."""
    inside = RealSet(image.lo, image.hi, image.lo_open, image.hi_open).contains(y)
    support = base_of(leaf.params["support"])
    start = support.witness(y.builder) if isinstance(support, RealSet) else y.builder.constant(0.5)
    if leaf.shape:
        start = y.builder.apply("broadcast", start, shape=leaf.shape, dims=())
    witness = substitute(y.builder, [node], {leaf: start})[0]
    everywhere = all_(inside) if y.shape else inside
    return select(everywhere | _any_nan(y), 0.0, -math.inf), select(inside, y, witness)


def _any_nan(y: Node) -> Node:
    flag = is_nan(y)
    return y.builder.apply("any", flag, axes=tuple(range(len(y.shape)))) if y.shape else flag


def _assign_discrete(node: Node, point: Node, leaf: Node, observation: Observation) -> None:
    """The atom whose image is the point, if there is one; no volume."""
    if leaf.shape:
        refuse("density", "only scalar discrete draws have a density rule for functions of them")
    builder = point.builder
    real = builder.variable(type(leaf.aval)("real"), interval=leaf.params["interval"])
    (smooth,) = substitute(builder, [node], {leaf: convert(real, leaf.kind)})
    bare = _without_conversions(smooth, real)
    _refuse_poles(bare, real)
    y = convert(point, "real")
    k = round_(invert(bare, real, y).x)
    support = leaf.params["support"]
    inside = support.contains(k) if isinstance(support, IntegerSet) else equal(k, k)
    safe = select(inside, k, convert(support.witness(builder), "real")) if isinstance(support, IntegerSet) else k
    (back,) = substitute(builder, [node], {leaf: convert(safe, leaf.kind)})
    hit = inside & equal(convert(back, "real"), y)
    observation.terms.append(select(hit, 0.0, -math.inf))
    observation.learn(leaf, convert(safe, leaf.kind), 0.0)


def _refuse_poles(root: Node, real: Node) -> None:
    """A function that is infinite at an end of the support, where there is an atom, has no value there."""
    interval = real.params["interval"]
    for end in (interval.lo, interval.hi):
        if math.isfinite(end):
            (value,) = substitute(root.builder, [root], {real: root.builder.constant(end)})
            if value.constant is not None and not np.isfinite(value.constant):
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
    image = range_of(node)
    lo, hi = (convert(builder.lift(end), "real") for end in (region.lo, region.hi))
    ends = [invert(node, leaf, maximum(minimum(end, image.hi), image.lo)).x for end in (lo, hi)]
    empty = (hi < image.lo) | (lo > image.hi)
    if discrete:
        first, last = (select(abs_(end - round_(end)) < ROUNDING * (1.0 + abs_(end)), round_(end), end) for end in ends)
        open_atom = convert(builder.lift(region.hi_open), "boolean") & equal(last, round_(last)) & (hi <= image.hi)
        empty = empty | (open_atom & equal(first, last))
        ends = [first, last - select(open_atom, select(last >= first, 0.5, -0.5), 0.0)]
    return RealSet(minimum(*ends), maximum(*ends)), empty
