"""Draws that a density program still depends on: their priors, their leaves, and mixtures among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flatppl.errors import Refusal
from flatppl.marginal.terms import Latent, Term, Terms, random_leaf, single
from flatppl.measures.base import COUNTING, NORMALIZED
from flatppl.measures.draws import leaf_supports, random_leaves
from flatppl.tensor.ops import reshape, stack
from flatppl.tensor.program import Node, ancestors
from flatppl.values.forms import Tensor, named, unflatten
from flatppl.values.product_sets import Power, Product, RecordProduct
from flatppl.values.sets import IntegerSet, RealSet, Set

__all__ = ["Evidence", "latents_of", "moved_set", "static_set", "term_of"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about a law's draws.

    Attributes
    ----------
    points : mapping
        Observed leaf, or entry of one, to its value.
    entries : mapping
        Vector leaf to leaves of its entries, for vectors that are observed in part.
    partial : tuple of Draw
        Draws that are observed in part.
    hidden : callable
        Whether a leaf is to be integrated out.
    seen : callable
        Puts the values of observed leaves in their place in some nodes.
    """

    points: Mapping[Node, Node]
    entries: Mapping[Node, Sequence[Node]]
    partial: tuple[Any, ...]
    hidden: Callable[[Node], bool]
    seen: Callable[[Sequence[Node]], Sequence[Node]]

    def value(self, node: Node) -> Node:
        """A leaf of a draw, its observed entries at their points."""
        if node in self.entries:
            return reshape(stack(*(self.points.get(entry, entry) for entry in self.entries[node])), node.shape)
        return self.points.get(node, node)

    def unknown(self, node: Node) -> list[Node]:
        """The leaves behind a leaf of a draw that are not observed."""
        return [leaf for leaf in self.entries.get(node, (node,)) if leaf not in self.points]


def latents_of(evaluator: Any, terms: Terms, evidence: Evidence) -> Any:
    """Task: the terms with the densities of all other draws that they involve, and what is to be integrated out.

    Draws are visited latest first: whatever mentions a draw was made after it.
    """
    latents: list[Latent] = []
    done: set[Any] = set()
    waiting = set(evidence.partial) | _hidden_draws(terms.nodes, evidence)
    while waiting:
        draw = max(waiting, key=lambda draw: draw.nodes[-1].number)
        waiting.discard(draw)
        done.add(draw)
        if draw in evidence.partial:
            prior, found = yield _rest(
                evaluator, draw, evidence, [*(term.exact for term in terms), *_mentions(latents)]
            )
        else:
            prior, found = yield _whole(evaluator, draw, evidence)
        terms = terms.plus(*prior)
        latents += found
        waiting |= _hidden_draws([*prior.nodes, *_mentions(found)], evidence) - done
    return terms, latents


def _mentions(latents: list[Latent]) -> list[Node]:
    return [node for latent in latents for node in latent.mentions()]


def _hidden_draws(nodes: list[Node], evidence: Evidence) -> set[Any]:
    leaves = random_leaves(nodes)
    return {leaf.params["draw"] for leaf in leaves if leaf.params["draw"] is not None and evidence.hidden(leaf)}


def _whole(evaluator: Any, draw: Any, evidence: Evidence) -> Any:
    """Task: (prior, latents) of a draw of which nothing is observed."""
    measure, name = draw.measure, f"draw from {draw.measure.describe()}"
    parts = (yield measure.components(evaluator)) if len(draw.nodes) == 1 and not draw.nodes[0].shape else ()
    if len(parts) > 1:
        components = []
        for log_weight, part in parts:
            components.append((yield _component(evaluator, draw, log_weight, part, evidence)))
        return Terms(), [Latent(draw.nodes[0], None, None, name, tuple(components))]
    if measure.atom is not None:
        return Terms(), [Latent(draw.nodes[0], None, evidence.seen([measure.atom])[0], name)]
    prior = yield _density(evaluator, measure, draw.value, evidence)
    supports = [moved_set(node.params["support"], evidence.seen) for node in draw.nodes]
    if len(draw.nodes) == 1:
        prior = Terms(replace(term, law_of=draw.nodes[0]) for term in prior)
        decay = yield _decay(evaluator, measure, draw.nodes[0], evidence)
        return prior, [Latent(draw.nodes[0], supports[0], None, name, decay=decay)]
    return prior, [Latent(*pair, None, name) for pair in zip(draw.nodes, supports, strict=True)]


def _rest(evaluator: Any, draw: Any, evidence: Evidence, mentioning: list[Node]) -> Any:
    """Task: (density, latents) of a draw that is observed in part; what nothing mentions is left out if it can be."""
    mentioned = set(ancestors(mentioning))
    unknown = [[leaf for leaf in evidence.unknown(node) if leaf in mentioned] for node in draw.nodes]
    try:
        measure, point = yield _reduced(evaluator, draw, evidence, mentioned)
    except Refusal:
        if draw.measure.mass_class != NORMALIZED:
            raise
        measure, point = draw.measure, unflatten(draw.form, map(evidence.value, draw.nodes))
        unknown = [evidence.unknown(node) for node in draw.nodes]
    prior = yield _density(evaluator, measure, point, evidence)
    latents = []
    for leaves in unknown:
        name = f"part of a draw from {draw.measure.describe()}"
        latents += [Latent(leaf, moved_set(leaf.params["support"], evidence.seen), None, name) for leaf in leaves]
    return prior, latents


