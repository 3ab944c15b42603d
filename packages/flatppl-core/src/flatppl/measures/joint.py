"""``joint(M1, ...)`` and ``joint(a = M1, ...)``: several variates side by side, shared draws shared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.variadic import cat
from flatppl.measures.base import (
    FINITE,
    LOCALLY_FINITE,
    NORMALIZED,
    NULL,
    UNKNOWN,
    Measure,
    MeasureOperation,
    joint_reference,
    once,
    require_measure,
)
from flatppl.measures.draws import Draw, draw_from
from flatppl.measures.given import Given
from flatppl.measures.law import Law, draws_of
from flatppl.measures.lift import is_kernel
from flatppl.measures.sharing import absorbed_by, shared_laws
from flatppl.tensor.ops import cut, element
from flatppl.tensor.program import Node
from flatppl.tensor.substitute import substitute
from flatppl.values.callables import Native
from flatppl.values.forms import (
    Form,
    Record,
    RecordForm,
    Tensor,
    TensorForm,
    array_part,
    describe,
    flatten,
    named,
    unflatten,
)
from flatppl.values.product_sets import Power, Product, RecordProduct, components
from flatppl.values.sets import Set

__all__ = ["OPERATIONS", "Joint", "joined_form", "joined_support", "split"]


def joined_form(forms: list[Form]) -> Form:
    """Form of ``cat`` of values: scalars or vectors to a vector, records to a merged record."""
    if all(isinstance(form, RecordForm) for form in forms):
        items = tuple(item for form in forms for item in named(form))
        names = [name for name, _ in items]
        for name in names:
            if names.count(name) > 1:
                refuse("field", f"two records have the field {name!r}")
        return RecordForm(items)
    levels = {form.levels if isinstance(form, TensorForm) else None for form in forms}
    if levels not in ({()}, {(1,)}):
        found = ", ".join(describe(form) for form in forms)
        refuse("shape", f"parts must be all scalars, all vectors or all records, got {found}")
    parts = [array_part(form) for form in forms]
    size = sum(part.shape[0] if part.levels else 1 for part in parts)
    kinds = {part.kind for part in parts}
    return TensorForm("real" if "real" in kinds else kinds.pop(), (size,), (1,))


def joined_support(supports: list[Set | None], names: tuple[str, ...] | None, form: Form) -> Set | None:
    """Support of a joined value, from those of its parts."""
    if any(support is None for support in supports):
        return None
    if names is not None:
        return RecordProduct(tuple(zip(names, supports, strict=True)))  # type: ignore[arg-type]
    return Product(tuple(supports)) if isinstance(form, TensorForm) else None  # type: ignore[arg-type]


def split(value: Any, forms: list[Form]) -> list[Any]:
    """Parts of a joined value, by the rule of :func:`joined_form`."""
    if isinstance(value, Record):
        fields = value.fields
        return [Record(tuple((name, fields[name]) for name, _ in named(form))) for form in forms]
    parts, start = [], 0
    for form in forms:
        assert isinstance(form, TensorForm)
        size = form.shape[0] if form.levels else 1
        parts.append(Tensor(_slice(value.node, start, size, bool(form.levels)), form.levels))
        start += size
    return parts


def _slice(node: Node, start: int, size: int, vector: bool) -> Node:
    return cut(node, start, start + size) if vector else element(node, start)


@dataclass(frozen=True, eq=False)
class Joint(Measure):
    """Independent product; ``names`` for the keyword form, which nests each part under its name."""

    parts: tuple[Measure, ...]
    names: tuple[str, ...] | None

    @cached_property
    def reference(self) -> Any:
        """Product of the parts'."""
        return joint_reference([part.reference for part in self.parts], self.names)

    @cached_property
    def mass_class(self) -> str:
        """Product of the classes."""
        classes = {part.mass_class for part in self.parts}
        if NULL in classes:
            return NULL
        for worst in (UNKNOWN, LOCALLY_FINITE, FINITE):
            if worst in classes:
                return worst
        return NORMALIZED

    @once
    def form(self) -> Form:
        forms = [part.form() for part in self.parts]
        return joined_form(forms) if self.names is None else RecordForm(tuple(zip(self.names, forms, strict=True)))

    @once
    def support(self) -> Set | None:
        return joined_support([part.support() for part in self.parts], self.names, self.form())

    def sample_given(self, evaluator: Any, stream: Any, given: Any) -> Any:
        rest = [name for name in self.names or () if name not in given.fields]
        return evaluator.sample(self.fields(evaluator, rest), stream)

    def fields(self, evaluator: Any, names: list[str]) -> Any:
        if self.names is None:
            return super().fields(evaluator, names)
        return self._kept([name in names for name in self.names])

    def entries(self, evaluator: Any, indices: Any) -> Any:
        if any(getattr(part.form(), "levels", None) != () for part in self.parts):
            return super().entries(evaluator, indices)
        kept = self._kept([index in indices for index in range(len(self.parts))])
        return Joint(tuple(self.parts[index] for index in indices), None) if len(kept.parts) > 1 else kept

    def _kept(self, flags: list[bool]) -> Joint:
        for part, flag in zip(self.parts, flags, strict=True):
            if not flag and part.mass_class != NORMALIZED:
                refuse("density", f"dropping {part.describe()}, whose mass is {part.mass_class}, would lose that mass")
        parts = tuple(part for part, flag in zip(self.parts, flags, strict=True) if flag)
        if self.names is None:
            return Joint(parts, None)
        return Joint(parts, tuple(name for name, flag in zip(self.names, flags, strict=True) if flag))

    def _split(self, x: Any) -> list[Any]:
        if self.names is not None:
            return [x.fields[name] for name in self.names]
        return split(x, [part.form() for part in self.parts])

    def log_density(self, evaluator: Any, x: Any) -> Any:
        total: Any = None
        for part, point in zip(self.parts, self._split(x), strict=True):
            density = yield evaluator.density(part, point)
            total = density if total is None else total + density
        return total

    def sample(self, evaluator: Any, stream: Any) -> Any:
        values = []
        for part in self.parts:
            values.append((yield evaluator.sample(part, stream)))
        return cat(values) if self.names is None else Record(tuple(zip(self.names, values, strict=True)))

    def log_mass(self, evaluator: Any) -> Any:
        total: Any = 0.0
        for part in self.parts:
            total = (yield evaluator.log_mass(part)) + total
        return total

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        if self.names is not None and isinstance(region, RecordProduct):
            sets = [dict(region.items)[name] for name in self.names]
        elif isinstance(region, (Power, Product)) and len(components(region)) == len(self.parts):
            sets = list(components(region))
        else:
            refuse("mass", f"the mass of a joint measure inside {region.describe()} has no closed-form rule")
        total: Any = 0.0
        for domain, part in zip(sets, self.parts, strict=True):
            total = (yield evaluator.log_mass_within(part, domain)) + total
        return total


