"""``normalize(M)``: the probability measure proportional to M."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.measures.base import LOCALLY_FINITE, NORMALIZED, NULL, Measure, MeasureOperation, once, require_measure
from flatppl.measures.lift import lifted
from flatppl.measures.weighted import shifted
from flatppl.tensor.ops import isfinite, select
from flatppl.values.forms import Form
from flatppl.values.sets import Set

__all__ = ["OPERATIONS", "Normalized"]


@dataclass(frozen=True, eq=False)
class Normalized(Measure):
    """A measure divided by its total mass; NaN where that mass is zero or infinite."""

    base: Measure

    @cached_property
    def reference(self) -> Any:
        """That of the base."""
        return self.base.reference

    @once
    def form(self) -> Form:
        return self.base.form()

    @once
    def support(self) -> Set | None:
        return self.base.support()

    def log_density(self, evaluator: Any, x: Any) -> Any:
        density = yield evaluator.density(self.base, x)
        mass = yield evaluator.log_mass(self.base)
        return self._divided(density, mass)

    def sample(self, evaluator: Any, stream: Any) -> Any:
        return evaluator.sample(self.base, stream)

    def sample_within(self, evaluator: Any, stream: Any, region: Set) -> Any:
        return self.base.sample_within(evaluator, stream, region)

    def components(self, evaluator: Any) -> Any:
        mass = yield evaluator.log_mass(self.base)
        return (yield shifted(evaluator, self.base, -mass))

    def decay(self, evaluator: Any, x: Any) -> Any:
        return self.base.decay(evaluator, x)

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        inside = yield evaluator.log_mass_within(self.base, region)
        mass = yield evaluator.log_mass(self.base)
        return self._divided(inside, mass)

    def _divided(self, value: Any, mass: Any) -> Any:
        if mass.constant is not None and not math.isfinite(float(mass.constant)):
            refuse("mass", f"{self.base.describe()} has no finite positive mass, so it cannot be normalized")
        return value - select(isfinite(mass), mass, math.nan)


def _normalize(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 1:
        refuse("call", "normalize(M) takes one positional input")

    def build(target: Any) -> Measure:
        measure = require_measure(target, "normalize")
        if measure.mass_class in (NULL, LOCALLY_FINITE):
            size = "zero" if measure.mass_class == NULL else "infinite"
            refuse("mass", f"{measure.describe()} has {size} mass, so it cannot be normalized")
        return measure if measure.mass_class == NORMALIZED else Normalized(measure)

    return lifted(evaluator, "normalize", args[0], build)


OPERATIONS = (MeasureOperation("normalize", _normalize),)
