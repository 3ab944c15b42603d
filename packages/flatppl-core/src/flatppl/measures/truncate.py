"""``truncate(M, S)``: the restriction of a measure to a set, not renormalized."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.distribution import Rng
from flatppl.errors import refuse
from flatppl.measures.base import (
    COUNTING,
    FINITE,
    LEBESGUE,
    LOCALLY_FINITE,
    NORMALIZED,
    NULL,
    UNKNOWN,
    Measure,
    MeasureOperation,
    once,
    require_measure,
    same_form,
)
from flatppl.measures.lift import lifted
from flatppl.tensor.ops import convert, maximum, minimum, select
from flatppl.values.forms import Form, Tensor, array_part, describe
from flatppl.values.product_sets import Product, RecordProduct, integers_in, within
from flatppl.values.sets import Anything, IntegerSet, RealSet, Set

__all__ = ["OPERATIONS", "Truncated"]


@dataclass(frozen=True, eq=False)
class Truncated(Measure):
    """A measure inside a set."""

    base: Measure
    region: Set

    @cached_property
    def reference(self) -> Any:
        """That of the base."""
        return self.base.reference

    @cached_property
    def mass_class(self) -> str:
        """Finite inside a bounded set or of a finite base."""
        if self.base.mass_class == LOCALLY_FINITE:
            return FINITE if self.region.bounded else UNKNOWN
        return {NULL: NULL, NORMALIZED: FINITE, FINITE: FINITE}.get(self.base.mass_class, UNKNOWN)

    @once
    def form(self) -> Form:
        return self.base.form()

    @once
    def support(self) -> Set | None:
        support = self.base.support()
        return None if support is None else within(support, self.region)

    def log_density(self, evaluator: Any, x: Any) -> Any:
        inside = self.region.contains(x)
        density = yield evaluator.density(self.base, x)
        return select(inside, density, -math.inf)

    def sample(self, evaluator: Any, stream: Any) -> Any:
        """By the quantile, between the probabilities of the ends; for scalars only."""
        if not isinstance(self.region, (RealSet, IntegerSet)):
            refuse("mass", f"the truncation of {self.base.describe()} to {self.region.describe()} has no exact sampler")
        builder = evaluator.builder
        lo, hi = builder.lift(self.region.lo), builder.lift(self.region.hi)
        discrete = self.base.reference == COUNTING
        if discrete:
            lo = lo - 1.0
        low, high = self.base.probability(lo), self.base.probability(hi)
        u = low + (high - low) * Rng(stream.next()).uniform()
        x = minimum(maximum(self.base.quantile(u), lo + 1.0 if discrete else lo), hi)
        return Tensor(convert(x, array_part(self.form()).kind))

    def decay(self, evaluator: Any, x: Any) -> Any:
        bound = yield self.base.decay(evaluator, x)
        if bound is None or not isinstance(self.region, (RealSet, IntegerSet)):
            return None
        # Up to the region's lower end the masses rise from zero.
        return select(x > self.region.lo, bound, math.inf)

    def log_mass(self, evaluator: Any) -> Any:
        return evaluator.log_mass_within(self.base, self.region)

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        return evaluator.log_mass_within(self.base, within(self.region, region))


def _truncate(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 2:
        refuse("call", "truncate(M, S) takes two positional inputs")
    target, region = args
    if not isinstance(region, Set):
        refuse("kind", f"truncate needs a set such as interval(0.0, 1.0), got {describe(region)}")

    def build(measure: Any) -> Measure:
        base = require_measure(measure, "truncate")
        if isinstance(region, Anything):
            return base
        if not same_form(base.form(), region.form()):
            refuse("shape", f"truncate: {region.describe()} is no set of values like a {describe(base.form())}")
        if _is_null(base.reference, region):
            refuse(
                "kind", f"truncate: {region.describe()} has no length, so nothing of {base.describe()} would be left"
            )
        return Truncated(base, integers_in(region) if base.reference == COUNTING else region)

    return lifted(evaluator, "truncate", target, build)


def _is_null(reference: Any, region: Set) -> bool:
    """Whether a continuous coordinate is confined to points."""
    if isinstance(region, RecordProduct):
        known = dict(reference) if isinstance(reference, frozenset) else dict.fromkeys(dict(region.items), reference)
        return any(_is_null(known.get(name), part) for name, part in region.items)
    if isinstance(region, Product):
        parts = reference if isinstance(reference, tuple) else (reference,) * len(region.parts)
        return any(map(_is_null, parts, region.parts))
    return reference == LEBESGUE and region.discrete


OPERATIONS = (MeasureOperation("truncate", _truncate),)