def _joint(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if args and keywords:
        refuse("call", "joint takes either positional or keyword components, not both")
    parts = args or tuple(keywords.values())
    names = tuple(keywords) if keywords else None
    if not parts:
        refuse("call", "joint needs at least one component")
    if any(is_kernel(part) for part in parts):
        return _fan_out(evaluator, parts, names)
    return _joined(evaluator, tuple(require_measure(part, "joint") for part in parts), names)


def _joined(evaluator: Any, parts: tuple[Measure, ...], names: tuple[str, ...] | None) -> Any:
    joint = Joint(parts, names)
    joint.form()
    if len(parts) == 1:
        return joint
    absorbed: set[Draw] = set()
    seen: set[Draw] = set()
    shared = False
    for part in parts:
        draws = yield draws_of(evaluator, part)
        inner = yield absorbed_by(evaluator, part)
        if isinstance(part, Given) and not (seen.isdisjoint(inner) and absorbed.isdisjoint(inner)):
            refuse("density", "joint: a kernel applied to a draw shares other draws with a component before it")
        shared = shared or not (seen.isdisjoint(inner) and absorbed.isdisjoint(draws))
        seen.update(draws, inner)
        absorbed.update(inner)
    return (yield _entangled(evaluator, parts, names)) if shared else joint


def _entangled(evaluator: Any, parts: tuple[Measure, ...], names: tuple[str, ...] | None) -> Any:
    """The law of the components' values, whose shared draws stay one."""
    evaluator.laws += 1
    values = []
    for part in parts:
        values.append((yield _realised(evaluator, part)))
    return Law(_together(values, names))


def _together(values: list[Any], names: tuple[str, ...] | None) -> Any:
    return cat(values) if names is None else Record(tuple(zip(names, values, strict=True)))


def _realised(evaluator: Any, measure: Measure) -> Any:
    """Task: a value whose law the measure is; draws inside it are those that the measure's laws were made from."""
    match measure:
        case Law(value, None, None):
            return value
        case Law(value, Measure() as source, own) if own is not None and len(own) == 1:
            (draw,) = own
            form, nodes = flatten(value)
            points = flatten((yield _realised(evaluator, source)))[1]
            return unflatten(
                form, iter(substitute(evaluator.builder, nodes, dict(zip(draw.nodes, points, strict=True))))
            )
        case Joint(parts, names):
            values = []
            for part in parts:
                values.append((yield _realised(evaluator, part)))
            return _together(values, names)
    if not isinstance(measure, Given) and (yield absorbed_by(evaluator, measure)):
        refuse(
            "density",
            f"joint: a {measure.describe()} holds a law whose draws another component shares; apply the operation to the "
            "joint law, or to the draws",
        )
    return draw_from(evaluator, measure)


def _fan_out(evaluator: Any, parts: tuple[Any, ...], names: tuple[str, ...] | None) -> Native:
    """The joint of kernels: inputs are the union by name; every kernel sees the same values."""
    needs = [evaluator.inputs_of(part) if is_kernel(part) else () for part in parts]
    inputs = tuple(dict.fromkeys(name for need in needs for name in need))

    def rule(*values: Any) -> Any:
        given = dict(zip(inputs, values, strict=True))
        laws = yield shared_laws(evaluator, parts, given)
        measures = []
        for part, need in zip(parts, needs, strict=True):
            measure = laws.get(part, part)
            if is_kernel(measure):
                measure = yield evaluator.apply(part, [], {n: given[n] for n in need})
            measures.append(require_measure(measure, "joint"))
        return (yield _joined(evaluator, tuple(measures), names))

    return Native("joint of kernels", inputs, rule)


OPERATIONS = (MeasureOperation("joint", _joint),)
