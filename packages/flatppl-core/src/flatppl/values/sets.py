"""Sets: value sets of leaves, supports of laws, domains of parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flatppl.errors import InternalError, refuse
from flatppl.tensor.intervals import NONNEGATIVE, REALS, UNIT, Interval
from flatppl.tensor.ops import (
    abs_,
    all_,
    broadcast,
    cholesky,
    equal,
    is_integral,
    isfinite,
    log,
    max_,
    sqrt,
    sum_,
    transpose,
)
from flatppl.tensor.program import Builder, Node
from flatppl.tensor.ranges import range_of
from flatppl.values.forms import (
    Form,
    Record,
    RecordForm,
    Table,
    TableForm,
    Tensor,
    TensorForm,
    Text,
    Value,
    describe,
)

__all__ = [
    "PREDEFINED", "Anything", "CountVectors", "FiniteSet", "IntegerSet", "Labels", "MatrixSet", "OpaqueSet", "Power", "Product", "RealSet",
    "RecordProduct", "Set", "Simplex", "booleans", "integers", "nonnegintegers", "nonnegreals", "posintegers", "posreals",
    "reals", "unitinterval",
]  # fmt: skip


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
        """Whether both ends are provably finite."""
        return math.isfinite(self.interval.lo) and math.isfinite(self.interval.hi)

    def form(self) -> Form:
        return TensorForm("real")

    def contains(self, value: Any) -> Node:
        x = scalar_of(value, self)
        bounds = []
        if isinstance(self.lo, Node) or self.lo > -math.inf:
            bounds.append(x > self.lo if self.lo_open else x >= self.lo)
        if isinstance(self.hi, Node) or self.hi < math.inf:
            bounds.append(x < self.hi if self.hi_open else x <= self.hi)
        return _conjunction(bounds) if bounds else ~is_nan(x)

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

    def form(self) -> Form:
        refuse("signature", "a string has no tensor form")

    def contains(self, value: Any) -> bool:  # type: ignore[override]
        if not isinstance(value, Text):
            refuse("point", f"{describe(value)} cannot be a member of {self.describe()}")
        return self.texts is None or value.text in self.texts

    def __str__(self) -> str:
        return "strings" if self.texts is None else f"finiteset({', '.join(map(repr, self.texts))})"


@dataclass(frozen=True, slots=True)
class Simplex(Set):
    """Vectors of length n with non-negative entries that sum to one, within the square root of machine epsilon."""

    n: int
    interval = UNIT
    bounded = True

    def form(self) -> Form:
        return TensorForm("real", (self.n,), (1,))

    def contains(self, value: Any) -> Node:
        x = array_of(value, self)
        return simplex_member(x)

    def log_volume(self, builder: Builder) -> Node | None:
        return builder.constant(-math.lgamma(self.n))

    def witness(self, builder: Builder) -> Node:
        """The centre."""
        return builder.constant(np.full(self.n, 1.0 / self.n))

    def __str__(self) -> str:
        return f"stdsimplex({self.n})"


def simplex_member(x: Node) -> Node:
    """Whether the entries are non-negative and sum to one, within the square root of machine epsilon."""
    fixed = x.constant is not None
    tolerance = math.sqrt(np.finfo(np.float64).eps) if fixed else sqrt(x.builder.apply("epsilon"))
    return all_(x >= 0.0) & (abs_(sum_(x) - 1.0) <= tolerance)


def array_of(value: Any, owner: Set) -> Node:
    """Node of an array of the owner's form, refused otherwise."""
    if isinstance(value, Node):
        return value
    expected = owner.form()
    assert isinstance(expected, TensorForm)
    if not isinstance(value, Tensor) or value.node.shape != expected.shape or value.levels != expected.levels:
        refuse(
            "point", f"{describe(value)} cannot be a member of {owner.describe()}, which holds a {describe(expected)}"
        )
    return value.node


@dataclass(frozen=True, slots=True)
class Power(Set):
    """Arrays (or tables, for a record set) of members of one set."""

    base: Set
    shape: tuple[int, ...]

    @property
    def interval(self) -> Interval:  # type: ignore[override]
        """Bounds of the entries."""
        return self.base.interval

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        """Whether the base is bounded."""
        return self.base.bounded

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        """Whether the base is discrete."""
        return self.base.discrete

    def form(self) -> Form:
        return power_form(self.base.form(), self.shape)

    def contains(self, value: Any) -> Node:
        if isinstance(value, Table) and isinstance(self.base, RecordProduct):
            parts = [Power(part, self.shape).contains(value.columns[name]) for name, part in self.base.items]
            return _conjunction(parts)
        x = array_of(value, self)
        if isinstance(self.base, (RealSet, IntegerSet, FiniteSet)):
            return all_(self.base.contains(x))
        refuse("unsupported", f"membership in {self.describe()} is not implemented")

    def witness(self, builder: Builder) -> Node:
        """A member, of a base of scalars."""
        return broadcast(self.base.witness(builder), self.shape)  # type: ignore[attr-defined]

    def log_volume(self, builder: Builder) -> Node | None:
        one = self.base.log_volume(builder)
        return None if one is None else one * float(np.prod(self.shape))

    def __str__(self) -> str:
        return f"cartpow({self.base}, {list(self.shape) if len(self.shape) > 1 else self.shape[0]})"


