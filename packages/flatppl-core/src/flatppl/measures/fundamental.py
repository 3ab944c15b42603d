"""Lebesgue, Counting, Uniform and Dirac measures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.calls import bind
from flatppl.distribution import Rng
from flatppl.errors import refuse
from flatppl.marginal.terms import base_of
from flatppl.measures.base import (
    COUNTING,
    FINITE,
    LEBESGUE,
    LOCALLY_FINITE,
    NORMALIZED,
    Measure,
    MeasureOperation,
    once,
)
from flatppl.tensor.guards import guard_parameters
from flatppl.tensor.ops import all_, convert, equal, exp, floor, log, logsumexp, minimum, select
from flatppl.tensor.program import Node
from flatppl.values.array_sets import Simplex
from flatppl.values.forms import Form, Record, Tensor, Text, TextForm, describe, flatten
from flatppl.values.product_sets import Power, RecordProduct, integers_in, within
from flatppl.values.sets import IntegerSet, Labels, RealSet, Set, is_nan, ranges_inside, reals

__all__ = ["OPERATIONS", "Dirac", "Flat", "ordered_like"]


@dataclass(frozen=True, eq=False)
class Flat(Measure):
    """Constant density on a set: ``Lebesgue(S)``, ``Counting(S)``, or the probability measure ``Uniform(S)``."""

    name: str
    region: Set
    reference: str = LEBESGUE
    normalized: bool = False

    @cached_property
    def mass_class(self) -> str:
        """Normalized for Uniform; finite on bounded sets."""
        if self.normalized:
            return NORMALIZED
        return FINITE if self.region.bounded else LOCALLY_FINITE

    @once
    def form(self) -> Form:
        if isinstance(self.region, Labels) and self.region.texts:
            return TextForm(Text(self.region.texts[0]))
        return self.region.form()

    @once
    def support(self) -> Set:
        return self.region

    def describe(self) -> str:
        return f"{self.name}({self.region.describe()})"

    def log_density(self, evaluator: Any, x: Any) -> Node:
        inside = self.region.contains(x)
        height = -self._volume(evaluator) if self.normalized else evaluator.builder.constant(0.0)
        if evaluator.algebraic and isinstance(x, Tensor) and ranges_inside(x.node, self.region):
            # A point of the measure itself, which closed forms integrate over the region.
            return height
        return self._checked(select(evaluator.builder.lift(inside), height, -math.inf))

    def _checked(self, value: Node) -> Node:
        """The value, undefined where the interval of a Uniform is empty."""
        ends = base_of(self.region)
        if not self.normalized or not isinstance(ends, RealSet):
            return value
        lo, hi = value.builder.lift(ends.lo), value.builder.lift(ends.hi)
        return guard_parameters(value, lo < hi, is_nan(lo) | is_nan(hi), "Uniform: the interval is empty")

    def log_mass(self, evaluator: Any) -> Node:
        return evaluator.builder.constant(0.0) if self.normalized else self._volume(evaluator)

    def log_mass_within(self, evaluator: Any, region: Set) -> Node:
        part = within(self.region, integers_in(region) if self.reference == COUNTING else region)
        if part is None:
            return super().log_mass_within(evaluator, region)
        mass = Flat(self.name, part, self.reference)._volume(evaluator)
        return mass - self._volume(evaluator) if self.normalized else mass

    def sample(self, evaluator: Any, stream: Any) -> Any:
        return uniform_member(self.region, Rng(stream.next()), evaluator.builder)

    def sample_within(self, evaluator: Any, stream: Any, region: Set) -> Any:
        part = within(self.region, integers_in(region) if self.reference == COUNTING else region)
        if part is None:
            return super().sample_within(evaluator, stream, region)
        return uniform_member(part, Rng(stream.next()), evaluator.builder)

    def _volume(self, evaluator: Any) -> Node:
        volume = self.region.log_volume(evaluator.builder)
        if volume is None and isinstance(self.region, (RealSet, IntegerSet)) and not self.region.bounded:
            return evaluator.builder.constant(math.inf)
        if volume is None:
            refuse("mass", f"{self.describe()} has no finite mass with a closed form")
        return volume


def uniform_member(region: Set, rng: Rng, builder: Any) -> Any:
    """A uniformly distributed member of a set of finite volume."""
    if isinstance(region, RealSet) and region.bounded:
        return Tensor(region.lo + (builder.lift(region.hi) - region.lo) * rng.uniform())
    if isinstance(region, IntegerSet) and region.bounded:
        span = builder.convert(builder.lift(region.hi) - region.lo + 1, "real")
        return Tensor(convert(region.lo + minimum(floor(span * rng.uniform()), span - 1.0), "integer"))
    if isinstance(region, Simplex):
        logs = log(-log(rng.uniform((region.n,))))
        return Tensor(exp(logs - logsumexp(logs)), (1,))
    if isinstance(region, Power) and isinstance(region.base, RealSet) and region.base.bounded:
        lo, hi = region.base.lo, region.base.hi
        return Tensor(lo + (builder.lift(hi) - lo) * rng.uniform(region.shape), (len(region.shape),))
    if isinstance(region, RecordProduct):
        return Record(tuple((name, uniform_member(part, rng, builder)) for name, part in region.items))
    refuse("density", f"uniform members of {region.describe()} have no sampler")


@dataclass(frozen=True, eq=False)
class Dirac(Measure):
    """Unit mass at one value of any form; density 0 (log) at equality of the whole value."""

    value: Any

    @cached_property
    def reference(self) -> str:
        """Counting."""
        return COUNTING

    @cached_property
    def atom(self) -> Any:
        """The value, if it is a scalar."""
        return self.value.node if isinstance(self.value, Tensor) and not self.value.levels else None

    @once
    def form(self) -> Form:
        return flatten(self.value)[0]

    def describe(self) -> str:
        return f"Dirac at a {describe(self.value)}"

    def log_density(self, evaluator: Any, x: Any) -> Node:
        (mine, atoms), (theirs, points) = flatten(self.value), flatten(ordered_like(self.value, x))
        builder = evaluator.builder
        same = builder.constant(not isinstance(mine, TextForm) or mine == theirs)
        for atom, point in zip(atoms, points, strict=True):
            same = same & all_(equal(atom, point))
        return select(same, 0.0, -math.inf)

    def sample(self, evaluator: Any, stream: Any) -> Any:
        return self.value

    def log_mass_within(self, evaluator: Any, region: Set) -> Node:
        return select(region.contains(self.value), 0.0, evaluator.builder.constant(-math.inf))


def ordered_like(value: Any, x: Any) -> Any:
    """``x`` with its fields in the order of ``value``."""
    names = getattr(value, "fields", None)
    if names is None:
        return x
    return type(x)(tuple((name, ordered_like(part, x.fields[name])) for name, part in names.items()))


def _support(name: str, args: tuple[Any, ...], keywords: dict[str, Any], default: Set | None = None) -> Set:
    (region,) = bind(name, ("support",), args, keywords, whole=True, defaults=() if default is None else (default,))
    if not isinstance(region, Set):
        refuse("kind", f"{name} needs a set such as interval(0.0, 1.0), got {describe(region)}")
    return region


def _lebesgue(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Flat:
    region = _support("Lebesgue", args, keywords, reals)
    if region.discrete:
        refuse("kind", f"Lebesgue needs a set of reals; use Counting({region.describe()})")
    return Flat("Lebesgue", region)


def _counting(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Flat:
    return Flat("Counting", integers_in(_support("Counting", args, keywords)), COUNTING)


def _uniform(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Flat:
    region = _support("Uniform", args, keywords)
    volume = None if region.discrete else region.log_volume(evaluator.builder)
    if volume is None or (volume.constant is not None and not math.isfinite(float(volume.constant))):
        refuse("domain", f"Uniform needs a set of positive finite volume, got {region.describe()}")
    return Flat("Uniform", region, normalized=True)


def _dirac(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Dirac:
    (value,) = bind("Dirac", ("value",), args, keywords, whole=True)
    try:
        flatten(value)
    except TypeError:
        refuse("kind", f"Dirac needs a value, got {describe(value)}")
    return Dirac(value)


OPERATIONS = (
    MeasureOperation("Lebesgue", _lebesgue),
    MeasureOperation("Counting", _counting),
    MeasureOperation("Uniform", _uniform),
    MeasureOperation("Dirac", _dirac),
)
