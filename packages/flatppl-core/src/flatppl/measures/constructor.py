"""A distribution with its parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.distribution import Distribution, Rng, check_parameter, limit
from flatppl.errors import refuse
from flatppl.measures.base import COUNTING, FINITE, LEBESGUE, NORMALIZED, Measure, once
from flatppl.tensor.guards import guard_parameters
from flatppl.tensor.ops import convert, maximum, minimum, select
from flatppl.tensor.program import Node
from flatppl.values.forms import Form, Tensor, array_part, describe
from flatppl.values.sets import IntegerSet, RealSet, Set

__all__ = ["DistributionMeasure"]


@dataclass(frozen=True, eq=False)
class DistributionMeasure(Measure):
    """A row of facts at given parameters.

    Attributes
    ----------
    row : Distribution
    parameters : tuple of Node
    checks : tuple of (Node, Node, str)
        Flags (inside, excused) and message of each parameter whose set is not proved.
    """

    row: Distribution
    parameters: tuple[Node, ...]
    checks: tuple[tuple[Node, Node, str], ...]

    @staticmethod
    def build(row: Distribution, values: tuple[Any, ...]) -> DistributionMeasure:
        """The measure of ``row`` at parameter values; refuses wrong shapes and provable violations."""
        nodes, checks = [], []
        for (name, domain), value in zip(row.parameters, values, strict=True):
            if not isinstance(value, Tensor) or len(value.levels) > 1 or value.kind in ("complex", "rngstate"):
                refuse("kind", f"{row.name}: parameter {name!r} cannot be a {describe(value)}")
            node = value.node if value.kind != "boolean" else convert(value.node, "integer")
            flags = check_parameter(row, name, domain, node)
            if flags is not None:
                checks.append((*flags, f"{row.name}: {name} is outside its declared value set {domain}"))
            nodes.append(convert(node, "real"))
        row.form(nodes)
        return DistributionMeasure(row, tuple(nodes), tuple(checks))

    @cached_property
    def mass_class(self) -> str:
        """Normalized, for all but a few laws of standard modules."""
        return NORMALIZED if self.row.normalized else FINITE

    @cached_property
    def reference(self) -> str:
        """Counting for discrete laws, Lebesgue otherwise."""
        return COUNTING if self.row.discrete else LEBESGUE

    @once
    def form(self) -> Form:
        return self.row.form(self.parameters)

    @once
    def support(self) -> Set:
        return self.row.support_of(self.parameters)

    def describe(self) -> str:
        return self.row.name

    def log_density(self, evaluator: Any, x: Tensor) -> Node:
        return self.checked(self.row.density(x.node, self.parameters, evaluator.algebraic))

    def log_mass_within(self, evaluator: Any, region: Set) -> Node:
        if not isinstance(region, (RealSet, IntegerSet)) or self.row.cdf is None:
            return super().log_mass_within(evaluator, region)
        lo, hi = (evaluator.builder.lift(end) for end in self._ends(region))
        return self.checked(evaluator.builder.lift(self.row.log_interval(lo, hi, self.parameters)))

    def _ends(self, region: RealSet | IntegerSet) -> tuple[Any, Any]:
        """The ends of a region inside the support; of counts, the one before the least."""
        lo, hi = region.whole() if self.row.discrete else (region.lo, region.hi)
        support = self.support()
        if isinstance(support, (RealSet, IntegerSet)):
            lo, hi = maximum(lo, support.lo), minimum(hi, support.hi)
        if self.row.discrete:
            lo = lo - 1.0
        return lo, maximum(hi, lo)

    def decay(self, evaluator: Any, x: Any) -> Node | None:
        return None if self.row.decay is None else x.builder.lift(self.row.decay(convert(x, "real"), *self.parameters))

    def sample(self, evaluator: Any, stream: Any) -> Tensor:
        rng = Rng(stream.next())
        if self.row.sample is not None:
            node = self.row.sample(rng, *self.parameters)
        elif self.row.quantile is not None:
            node = self.row.quantile(rng.uniform(), *self.parameters)
        else:
            refuse("density", f"{self.row.name} has no sampler")
        form = array_part(self.form())
        return Tensor(self.checked(convert(evaluator.builder.lift(node), form.kind)), form.levels)

    def sample_within(self, evaluator: Any, stream: Any, region: Set) -> Tensor:
        """From the smaller tail, between the probabilities of the ends; NaN where a real law's both tails underflow."""
        if not isinstance(region, (RealSet, IntegerSet)) or self.row.cdf is None or self.row.quantile is None:
            refuse("mass", f"the truncation of {self.describe()} to {region.describe()} has no exact sampler")
        (low, over), (up, beyond) = (self._tails(evaluator.builder.lift(end)) for end in self._ends(region))
        u = Rng(stream.next()).uniform()
        below, above = low + (up - low) * u, beyond + (over - beyond) * (1.0 - u)
        x = self._between(below, above)
        if not self.row.discrete:
            x = select((up > low) | (over > beyond), x, math.nan)
        return Tensor(self.checked(convert(x, array_part(self.form()).kind)))

    def _tails(self, x: Node) -> tuple[Node, Node]:
        """Probabilities up to x and beyond it, each accurate where it is the smaller one."""
        below, survival = self.probability(x), self.row.survival
        if survival is None:
            return below, 1.0 - below
        return below, x.builder.lift(limit(lambda end: survival(end, *self.parameters), x, 1.0, 0.0))

    def _between(self, below: Node, above: Node) -> Node:
        """The point with these probabilities up to it and beyond it."""
        inverse = self.row.upper_quantile
        if inverse is None:
            return self.quantile(below)
        return select(below < above, self.quantile(minimum(below, 0.5)), inverse(minimum(above, 0.5), *self.parameters))

    def quantile(self, u: Node) -> Node:
        """The point below which the probability is u."""
        if self.row.quantile is None:
            refuse("density", f"{self.row.name} has no quantile, so its truncation cannot be sampled")
        return self.checked(u.builder.lift(self.row.quantile(u, *self.parameters)))

    def probability(self, x: Any) -> Node:
        """Probability of points up to x."""
        cdf = self.row.cdf
        if cdf is None:
            refuse("density", f"{self.row.name} has no cdf, so its truncation cannot be sampled")
        return x.builder.lift(limit(lambda end: cdf(end, *self.parameters), x, 0.0, 1.0))

    def checked(self, value: Node) -> Node:
        """The value, guarded by the checks of the parameters."""
        for inside, excused, message in self.checks:
            value = guard_parameters(value, inside, excused, message)
        return value
