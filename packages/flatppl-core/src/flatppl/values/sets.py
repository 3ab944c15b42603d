"""Sets of scalars: value sets of leaves, supports of laws, domains of parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flatppl.errors import InternalError, refuse
from flatppl.tensor.intervals import REALS, Interval
from flatppl.tensor.ops import ceil, equal, floor, is_integral, log, maximum, minimum, select
from flatppl.tensor.program import Builder, Node
from flatppl.tensor.ranges import range_of
from flatppl.values.forms import (
    Form,
    Tensor,
    TensorForm,
    Text,
    Value,
    describe,
)

__all__ = [
    "PREDEFINED",
    "Anything",
    "FiniteSet",
    "IntegerSet",
    "Labels",
    "OpaqueSet",
    "RealSet",
    "Set",
    "booleans",
    "conjunction",
    "integers",
    "intersection",
    "is_nan",
    "nonnegintegers",
    "nonnegreals",
    "posintegers",
    "posreals",
    "ranges_inside",
    "reals",
    "scalar_of",
    "unitinterval",
]


class Set(Value):
    """A set of values.

    Every set answers: ``form(builder)`` (static structure of a member), ``contains(value)`` (boolean node),
    ``interval`` (bounds of all entries of a member), ``bounded``, ``discrete`` and ``log_volume(builder)``
    (log of the reference measure of the whole set, or None if infinite or unknown).
    """

    __slots__ = ()
    interval: Interval = REALS
    bounded = False
    discrete = False

    def form(self) -> Form:
        """Static structure of a member."""
        raise InternalError(f"{type(self).__name__} has no form")

    def contains(self, value: Any) -> Node:
        """Whether a value of the set's form is a member."""
        raise InternalError(f"{type(self).__name__} has no membership rule")

    def log_volume(self, builder: Builder) -> Node | None:
        """Log of the set's reference measure; None if it is infinite or has no closed form."""
        return None

    def describe(self) -> str:
        """Name for messages."""
        return str(self)


def _bound(x: Any, high: bool) -> float:
    if isinstance(x, Node):
        found = range_of(x)
        return found.hi if high else found.lo
    return float(x)


def _finite(end: Any) -> bool:
    value = end.constant if isinstance(end, Node) else end
    return value is None or math.isfinite(value)


@dataclass(frozen=True, slots=True)
class RealSet(Set):
    """Interval of the extended reals; the ends are numbers or scalar nodes, as is whether the upper one is open."""

    lo: Any = -math.inf
    hi: Any = math.inf
    lo_open: bool = False
    hi_open: Any = False
    name: str = ""

    @property
    def interval(self) -> Interval:  # type: ignore[override]
        """Static bounds, also where the ends are runtime values."""
        return Interval(_bound(self.lo, False), _bound(self.hi, True), self.lo_open, self.hi_open is True)

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        """Whether both ends are finite; those that are runtime values are reals."""
        return all(_finite(end) for end in (self.lo, self.hi))

    def form(self) -> Form:
        return TensorForm("real")

    def contains(self, value: Any) -> Node:
        x = scalar_of(value, self)
        bounds = []
        if isinstance(self.lo, Node) or self.lo > -math.inf:
            bounds.append(x > self.lo if self.lo_open else x >= self.lo)
        if isinstance(self.hi, Node) or self.hi < math.inf:
            bounds.append(x < self.hi if self.hi_open is True else x <= self.hi)
        if isinstance(self.hi_open, Node):
            bounds.append(~(self.hi_open & equal(x, self.hi)))
        return conjunction(bounds) if bounds else ~is_nan(x)

    def whole(self) -> tuple[Any, Any]:
        """The least and the greatest integer inside; the one after the other where there is none."""
        first = floor(self.lo) + 1.0 if self.lo_open else ceil(self.lo)
        last = floor(self.hi)
        if self.hi_open is not False:
            last = select(self.hi_open, ceil(self.hi) - 1.0, last)
        return first, last

    def log_volume(self, builder: Builder) -> Node | None:
        return log(builder.lift(self.hi) - self.lo) if self.bounded else None

    def witness(self, builder: Builder) -> Node:
        """An interior point, for evaluation where the point itself lies outside."""
        low = isinstance(self.lo, Node) or self.lo > -math.inf
        high = isinstance(self.hi, Node) or self.hi < math.inf
        if low and high:
            return builder.lift(self.lo) * 0.5 + builder.lift(self.hi) * 0.5
        return builder.lift(1.0) + self.lo if low else builder.lift(-1.0) + self.hi if high else builder.lift(0.0)

    def __str__(self) -> str:
        return self.name or f"interval({_show(self.lo)}, {_show(self.hi)})"


