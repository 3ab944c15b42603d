"""Integrate arrays of independent latents cell by cell, where every term is a sum over their cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

from flatppl.marginal.terms import Latent, Term, Terms, base_of, random_leaf
from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import sum_
from flatppl.tensor.program import Node, ancestors
from flatppl.values.product_sets import Power

__all__ = ["cellwise_integral"]

#: ``solve(evaluator, terms, latents)``: the terms with scalar latents integrated out, or None.
Solve = Callable[[Any, Terms, list[Latent]], Terms | None]


def cellwise_integral(evaluator: Any, terms: Terms, latents: Sequence[Latent], solve: Solve) -> Node | None:
    """Log of the integral over all cells: the sum of their log integrals, one program mapped. None if it is no such sum.

    Parameters
    ----------
    evaluator
    terms : Terms
        The terms that depend on the latents.
    latents : sequence of Latent
        Arrays of one shape.
    solve : callable
        Integrates the latents of one cell out.
    """
    shape = latents[0].leaf.shape
    arrays = [_summed(node, shape) for node in (*terms.nodes, *(x.decay for x in latents if x.decay is not None))]
    leaves = {latent.leaf for latent in latents}
    chain = _chain([array for array in arrays if array is not None], leaves, shape)
    if None in arrays or chain is None or not all(_is_product(latent) for latent in latents):
        return None
    mine = leaves.union(chain)
    others = dict.fromkeys(x for node in chain for x in node.operands if x not in mine and x.shape)
    solved = True

    def body(cells: list[Node]) -> Any:
        nonlocal solved
        yield None
        entries = {latent.leaf: _entry(latent, evaluator.region) for latent in latents}
        new: dict[Node, Node] = {**entries, **dict(zip(others, cells, strict=True))}
        for node in chain:
            operands = tuple(new.get(operand, operand) for operand in node.operands)
            new[node] = node.builder.build(node.primitive, operands, node.params)
        cell = iter([new[array] for array in arrays])  # type: ignore[index]
        inner = Terms(
            Term(next(cell), next(cell), term.probability, term.law_of and entries.get(term.law_of)) for term in terms
        )
        parts = []
        for latent in latents:
            decay = None if latent.decay is None else next(cell)
            parts.append(Latent(entries[latent.leaf], base_of(latent.support), None, latent.name, decay=decay))
        found = solve(evaluator, inner, parts)
        solved = found is not None
        return [evaluator.builder.constant(0.0) if found is None else found.total(evaluator.builder)]

    (values,) = evaluator.run(evaluator.map_cells(list(others), shape, body))
    return sum_(values) if solved else None


def _is_product(latent: Latent) -> bool:
    """Whether all cells have one support, and no mixture or point mass for a law."""
    whole = isinstance(latent.support, Power) and latent.support.shape == latent.leaf.shape
    return whole and latent.atom is None and not latent.components


def _summed(node: Node, shape: tuple[int, ...]) -> Node | None:
    """The array of some shape of which a node is the sum, or the node itself if it is such an array."""
    if node.primitive.name == "sum" and len(node.params["axes"]) == len(shape):
        node = node.operands[0]
    return node if node.shape == shape else None


def _chain(roots: Sequence[Node], leaves: Set[Node], shape: tuple[int, ...]) -> list[Node] | None:
    """The nodes that depend on the leaves, in order; None unless each computes its cells from the same cells."""
    mine = set(leaves)
    chain = []
    for node in ancestors(roots, lambda node: node in leaves):
        if node in leaves or not any(operand in mine for operand in node.operands):
            continue
        if not node.primitive.elementwise or node.shape != shape:
            return None
        mine.add(node)
        chain.append(node)
    return chain if all(root in mine for root in roots) else None


def _entry(latent: Latent, region: Any) -> Node:
    """A leaf for one cell."""
    return random_leaf(latent.leaf.builder, Aval(latent.leaf.kind), region, base_of(latent.support))
