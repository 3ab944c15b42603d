"""Match a value with a point: which draws are observed, where, and through which functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.marginal.terms import base_of, entries_of
from flatppl.measures.draws import random_leaves
from flatppl.measures.solve import is_counted, solve
from flatppl.tensor.intervals import REALS
from flatppl.tensor.ops import all_, concat, convert, equal, reshape, select, stack, take
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.substitute import substitute
from flatppl.values.forms import Tensor, describe
from flatppl.values.sets import IntegerSet, RealSet

__all__ = ["Observation", "observe"]

_STRUCTURAL = frozenset(("reshape", "slice", "transpose", "reverse", "take"))


@dataclass(slots=True)
class Observation:
    """What a point says about the draws of a value.

    Attributes
    ----------
    points : dict
        Observed leaf, or entry of one, to its value (which may mention other leaves).
    entries : dict
        Vector leaf of which only some entries are observed to leaves of its entries.
    terms : list of Node
        Log volumes and image gates.
    owns : callable
        Whether a random leaf is one of the law's own; others are parameters.
    """

    owns: Callable[[Node], bool]
    points: dict[Node, Node] = field(default_factory=dict)
    entries: dict[Node, list[Node]] = field(default_factory=dict)
    terms: list[Node] = field(default_factory=list)

    def seen(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes as functions of what is not observed: observed leaves at their points, moved into their supports."""
        mapping = {leaf: _sanitized(leaf, point) for leaf, point in self.points.items()}
        values = {
            leaf: [mapping.get(entry, entry) for entry in entries]
            for leaf, entries in self.entries.items()
            if leaf not in mapping
        }
        for leaf, entries in values.items():
            mapping[leaf] = reshape(stack(*entries), leaf.shape)
        for part, (leaf, indices) in _parts(nodes, values).items():
            chosen = [values[leaf][index] for index in indices.ravel()]
            mapping[part] = reshape(chosen[0] if len(chosen) == 1 else stack(*chosen), part.shape)
        return substitute(nodes[0].builder, nodes, mapping) if nodes else []

    def require(self, flags: Node) -> None:
        """The point is possible only where all the flags hold."""
        self.terms.append(select(all_(flags), 0.0, -math.inf))

    def learn(self, leaf: Node, point: Node, log_volume: Any) -> None:
        """One more observed leaf; points and terms so far that mention it see its value."""
        builder = leaf.builder
        value = {leaf: _sanitized(leaf, point)}
        for known, old in self.points.items():
            self.points[known] = substitute(builder, [old], value)[0]
        self.terms = substitute(builder, self.terms, value)
        self.points[leaf] = point
        self.terms.append(builder.convert(builder.lift(-log_volume), "real"))


def observe(value: Any, x: Any, owns: Callable[[Node], bool]) -> Observation:
    """Solve ``value = x`` for the draws that the law owns; refuses singular laws and functions without a known inverse."""
    pieces: dict[Node, list[tuple[np.ndarray[Any, Any], Node]]] = {}
    functions: list[tuple[Node, Node]] = []
    for node, point in _pairs(value, x):
        _sort(node, point, pieces, functions, owns)
    observation = Observation(owns)
    for leaf, parts in pieces.items():
        _assemble(leaf, parts, observation)
    for leaf in _used_in_part(functions, observation):
        _take_apart(leaf, observation)
    solve(functions, observation)
    for leaf, entries in observation.entries.items():
        if all(entry in observation.points for entry in entries):
            observation.points[leaf] = reshape(stack(*(observation.points[entry] for entry in entries)), leaf.shape)
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
    values: Node = parts[0][1] if len(parts) == 1 else concat([point for _, point in parts])
    unique, first, place = np.unique(indices, return_index=True, return_inverse=True)
    if len(unique) != len(indices):
        if not is_counted(leaf):
            refuse("density", "one draw stands in two places of the value: the law is singular and has no density")
        observation.require(equal(values, take(values, first[place])))
        indices, values = unique, take(values, first)
    if len(indices) < leaf.aval.size:
        entries = _take_apart(leaf, observation)
        observation.points.update((entries[index], take(values, place)) for place, index in enumerate(indices))
        return
    order = np.argsort(indices)
    if not (order == np.arange(len(order))).all():
        values = take(values, order)
    observation.points[leaf] = reshape(values, leaf.shape)


def _take_apart(leaf: Node, observation: Observation) -> list[Node]:
    """Leaves for the entries of a vector leaf."""
    entries = entries_of(leaf)
    observation.entries[leaf] = entries
    return entries


def _parts(roots: Sequence[Node], leaves: Collection[Node]) -> dict[Node, tuple[Node, np.ndarray[Any, Any]]]:
    """The nodes of programs that are some entries, not all, of one of the leaves, and which."""
    found = {}
    for node in ancestors(roots) if leaves else ():
        part = _entries(node) if node.primitive.name in _STRUCTURAL else None
        if part is not None and part[1].size < part[0].aval.size and part[0] in leaves:
            found[node] = part
    return found


def _used_in_part(functions: list[tuple[Node, Node]], observation: Observation) -> list[Node]:
    """Leaves of which a computed field takes some entries, and nothing is known as a whole."""
    roots = [node for node, _ in functions]
    known = {*observation.points, *observation.entries}
    leaves = {leaf for leaf in random_leaves(roots) if observation.owns(leaf) and leaf not in known}
    return list(dict.fromkeys(leaf for leaf, _ in _parts(roots, leaves).values()))


def _sanitized(leaf: Node, point: Node) -> Node:
    """The point as other draws see it: moved inside the draw's support where it lies outside.

    The draw's own density is -inf there; the others stay finite and their parameters in their sets.
    """
    support = base_of(leaf.params["support"])
    same = convert(point, leaf.kind)
    if not isinstance(support, (RealSet, IntegerSet)) or support.interval == REALS:
        return same
    witness = convert(support.witness(leaf.builder), leaf.kind)
    return select(support.contains(point), same, witness)