def intersection(a: Set, b: Set) -> Set:
    """Intersection of two scalar sets, with a non-negative length."""
    if isinstance(a, FiniteSet):
        return _members(a, b)
    if isinstance(b, FiniteSet):
        return _members(b, a)
    if not isinstance(a, (RealSet, IntegerSet)) or not isinstance(b, (RealSet, IntegerSet)):
        refuse("mass", f"the intersection of {a.describe()} and {b.describe()} has no closed-form measure")
    if isinstance(a, RealSet) and isinstance(b, RealSet):
        lo = maximum(a.lo, b.lo)
        return RealSet(lo, maximum(minimum(a.hi, b.hi), lo))
    (low, high), (other_low, other_high) = a.whole(), b.whole()
    first = maximum(low, other_low)
    return IntegerSet(first, maximum(minimum(high, other_high), first - 1.0))


def _members(listed: FiniteSet, other: Set) -> Set:
    """Those of a listed set's members that another set with fixed ends has."""
    match other:
        case FiniteSet(values):
            kept = [x for x in listed.values if x in values]
        case RealSet() if _fixed(other):
            kept = [x for x in listed.values if other.interval.contains(x)]
        case IntegerSet() if _fixed(other):
            kept = [x for x in listed.values if other.interval.contains(x) and float(x).is_integer()]
        case _:
            refuse("mass", f"which members of {listed.describe()} lie in {other.describe()} is not known beforehand")
    return FiniteSet(tuple(kept), listed.kind) if kept else IntegerSet(0, -1)


def ranges_inside(node: Node, domain: Set) -> bool:
    """Whether a node is a random leaf that a set holds for certain."""
    support = node.params.get("support") if node.primitive.name == "random" else None
    if support is domain or not isinstance(domain, RealSet) or not isinstance(support, (RealSet, IntegerSet)):
        return support is domain
    return _fixed(domain) and support.interval.inside(Interval(domain.interval.lo, domain.interval.hi))


def _fixed(domain: RealSet | IntegerSet) -> bool:
    return not any(isinstance(end, Node) and end.constant is None for end in (domain.lo, domain.hi))


def conjunction(parts: list[Node]) -> Node:
    """All of some booleans."""
    result = parts[0]
    for part in parts[1:]:
        result = result & part
    return result


def is_nan(x: Node) -> Node:
    """Whether x is NaN; integers never are."""
    return x.builder.apply("isnan", x) if x.kind == "real" else x.builder.constant(np.zeros(x.shape, bool))


def _show(x: Any) -> str:
    value: Any = x.constant if isinstance(x, Node) else x
    return "..." if value is None else f"{float(value):g}"


def scalar_of(value: Any, owner: Set) -> Node:
    """Node of a numeric scalar, refused if the value is something else."""
    if isinstance(value, Node):
        return value
    if not isinstance(value, Tensor) or value.levels or value.kind == "complex":
        refuse("point", f"{describe(value)} cannot be a member of {owner.describe()}")
    return value.node if value.kind != "boolean" else value.node.builder.convert(value.node, "integer")


@dataclass(frozen=True, slots=True)
class IntegerSet(Set):
    """Integers from ``lo`` to ``hi``, both included where finite; the ends are numbers or scalar nodes."""

    lo: Any = -math.inf
    hi: Any = math.inf
    name: str = ""
    kind: str = "integer"
    discrete = True

    @property
    def interval(self) -> Interval:  # type: ignore[override]
        """Static bounds."""
        return Interval(_bound(self.lo, False), _bound(self.hi, True))

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        """Whether both ends are provably finite."""
        return math.isfinite(self.interval.lo) and math.isfinite(self.interval.hi)

    def form(self) -> Form:
        return TensorForm(self.kind)

    def contains(self, value: Any) -> Node:
        x = scalar_of(value, self)
        inside = is_integral(x)
        if isinstance(self.lo, Node) or self.lo > -math.inf:
            inside = inside & (x >= self.lo)
        if isinstance(self.hi, Node) or self.hi < math.inf:
            inside = inside & (x <= self.hi)
        return inside

    def whole(self) -> tuple[Any, Any]:
        """The least and the greatest member."""
        return self.lo, self.hi

    def log_volume(self, builder: Builder) -> Node | None:
        return log(builder.lift(self.hi) - self.lo + 1) if self.bounded else None

    def witness(self, builder: Builder) -> Node:
        """A member."""
        low = isinstance(self.lo, Node) or self.lo > -math.inf
        high = isinstance(self.hi, Node) or self.hi < math.inf
        return builder.lift(self.lo if low else self.hi if high else 0.0)

    def __str__(self) -> str:
        return self.name or f"integers from {_show(self.lo)} to {_show(self.hi)}"