def _reduced(evaluator: Any, draw: Any, evidence: Evidence, mentioned: set[Node]) -> Any:
    """Task: the law of the entries or fields of a draw that are observed or mentioned, and their point."""
    if len(draw.nodes) == 1 and draw.nodes[0] in evidence.entries:
        entries = evidence.entries[draw.nodes[0]]
        kept = [i for i, entry in enumerate(entries) if entry in evidence.points or entry in mentioned]
        measure = yield draw.measure.entries(evaluator, kept)
        return measure, Tensor(stack(*(evidence.points.get(entries[i], entries[i]) for i in kept)), (1,))
    names = [name for name, _ in named(draw.form)]
    if len(names) != len(draw.nodes):
        raise Refusal("density", "only a part of a structured draw is observed; give all its components")
    pairs = list(zip(names, draw.nodes, strict=True))
    wanted = [(name, node) for name, node in pairs if _involved(node, evidence, mentioned)]
    measure = yield draw.measure.fields(evaluator, [name for name, _ in wanted])
    return measure, unflatten(measure.form(), iter([evidence.value(node) for _, node in wanted]))


def _involved(node: Node, evidence: Evidence, mentioned: set[Node]) -> bool:
    return any(leaf in evidence.points or leaf in mentioned for leaf in evidence.entries.get(node, (node,)))


def term_of(evaluator: Any, measure: Any, point: Any) -> Any:
    """Task: the log density of a measure as a term."""
    exact = yield evaluator.density(measure, point)
    textbook = yield evaluator.textbook_density(measure, point)
    return Term(exact, textbook, probability=measure.reference == COUNTING and measure.mass_class == NORMALIZED)


def _density(evaluator: Any, measure: Any, point: Any, evidence: Evidence) -> Any:
    """Task: the log density of a measure as terms."""
    return Terms(((yield term_of(evaluator, measure, point)),)).mapped(evidence.seen)


def _component(evaluator: Any, draw: Any, log_weight: Node, measure: Any, evidence: Evidence) -> Any:
    """Task: a latent of its own for one part of a mixture, and its weighted prior."""
    (support,) = leaf_supports(draw.form, moved_set(measure.support(), evidence.seen))
    leaf = random_leaf(evaluator.builder, draw.nodes[0].aval, draw.nodes[0].region, support)
    terms, atom = Terms(), None
    if measure.atom is None:
        terms = yield _density(evaluator, measure, unflatten(draw.form, iter([leaf])), evidence)
        terms = Terms(replace(term, law_of=leaf) for term in terms)
    else:
        atom = evidence.seen([measure.atom])[0]
    weighted = terms.plus(single(evidence.seen([log_weight])[0]))
    decay = yield _decay(evaluator, measure, leaf, evidence)
    return Latent(leaf, support, atom, f"draw from {measure.describe()}", decay=decay), weighted


def _decay(evaluator: Any, measure: Any, leaf: Node, evidence: Evidence) -> Any:
    bound = yield measure.decay(evaluator, leaf)
    return None if bound is None else evidence.seen([bound])[0]


def moved_set(support: Set | None, seen: Callable[[Sequence[Node]], Sequence[Node]]) -> Set | None:
    """A support whose ends are seen through a substitution."""
    if isinstance(support, Power):
        inner = moved_set(support.base, seen)
        assert inner is not None
        return Power(inner, support.shape)
    if isinstance(support, Product):
        return Product(tuple(moved_set(part, seen) for part in support.parts))  # type: ignore[misc]
    if isinstance(support, RecordProduct):
        return RecordProduct(tuple((name, moved_set(part, seen)) for name, part in support.items))  # type: ignore[misc]
    if isinstance(support, (RealSet, IntegerSet)):
        lo, hi = (seen([end])[0] if isinstance(end, Node) else end for end in (support.lo, support.hi))
        return replace(support, lo=lo, hi=hi)
    return support


def static_set(support: Set | None) -> Set | None:
    """The least set with fixed ends that holds a support, if one is known."""
    if isinstance(support, (RealSet, IntegerSet)):
        reach = support.interval
        return replace(support, lo=reach.lo, hi=reach.hi)
    if isinstance(support, Power):
        base = static_set(support.base)
        return None if base is None else Power(base, support.shape)
    if isinstance(support, Product):
        parts = [static_set(part) for part in support.parts]
        return None if None in parts else Product(tuple(parts))  # type: ignore[arg-type]
    if isinstance(support, RecordProduct):
        items = tuple((name, static_set(part)) for name, part in support.items)
        return None if any(part is None for _, part in items) else RecordProduct(items)  # type: ignore[arg-type]
    return None
