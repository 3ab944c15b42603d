"""Match a value with a point: which draws are observed, where, and through which functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.intervals import REALS
from flatppl.tensor.invert import invert
from flatppl.tensor.ops import all_, concat, convert, equal, reshape, round_, select, take
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.substitute import substitute
from flatppl.values.forms import Tensor, describe
from flatppl.values.product_sets import Power
from flatppl.values.sets import IntegerSet, RealSet, is_nan

__all__ = ["Observation", "observe", "random_leaves"]

_STRUCTURAL = frozenset(("reshape", "slice", "transpose", "reverse", "take"))


@dataclass(slots=True)
class Observation:
    """What a point says about the draws of a value.

    Attributes
    ----------
    points : dict
        Observed leaf to its value (which may mention other leaves).
    partial : dict
        Vector leaf of which only some entries are observed: (flat indices, values).
    terms : list of Node
        Log volumes and image gates.
    owns : callable
        Whether a random leaf is one of the law's own; others are parameters.
    """

    owns: Callable[[Node], bool]

    points: dict[Node, Node] = field(default_factory=dict)
    partial: dict[Node, tuple[np.ndarray[Any, Any], Node]] = field(default_factory=dict)
    terms: list[Node] = field(default_factory=list)


def random_leaves(nodes: list[Node]) -> list[Node]:
    """Random leaves that the nodes depend on directly."""
    return [node for node in ancestors(nodes) if node.primitive.name == "random"]


def observe(value: Any, x: Any, owns: Callable[[Node], bool]) -> Observation:
    """Solve ``value = x`` for the draws that the law owns; refuses singular laws and functions without a known inverse."""
    pieces: dict[Node, list[tuple[np.ndarray[Any, Any], Node]]] = {}
    functions: list[tuple[Node, Node]] = []
    for node, point in _pairs(value, x):
        _sort(node, point, pieces, functions, owns)
    observation = Observation(owns)
    for leaf, parts in pieces.items():
        _assemble(leaf, parts, observation)
    _solve(functions, observation)
    return observation


def _pairs(value: Any, x: Any) -> list[tuple[Node, Node]]:
    pairs, waiting = [], [(value, x)]
    while waiting:
        mine, point = waiting.pop()
        if hasattr(mine, "items") and hasattr(point, "items"):
            theirs = dict(point.items)
            waiting.extend((part, theirs[name]) for name, part in reversed(mine.items))
        elif isinstance(mine, Tensor) and isinstance(point, Tensor):
            pairs.append((mine.node, point.node))
        else:
            refuse("density", f"the law of a {describe(mine)} has no density: it is not random")
    return pairs


def _sort(
    node: Node,
    point: Node,
    pieces: dict[Node, Any],
    functions: list[tuple[Node, Node]],
    owns: Callable[[Node], bool],
) -> None:
    """Entries of own leaves go to ``pieces``, everything else to ``functions``."""
    waiting = [(node, point)]
    while waiting:
        node, point = waiting.pop()
        part = _entries(node)
        if part is not None and owns(part[0]):
            leaf, indices = part
            pieces.setdefault(leaf, []).append((indices.ravel(), reshape(point, (indices.size,))))
        elif node.primitive.name == "stack":
            for index, operand in reversed(list(enumerate(node.operands))):
                waiting.append((operand, take(point, np.asarray(index))))
        elif node.primitive.name == "concat" and node.params["axis"] == 0:
            waiting.extend(reversed(_cut(node, point)))
        elif node.primitive.name == "convert" and node.operands[0].primitive.name == "random":
            waiting.append((node.operands[0], point))
        else:
            functions.append((node, point))


def _cut(node: Node, point: Node) -> list[tuple[Node, Node]]:
    cuts, start = [], 0
    for operand in node.operands:
        size = operand.shape[0]
        cuts.append((operand, take(point, np.arange(start, start + size))))
        start += size
    return cuts


def _entries(node: Node) -> tuple[Node, np.ndarray[Any, Any]] | None:
    """(leaf, flat indices of its entries) of a node that only moves entries of one leaf."""
    chain = []
    while node.primitive.name != "random":
        fixed = all(operand.constant is not None for operand in node.operands[1:])
        if node.primitive.name not in _STRUCTURAL or not fixed:
            return None
        chain.append(node)
        node = node.operands[0]
    indices = np.arange(node.aval.size).reshape(node.shape)
    for step in reversed(chain):
        rest = [operand.constant for operand in step.operands[1:]]
        indices = np.asarray(step.primitive.evaluate(indices, *rest, **step.params))
    return node, indices


def _assemble(leaf: Node, parts: list[tuple[np.ndarray[Any, Any], Node]], observation: Observation) -> None:
    indices = np.concatenate([part for part, _ in parts])
    if len(np.unique(indices)) != len(indices):
        refuse("density", "one draw stands in two places of the value: the law is singular and has no density")
    values = parts[0][1] if len(parts) == 1 else concat([point for _, point in parts])
    if len(indices) < leaf.aval.size:
        observation.partial[leaf] = (indices, values)
        return
    order = np.argsort(indices)
    if not (order == np.arange(len(order))).all():
        values = take(values, order)
    observation.points[leaf] = reshape(values, leaf.shape)


def _solve(functions: list[tuple[Node, Node]], observation: Observation) -> None:
    """Assign each computed field to a draw that it determines, given the fields before."""
    waiting = list(functions)
    while waiting:
        node, point = min(waiting, key=lambda pair: len(_unknown(pair[0], observation)))
        waiting.remove((node, point))
        unknown = _unknown(node, observation)
        if not unknown:
            _determined(node)
        _assign(node, point, _best(node, unknown), observation)


def _unknown(node: Node, observation: Observation) -> list[Node]:
    known = (*observation.points, *observation.partial)
    return [leaf for leaf in random_leaves([node]) if observation.owns(leaf) and leaf not in known]


def _determined(node: Node) -> None:
    if not random_leaves([node]):
        refuse("density", "a part of the value is not random: its law has no density")
    refuse("density", "a part of the value is determined by the others: the law is singular and has no density")


def _best(node: Node, unknown: list[Node]) -> Node:
    """The draw to solve for: one of the value's shape, real before integer."""
    fitting = [leaf for leaf in unknown if leaf.shape == node.shape]
    if not fitting:
        refuse("density", "a part of the value mixes draws in a way that has no density rule")
    return max(fitting, key=lambda leaf: (leaf.kind == "real", leaf.number))