@dataclass(frozen=True, slots=True)
class FiniteSet(Set):
    """Listed distinct numbers of one kind."""

    values: tuple[float, ...]
    kind: str = "integer"
    discrete = True
    bounded = True

    @property
    def interval(self) -> Interval:  # type: ignore[override]
        """Least and greatest member."""
        return Interval(float(min(self.values)), float(max(self.values)))

    def form(self) -> Form:
        return TensorForm(self.kind)

    def contains(self, value: Any) -> Node:
        x = scalar_of(value, self)
        inside = x.builder.constant(np.zeros(x.shape, bool))
        for member in self.values:
            inside = inside | equal(x, float(member))
        return inside

    def log_volume(self, builder: Builder) -> Node | None:
        return builder.constant(math.log(len(self.values)))

    def witness(self, builder: Builder) -> Node:
        """A member."""
        return builder.constant(float(self.values[0]))

    def __str__(self) -> str:
        return f"finiteset({', '.join(f'{x:g}' for x in self.values)})"


@dataclass(frozen=True, slots=True)
class Labels(Set):
    """Listed distinct strings (all strings if None)."""

    texts: tuple[str, ...] | None = None
    discrete = True

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        """Whether the strings are listed."""
        return self.texts is not None

    def form(self) -> Form:
        refuse("signature", "a string has no tensor form")

    def log_volume(self, builder: Builder) -> Node | None:
        return None if self.texts is None else builder.constant(math.log(len(self.texts)))

    def contains(self, value: Any) -> bool:  # type: ignore[override]
        if not isinstance(value, Text):
            refuse("point", f"{describe(value)} cannot be a member of {self.describe()}")
        return self.texts is None or value.text in self.texts

    def __str__(self) -> str:
        return "strings" if self.texts is None else f"finiteset({', '.join(map(repr, self.texts))})"


@dataclass(frozen=True, slots=True)
class OpaqueSet(Set):
    """``complexes`` or ``rngstates``: a kind without bounds."""

    name: str
    kind: str

    def form(self) -> Form:
        return TensorForm(self.kind)

    def contains(self, value: Any) -> Node:
        if not isinstance(value, Tensor) or value.levels:
            refuse("point", f"{describe(value)} cannot be a member of {self.name}")
        return value.node.builder.constant(True)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Anything(Set):
    """No constraint; has no form."""

    name: str = field(default="anything")

    def form(self) -> Form:
        refuse("signature", "the set 'anything' has no shape; declare a set such as reals or cartpow(reals, n)")

    def contains(self, value: Any) -> Node:
        refuse("unsupported", "everything is in 'anything'")

    def __str__(self) -> str:
        return self.name


reals = RealSet(name="reals")
posreals = RealSet(0.0, lo_open=True, name="posreals")
nonnegreals = RealSet(0.0, name="nonnegreals")
unitinterval = RealSet(0.0, 1.0, name="unitinterval")
integers = IntegerSet(name="integers")
posintegers = IntegerSet(1, name="posintegers")
nonnegintegers = IntegerSet(0, name="nonnegintegers")
booleans = IntegerSet(0, 1, name="booleans", kind="boolean")

#: The predefined sets by name.
PREDEFINED: dict[str, Set] = {
    str(s): s
    for s in (
        reals, posreals, nonnegreals, unitinterval, integers, posintegers, nonnegintegers, booleans,
        OpaqueSet("complexes", "complex"), OpaqueSet("rngstates", "rngstate"), Labels(), Anything(),
    )
}  # fmt: skip
