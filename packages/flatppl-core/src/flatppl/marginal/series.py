"""Sums over the infinite support of a discrete latent, cut off where the rest is proved to be small."""

from __future__ import annotations

import math
from typing import Any

from flatppl.errors import refuse
from flatppl.marginal.bounds import upper_bound
from flatppl.marginal.terms import Latent, Term, Terms, added
from flatppl.tensor.ops import convert, log, log1p, minimum, select
from flatppl.tensor.program import Node, Region, close
from flatppl.tensor.substitute import substitute
from flatppl.values.sets import IntegerSet

__all__ = ["log_sum"]

#: A sum may have this many terms for every panel that an integral may have, but never more than the second number.
TERMS_PER_INTERVAL = 32
LARGEST = 1 << 20


def log_sum(evaluator: Any, terms: Terms, latent: Latent) -> Term | None:
    """Log of the sum over a latent whose own law has a proved decay; None for any other.

    What follows an atom k is at most ``p(k) r / (1 - r)`` times a bound of the other terms, where p is the latent's own
    law and r bounds the ratio of any two successive masses from k on.
    """
    support, settings = latent.support, evaluator.integration
    own = [term.exact for term in terms if term.law_of is latent.leaf]
    if settings is None or latent.decay is None or len(own) != 1 or not isinstance(support, IntegerSet):
        return None
    if not isinstance(support.lo, Node) and not math.isfinite(support.lo):
        return None
    builder = evaluator.builder
    first = convert(builder.lift(support.lo), "integer")
    ceiling = added(builder, [_ceiling(term, latent, first) for term in terms if term.law_of is not latent.leaf])
    region = Region(evaluator.region)
    k = builder.variable(latent.leaf.aval, region, **latent.leaf.params)
    total, mass, ratio = substitute(builder, [terms.total(builder), *own, latent.decay], {latent.leaf: k})
    falling = ratio < 1.0
    tail = mass + log(ratio) - log1p(-select(falling, ratio, 0.0)) + ceiling
    body = close((k,), (total, select(falling, tail, math.inf)), region)
    series = builder.apply(
        "series",
        first,
        *body.captures,
        body=body,
        rtol=float(settings.rtol),
        atol=float(settings.atol),
        limit=min(TERMS_PER_INTERVAL * settings.max_intervals, LARGEST),
    )
    total = builder.apply("item", series, index=0)
    # Under a probability law the sum is a mean of what the ceiling bounds.
    mean = all(term.probability for term in terms if term.law_of is latent.leaf)
    return Term(total, total, ceiling=ceiling if mean else None)


def _ceiling(term: Term, latent: Latent, first: Node) -> Node:
    """A bound of what a term can be for any value of the latent."""
    found = upper_bound(term.exact if term.ceiling is None else term.ceiling, latent.leaf, first)
    if term.probability:
        return first.builder.lift(0.0) if found is None else minimum(found, 0.0)
    if found is None:
        refuse(
            "density",
            f"the sum over a latent {latent.name} cannot be cut off: no bound of the densities that depend on it, over "
            "all of its values, could be proved; observe it, or truncate its law to at most 256 values",
        )
    return found