def _assign(node: Node, point: Node, leaf: Node, observation: Observation) -> None:
    if leaf.kind != "real":
        return _assign_discrete(node, point, leaf, observation)
    y = convert(point, "real")
    probe = invert(node, leaf, y)
    if probe.image != REALS:
        gate, y = _gated(node, leaf, y, probe.image)
        observation.terms.append(gate)
        probe = invert(node, leaf, y)
    observation.points[leaf] = _resolved(probe.x, observation)
    observation.terms.append(_resolved(-probe.log_volume, observation))
    return None


def _resolved(node: Node, observation: Observation) -> Node:
    """With the leaves that are known already replaced by their values."""
    return substitute(node.builder, [node], observation.points)[0]


def _gated(node: Node, leaf: Node, y: Node, image: Any) -> tuple[Node, Node]:
    """-inf outside the image, and the point moved to an interior image point there."""
    inside = RealSet(image.lo, image.hi, image.lo_open, image.hi_open).contains(y)
    support = leaf.params["support"]
    while isinstance(support, Power):
        support = support.base
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
    y = convert(point, "real")
    k = round_(invert(bare, real, y).x)
    support = leaf.params["support"]
    inside = support.contains(k) if isinstance(support, IntegerSet) else equal(k, k)
    safe = select(inside, k, convert(support.witness(builder), "real")) if isinstance(support, IntegerSet) else k
    (back,) = substitute(builder, [node], {leaf: convert(safe, leaf.kind)})
    hit = inside & equal(convert(back, "real"), y)
    observation.points[leaf] = _resolved(convert(safe, leaf.kind), observation)
    observation.terms.append(_resolved(select(hit, 0.0, -math.inf), observation))


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
