"""Draws that a density program still depends on: their priors, their leaves, and mixtures among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flatppl.marginal.integrate import Latent, Terms
from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import reshape, stack
from flatppl.tensor.program import Node, ancestors
from flatppl.values.product_sets import Power

__all__ = ["Latents", "latents_of"]

#: Vector latents up to this size are taken apart when no rule fits the whole.
SPLIT_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Latents:
    """What has to be integrated out.

    Attributes
    ----------
    leaves : list of Latent
    priors : list of (Node, Node)
        Log density of each latent draw at its own leaves, in the careful and in the textbook form.
    """

    leaves: list[Latent]
    priors: list[tuple[Node, Node]]

    def split(self, evaluator: Any, waiting: list[Latent], terms: Terms) -> tuple[Terms, list[Latent]] | None:
        """Replace a vector latent by scalars, one per entry; None if there is none to split."""
        for latent in waiting:
            leaf = latent.leaf
            if leaf.shape and leaf.aval.size <= SPLIT_LIMIT:
                scalars = [
                    evaluator.builder.random(Aval(leaf.kind), leaf.region, **leaf.params) for _ in range(leaf.aval.size)
                ]
                vector = reshape(stack(*scalars), leaf.shape)
                replaced = terms.replaced(leaf, vector)
                support = latent.support
                while isinstance(support, Power):
                    support = support.base
                parts = [Latent(scalar, support, None, latent.name) for scalar in scalars]
                return replaced, [other for other in waiting if other is not latent] + parts
        return None


def latents_of(evaluator: Any, leaves: list[Node], hidden: Callable[[Node], bool]) -> Any:
    """Task: the draws of the leaves and, transitively, the draws that their priors depend on."""
    found: dict[Any, Any] = {}
    priors: list[tuple[Node, Node]] = []
    waiting = [leaf.params["draw"] for leaf in leaves if hidden(leaf)]
    while waiting:
        draw = waiting.pop()
        if draw in found:
            continue
        parts = (yield draw.measure.components(evaluator)) if _is_scalar(draw) else ()
        found[draw] = tuple(parts) if len(parts) > 1 else ()
        if found[draw]:
            continue
        exact = yield evaluator.density(draw.measure, draw.value)
        algebraic = yield evaluator.textbook_density(draw.measure, draw.value)
        priors.append((exact, algebraic))
        waiting.extend(
            node.params["draw"]
            for node in ancestors([exact, algebraic])
            if node.primitive.name == "random" and hidden(node) and node.params["draw"] not in found
        )
    latents = [_latent(draw, node, parts) for draw, parts in found.items() for node in draw.nodes]
    return Latents(latents, priors)


def _is_scalar(draw: Any) -> bool:
    return len(draw.nodes) == 1 and not draw.nodes[0].shape


def _latent(draw: Any, node: Node, parts: Any) -> Latent:
    name = f"draw from {draw.measure.describe()}"
    return Latent(node, node.params["support"], draw.measure.atom, name, parts)