def power_form(form: Form, shape: tuple[int, ...]) -> Form:
    """Form of an array (a table, for records) of values of a form."""
    match form:
        case TensorForm(kind, cell, levels, _):
            return TensorForm(kind, shape + cell, (len(shape), *levels))
        case RecordForm(items):
            if len(shape) != 1:
                refuse("shape", f"records fill a table of one axis, not an array of {len(shape)} axes")
            return TableForm(tuple((name, power_form(part, shape)) for name, part in items), shape[0])
        case TableForm():
            refuse("shape", "a table cannot be a cell of an array")
    refuse("shape", f"{describe(form)} cannot be a cell of an array")


def _conjunction(parts: list[Node]) -> Node:
    result = parts[0]
    for part in parts[1:]:
        result = result & part
    return result


@dataclass(frozen=True, slots=True)
class CountVectors(Set):
    """Vectors of n non-negative integers that sum to ``total`` (a number or a node)."""

    n: int
    total: Any
    discrete = True
    interval = NONNEGATIVE

    def form(self) -> Form:
        return TensorForm("integer", (self.n,), (1,))

    def contains(self, value: Any) -> Node:
        x = array_of(value, self)
        return all_((x >= 0.0) & is_integral(x)) & equal(sum_(x), self.total)

    def witness(self, builder: Builder) -> Node:
        """All counts in the first entry."""
        return builder.lift(self.total) * builder.constant(np.eye(self.n)[0])

    def __str__(self) -> str:
        return f"vectors of {self.n} counts"


@dataclass(frozen=True, slots=True)
class MatrixSet(Set):
    """Square matrices of one family: ``spd``, ``correlation`` or ``correlation factor``."""

    n: int
    family: str

    def form(self) -> Form:
        return TensorForm("real", (self.n, self.n), (2,))

    def contains(self, value: Any) -> Node:
        x = array_of(value, self)
        builder = x.builder
        tolerance = sqrt(builder.apply("epsilon"))
        eye = builder.constant(np.eye(self.n))
        if self.family == "correlation factor":
            upper = builder.constant(np.triu(np.ones((self.n, self.n)), 1))
            lengths = sum_(x * x, (1,))
            positive = all_((x > 0.0) | equal(eye, 0.0))
            return positive & all_(equal(x * upper, 0.0)) & all_(abs_(lengths - 1.0) <= tolerance)
        symmetric = all_(abs_(x - transpose(x)) <= tolerance * max_(abs_(x)))
        definite = symmetric & all_(isfinite(cholesky(x)))
        return definite if self.family == "spd" else definite & all_(abs_(x * eye - eye) <= tolerance)

    def witness(self, builder: Builder) -> Node:
        """The identity."""
        return builder.constant(np.eye(self.n))

    def __str__(self) -> str:
        return f"{self.family} matrices of size {self.n}"


@dataclass(frozen=True, slots=True)
class Product(Set):
    """Vectors that join one member (scalar or vector) of each component."""

    parts: tuple[Set, ...]

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        """Whether all components are."""
        return all(part.bounded for part in self.parts)

    def form(self) -> Form:
        forms = [part.form() for part in self.parts]
        kinds = {form.levels for form in forms if isinstance(form, TensorForm)}
        if len(kinds) != 1 or not kinds <= {(), (1,)}:
            refuse("shape", "components of a positional cartprod must be all scalar sets or all vector sets")
        kind = "real" if any(form.kind == "real" for form in forms) else "integer"  # type: ignore[union-attr]
        return TensorForm(kind, (sum(_extent(form) for form in forms),), (1,))

    def contains(self, value: Any) -> Node:
        x = array_of(value, self)
        checks, start = [], 0
        for part in self.parts:
            form = part.form()
            size = _extent(form)
            cell = x.builder.apply("slice", x, start=(start,), stop=(start + size,), step=(1,))
            scalar = isinstance(form, TensorForm) and not form.levels
            checks.append(part.contains(x.builder.apply("reshape", cell, shape=()) if scalar else cell))
            start += size
        return _conjunction(checks)

    def log_volume(self, builder: Builder) -> Node | None:
        return _total([part.log_volume(builder) for part in self.parts])

    def __str__(self) -> str:
        return f"cartprod({', '.join(map(str, self.parts))})"


def _extent(form: Form) -> int:
    assert isinstance(form, TensorForm)
    return form.shape[0] if form.levels else 1


def _total(parts: list[Node | None]) -> Node | None:
    total: Any = 0.0
    for part in parts:
        if part is None:
            return None
        total = part + total
    return total


@dataclass(frozen=True, slots=True)
class RecordProduct(Set):
    """Records with one member of each field's set."""

    items: tuple[tuple[str, Set], ...]

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        """Whether all fields are."""
        return all(part.bounded for _, part in self.items)

    def form(self) -> Form:
        return RecordForm(tuple((name, part.form()) for name, part in self.items))

    def contains(self, value: Any) -> Node:
        names = [name for name, _ in self.items]
        if not isinstance(value, Record) or sorted(value.fields) != sorted(names):
            refuse("point", f"{describe(value)} cannot be a member of {self.describe()}")
        return _conjunction([part.contains(value.fields[name]) for name, part in self.items])

    def log_volume(self, builder: Builder) -> Node | None:
        return _total([part.log_volume(builder) for _, part in self.items])

    def __str__(self) -> str:
        return f"cartprod({', '.join(f'{name} = {part}' for name, part in self.items)})"


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
