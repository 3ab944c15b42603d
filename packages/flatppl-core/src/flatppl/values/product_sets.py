"""Products of sets: powers, joined vectors, records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.intervals import Interval
from flatppl.tensor.ops import all_, broadcast, cut, reshape
from flatppl.tensor.program import Builder, Node
from flatppl.values.array_sets import array_of
from flatppl.values.forms import (
    Form,
    Record,
    RecordForm,
    Table,
    TableForm,
    TensorForm,
    describe,
)
from flatppl.values.sets import FiniteSet, IntegerSet, RealSet, Set, conjunction, intersection

__all__ = ["SCALARS", "Power", "Product", "RecordProduct", "components", "integers_in", "power_form", "within"]


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
            return conjunction(parts)
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
            cell = cut(x, start, start + size)
            scalar = isinstance(form, TensorForm) and not form.levels
            checks.append(part.contains(reshape(cell, ()) if scalar else cell))
            start += size
        return conjunction(checks)

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
        return conjunction([part.contains(value.fields[name]) for name, part in self.items])

    def log_volume(self, builder: Builder) -> Node | None:
        return _total([part.log_volume(builder) for _, part in self.items])

    def __str__(self) -> str:
        return f"cartprod({', '.join(f'{name} = {part}' for name, part in self.items)})"


#: Sets of numbers that meet in closed form.
SCALARS = (RealSet, IntegerSet, FiniteSet)


def within(support: Set | None, region: Set | None) -> Set | None:
    """Intersection of a support with a set of the same form, as far as it is known."""
    if support is None or region is None:
        return support or region
    match support, region:
        case Power(), Power():
            inner = within(support.base, region.base)
            return None if inner is None else Power(inner, support.shape)
        case RecordProduct(), RecordProduct():
            sets = dict(region.items)
            parts = tuple((name, within(part, sets.get(name))) for name, part in support.items)
            return None if any(part is None for _, part in parts) else RecordProduct(parts)  # type: ignore[arg-type]
        case (Power() | Product(), Power() | Product()):
            pairs = zip(components(support), components(region), strict=True)
            met = tuple(within(*pair) for pair in pairs)
            return None if None in met else Product(met)  # type: ignore[arg-type]
    return intersection(support, region) if isinstance(support, SCALARS) and isinstance(region, SCALARS) else support


def components(joined: Power | Product) -> tuple[Set, ...]:
    """The sets of the entries of a vector; of vectors side by side if those are its components."""
    return joined.parts if isinstance(joined, Product) else (joined.base,) * joined.shape[0]


def integers_in(domain: Set) -> Set:
    """The points of a set whose numbers are whole."""
    match domain:
        case RealSet():
            return IntegerSet(*domain.whole())
        case Power(base, shape):
            return Power(integers_in(base), shape)
        case Product(parts):
            return Product(tuple(map(integers_in, parts)))
        case RecordProduct(items):
            return RecordProduct(tuple((name, integers_in(part)) for name, part in items))
    return domain
