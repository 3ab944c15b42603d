"""A log density as a sum of terms, and the leaves that are to be integrated out of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flatppl.tensor.avals import Aval
from flatppl.tensor.intervals import REALS
from flatppl.tensor.program import Node, Region, ancestors
from flatppl.tensor.substitute import substitute
from flatppl.values.product_sets import Power, Product
from flatppl.values.sets import Set

__all__ = [
    "Latent",
    "Term",
    "Terms",
    "added",
    "base_of",
    "depends",
    "entries_of",
    "entry_sets",
    "random_leaf",
    "single",
]


@dataclass(frozen=True, slots=True)
class Term:
    """A summand of a log density.

    Attributes
    ----------
    exact : Node
        The numerically careful form.
    algebraic : Node
        The textbook form that closed forms recognise.
    probability : bool
        The log of a probability, which is never positive.
    law_of : Node or None
        The leaf whose own density the term is.
    ceiling : Node or None
        What the term cannot exceed, where its own form does not show that.
    """

    exact: Node
    algebraic: Node
    probability: bool = False
    law_of: Node | None = None
    ceiling: Node | None = None

    @property
    def nodes(self) -> tuple[Node, Node]:
        """Both forms."""
        return self.exact, self.algebraic


class Terms(tuple[Term, ...]):
    """A log density as a sum."""

    __slots__ = ()

    @property
    def nodes(self) -> list[Node]:
        """Both forms of every term."""
        return [node for term in self for node in term.nodes]

    def split(self, leaf: Node) -> tuple[Terms, Terms]:
        """(terms that depend on the leaf, the others)."""
        inside = [any(depends(node, leaf) for node in term.nodes) for term in self]
        return (
            Terms(term for term, flag in zip(self, inside, strict=True) if flag),
            Terms(term for term, flag in zip(self, inside, strict=True) if not flag),
        )

    def plus(self, *others: Term) -> Terms:
        """With more terms."""
        return Terms((*self, *others))

    def mapped(self, f: Callable[[Sequence[Node]], Sequence[Node]]) -> Terms:
        """Every term changed."""
        ceilings = [term.ceiling for term in self if term.ceiling is not None]
        new, bounds = iter(f(self.nodes)), iter(f(ceilings) if ceilings else ())
        return Terms(
            replace(term, exact=next(new), algebraic=next(new), ceiling=term.ceiling and next(bounds)) for term in self
        )

    def replaced(self, leaf: Node, node: Node) -> Terms:
        """With a leaf replaced."""
        return self.mapped(lambda nodes: substitute(leaf.builder, nodes, {leaf: node}))

    def total(self, builder: Any) -> Node:
        """The sum, in the careful form."""
        return added(builder, [term.exact for term in self])


def single(node: Node) -> Term:
    """A term whose forms are the same."""
    return Term(node, node)


@dataclass(frozen=True, slots=True)
class Latent:
    """A leaf to integrate out.

    Attributes
    ----------
    leaf : Node
        A real or integer scalar, or a vector whose entries are independent given the rest.
    support : Set or None
    atom : Node or None
        The value of a point mass.
    name : str
        For messages.
    components : tuple of (Latent, Terms)
        Parts of a mixture, each with a leaf of its own, and their weighted priors, which are not among the terms.
    decay : Node or None
        A bound, as a function of the leaf, of the ratio of any two successive prior masses from the leaf on.
    """

    leaf: Node
    support: Set | None
    atom: Node | None
    name: str
    components: tuple[tuple[Latent, Terms], ...] = ()
    decay: Node | None = None

    def mentions(self) -> list[Node]:
        """What the latent's own integral depends on, apart from the terms."""
        support = base_of(self.support)
        nodes = [getattr(support, "lo", None), getattr(support, "hi", None), self.atom, self.decay]
        for latent, terms in self.components:
            nodes += [*latent.mentions(), *terms.nodes]
        return [node for node in nodes if isinstance(node, Node)]


def base_of(support: Set | None) -> Set | None:
    """The set of the entries of an array."""
    while isinstance(support, Power):
        support = support.base
    return support


def entry_sets(support: Set | None, size: int) -> list[Set | None]:
    """The set of each entry of an array of some size."""
    if isinstance(support, Product):
        counts = [math.prod(part.shape) if isinstance(part, Power) else 1 for part in support.parts]
        return [base_of(part) for part, count in zip(support.parts, counts, strict=True) for _ in range(count)]
    return [base_of(support)] * size


def entries_of(leaf: Node) -> list[Node]:
    """Leaves that stand for the entries of a vector leaf."""
    supports = entry_sets(leaf.params["support"], leaf.aval.size)
    draw, cell = leaf.params["draw"], Aval(leaf.kind)
    return [random_leaf(leaf.builder, cell, leaf.region, support, draw) for support in supports]


def random_leaf(builder: Any, aval: Aval, region: Region, support: Set | None, draw: Any = None) -> Node:
    """A fresh leaf that ranges over a support (over the reals if none is known)."""
    interval = support.interval if support is not None else REALS
    return builder.random(aval, region, draw=draw, support=support, interval=interval, proved=interval)


def added(builder: Any, terms: Sequence[Node]) -> Node:
    """Sum of scalar nodes."""
    total: Any = builder.constant(0.0) if not terms else terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def depends(node: Node, leaf: Node) -> bool:
    """Whether a program reads a leaf."""
    return any(x is leaf for x in ancestors([node]))
