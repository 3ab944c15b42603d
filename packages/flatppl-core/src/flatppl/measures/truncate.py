"""``truncate(M, S)``: the restriction of a measure to a set, not renormalized."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.measures.base import (
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
from flatppl.tensor.guards import guard_value
from flatppl.tensor.ops import convert, maximum, minimum, select
from flatppl.values.forms import Form, Record, RecordForm, Tensor, TensorForm, describe
from flatppl.values.product_sets import SCALARS, Power, Product, RecordProduct, integers_in, within
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
        # Closed forms integrate over the region.
        point = x if evaluator.algebraic else _sanitized(x, self.region, self.support() or self.region)
        density = yield evaluator.density(self.base, point)
        return select(inside, density, -math.inf)

    def sample(self, evaluator: Any, stream: Any) -> Any:
        """For scalars only; rounding does not leave the region."""
        value = yield self.base.sample_within(evaluator, stream, self.region)
        if not isinstance(self.region, (RealSet, IntegerSet)):
            return value
        inside = convert(minimum(maximum(value.node, self.region.lo), self.region.hi), value.kind)
        if value.kind != "real":
            # A count cannot be NaN.
            mass = yield evaluator.log_mass_within(self.base, self.region)
            message = f"the part of {self.base.describe()} in {self.region.describe()} has no probability"
            inside = guard_value(inside, mass > -math.inf, message, "mass")
        return Tensor(inside)

    def sample_within(self, evaluator: Any, stream: Any, region: Set) -> Any:
        return self.base.sample_within(evaluator, stream, within(self.region, region))  # type: ignore[arg-type]

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


def _sanitized(x: Any, region: Set, inner: Set) -> Any:
    """The variate, moved to a point of ``inner`` where it lies off the region: the density there may have no derivative."""
    if isinstance(x, Record) and isinstance(region, RecordProduct) and isinstance(inner, RecordProduct):
        regions, inners = dict(region.items), dict(inner.items)
        return Record(tuple((name, _sanitized(part, regions[name], inners[name])) for name, part in x.items))
    if not isinstance(x, Tensor) or not isinstance(inner, (*SCALARS, Power)):
        return x
    witness = convert(inner.witness(x.node.builder), x.kind)
    return Tensor(select(region.contains(x), x.node, witness), x.levels)


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
        return Truncated(base, _atoms_in(region, base.form()))

    return lifted(evaluator, "truncate", target, build)


def _atoms_in(region: Set, form: Form) -> Set:
    """The region's integers, for variates that are integers; atoms may lie anywhere else."""
    if isinstance(region, RecordProduct) and isinstance(form, RecordForm):
        forms = dict(form.items)
        return RecordProduct(tuple((name, _atoms_in(part, forms[name])) for name, part in region.items))
    return integers_in(region) if isinstance(form, TensorForm) and form.kind == "integer" else region


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
