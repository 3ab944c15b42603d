"""``weighted(weight, base)`` and ``logweighted(logweight, base)``: a density times a weight."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.marginal.mass import integrated_mass
from flatppl.measures.base import (
    FINITE,
    LOCALLY_FINITE,
    NORMALIZED,
    NULL,
    UNKNOWN,
    Measure,
    MeasureOperation,
    once,
    require_measure,
)
from flatppl.measures.lift import is_kernel, lifted
from flatppl.tensor.intervals import NONNEGATIVE, REALS
from flatppl.tensor.ops import convert, equal, log, select
from flatppl.tensor.program import Node
from flatppl.tensor.ranges import range_of
from flatppl.values.callables import Function, Native
from flatppl.values.forms import Form, Record, Tensor, TensorForm, describe
from flatppl.values.sets import IntegerSet, RealSet, Set

__all__ = ["OPERATIONS", "Weighted", "shifted"]


@dataclass(frozen=True, eq=False)
class Weighted(Measure):
    """A base measure times a constant or a function of the variate.

    Attributes
    ----------
    weight : Tensor or callable
    base : Measure
    logarithmic : bool
        The weight is given by its logarithm.
    """

    weight: Any
    base: Measure
    logarithmic: bool

    @property
    def constant(self) -> bool:
        """The weight does not depend on the variate."""
        return isinstance(self.weight, Tensor)

    @cached_property
    def reference(self) -> Any:
        """That of the base."""
        return self.base.reference

    @cached_property
    def mass_class(self) -> str:
        """Finite for a fixed constant weight on a finite base; unknown for a function weight."""
        if self.base.mass_class == NULL:
            return NULL
        if not self.constant or self.weight.node.constant is None:
            return UNKNOWN
        return {NORMALIZED: FINITE, FINITE: FINITE, LOCALLY_FINITE: LOCALLY_FINITE}.get(self.base.mass_class, UNKNOWN)

    @once
    def form(self) -> Form:
        return self.base.form()

    @once
    def support(self) -> Set | None:
        return self.base.support()

    def log_density(self, evaluator: Any, x: Any) -> Any:
        base = yield evaluator.density(self.base, x)
        if self.constant:
            return self.log_weight_of(self.weight) + base
        weight = yield self._weight_at(evaluator, self._sanitized(evaluator, x))
        if evaluator.algebraic:
            # Closed forms integrate over the base's support, where its density is not zero.
            return self.log_weight_of(weight) + base
        return select(equal(base, -math.inf), -math.inf, self.log_weight_of(weight) + base)

    def _weight_at(self, evaluator: Any, x: Any) -> Any:
        names = evaluator.inputs_of(self.weight)
        if len(names) == 1 or isinstance(x, Record):
            return evaluator.apply_whole(self.weight, x)
        form = self.base.form()
        size = form.shape[0] if isinstance(form, TensorForm) and form.levels == (1,) else 1
        if size != len(names):
            refuse("call", f"a weight of {len(names)} inputs does not fit a {describe(form)}; use 1 or {size} inputs")
        parts = [Tensor(x.node.builder.apply("take", x.node, x.node.builder.constant(i), axis=0)) for i in range(size)]
        return evaluator.apply(self.weight, parts, {})

    def _sanitized(self, evaluator: Any, x: Any) -> Any:
        """The variate, moved to an interior point where it lies off the base's support."""
        support = self.base.support()
        if not isinstance(support, (RealSet, IntegerSet)) or not isinstance(x, Tensor) or x.levels:
            return x
        if support.interval == REALS:
            return x
        inside = support.contains(x)
        return Tensor(select(inside, x.node, convert(support.witness(evaluator.builder), x.kind)))

    def log_weight_of(self, weight: Any) -> Node:
        """Logarithm of a weight value."""
        operation = "logweighted" if self.logarithmic else "weighted"
        if not isinstance(weight, Tensor) or weight.levels or weight.kind == "complex":
            refuse("kind", f"{operation} needs a real scalar weight, got {describe(weight)}")
        if self.logarithmic:
            return convert(weight.node, "real")
        if range_of(weight.node).disjoint(NONNEGATIVE):
            refuse("domain", "a weight cannot be negative")
        return log(convert(weight.node, "real"))

    def sample(self, evaluator: Any, stream: Any) -> Any:
        return evaluator.sample(self._sampled(), stream)

    def sample_within(self, evaluator: Any, stream: Any, region: Set) -> Any:
        return self._sampled().sample_within(evaluator, stream, region)

    def _sampled(self) -> Measure:
        if not self.constant:
            refuse("mass", "a measure with a weight that depends on the variate has no exact sampler")
        return self.base

    def decay(self, evaluator: Any, x: Any) -> Any:
        return self.base.decay(evaluator, x) if self.constant else super().decay(evaluator, x)

    def components(self, evaluator: Any) -> Any:
        if not self.constant:
            return super().components(evaluator)
        return shifted(evaluator, self.base, self.log_weight_of(self.weight))

    def log_mass(self, evaluator: Any) -> Any:
        if not self.constant:
            return (yield integrated_mass(evaluator, self, None))
        if self.base.mass_class == NORMALIZED:
            return self.log_weight_of(self.weight)
        mass = yield evaluator.log_mass(self.base)
        return self.log_weight_of(self.weight) + mass

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        if not self.constant:
            return (yield integrated_mass(evaluator, self, region))
        mass = yield evaluator.log_mass_within(self.base, region)
        return self.log_weight_of(self.weight) + mass


def shifted(evaluator: Any, base: Measure, log_weight: Any) -> Any:
    """Task: the components of a measure times a constant."""
    parts = yield base.components(evaluator)
    return [(weight + log_weight, measure) for weight, measure in parts]


def _partial(evaluator: Any, weight: Any, rest: tuple[Any, ...]) -> Native:
    """A weight function whose arguments after the variate are given."""
    inputs = evaluator.inputs_of(weight)
    if len(inputs) != len(rest) + 1:
        refuse(
            "call",
            f"a weight of {len(inputs)} inputs takes the variate and {len(inputs) - 1} arguments, got {len(rest)}",
        )
    return Native("weight", inputs[:1], lambda x: evaluator.apply_positional(weight, (x, *rest), {}))


def _operation(name: str, logarithmic: bool) -> MeasureOperation:
    def rule(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if keywords or len(args) < 2:
            refuse("call", f"{name}(weight, base) takes two positional inputs")
        weight, base, *rest = args
        if not isinstance(weight, (Tensor, Function)) and not is_kernel(weight):
            refuse("kind", f"{name}: a weight is a real scalar or a function of the variate, got {describe(weight)}")

        if rest:
            weight = _partial(evaluator, weight, tuple(rest))

        def build(measure: Any) -> Weighted:
            result = Weighted(weight, require_measure(measure, name), logarithmic)
            if result.constant:
                result.log_weight_of(weight)
            return result

        return lifted(evaluator, name, base, build)

    return MeasureOperation(name, rule)


OPERATIONS = (_operation("weighted", False), _operation("logweighted", True))
