"""Conditionals and restrictions: ``disintegrate(selector, M)``, ``restrict(M, x)``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.measures.base import NORMALIZED, UNKNOWN, Measure, MeasureOperation, once, require_measure, same_form
from flatppl.values.callables import Native
from flatppl.values.forms import Form, Record, RecordForm, Text, Texts, Tuple, describe, fill, flatten, form_of, named

__all__ = ["OPERATIONS", "Conditional", "Restricted"]


@dataclass(frozen=True, eq=False)
class Restricted(Measure):
    """A measure with some fields held at given values: the joint density, unnormalized, over the others."""

    joint: Measure
    given: Record

    @cached_property
    def mass_class(self) -> str:
        """Not known."""
        return UNKNOWN

    @cached_property
    def reference(self) -> Any:
        """That of the joint measure."""
        return self.joint.reference

    @once
    def form(self) -> Form:
        kept = tuple(item for item in named(self.joint.form()) if item[0] not in self.given.fields)
        return RecordForm(kept)

    def log_density(self, evaluator: Any, x: Any) -> Any:
        return evaluator.density(self.joint, _completed(self.joint.form(), x, self.given))

    def sample(self, evaluator: Any, stream: Any) -> Any:
        """The free fields given the others; the others must not depend on them."""
        return self.joint.sample_given(evaluator, stream, self.given)

    def log_mass(self, evaluator: Any) -> Any:
        """The marginal density of the given fields."""
        marginal = yield self.joint.fields(evaluator, list(self.given.fields))
        return (yield evaluator.density(marginal, _completed(marginal.form(), self.given, Record(()))))


@dataclass(frozen=True, eq=False)
class Conditional(Measure):
    """The law of the selected fields, given the others: joint over marginal density."""

    joint: Measure
    marginal: Measure
    given: Record
    bare: str | None

    @cached_property
    def mass_class(self) -> str:
        """Normalized if the joint measure is."""
        return NORMALIZED if self.joint.mass_class == NORMALIZED else UNKNOWN

    @cached_property
    def reference(self) -> Any:
        """That of the joint measure."""
        return self.joint.reference

    @once
    def form(self) -> Form:
        fields = [item for item in named(self.joint.form()) if item[0] not in self.given.fields]
        return fields[0][1] if self.bare is not None else RecordForm(tuple(fields))

    def log_density(self, evaluator: Any, x: Any) -> Any:
        selected = Record(((self.bare, x),)) if self.bare is not None else x
        whole = yield evaluator.density(self.joint, _completed(self.joint.form(), selected, self.given))
        part = yield evaluator.density(self.marginal, _completed(self.marginal.form(), self.given, Record(())))
        return whole - part


def _completed(form: Form, x: Record, given: Record) -> Record:
    fields = {**x.fields, **given.fields}
    return Record(tuple((name, fields[name]) for name, _ in named(form)))


def _record_measure(value: Any, operation: str) -> Measure:
    measure = require_measure(value, operation)
    if not isinstance(measure.form(), RecordForm):
        refuse("density", f"{operation} needs a measure over records, got one over a {describe(measure.form())}")
    return measure


def _disintegrate(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 2:
        refuse("call", "disintegrate(selector, M) takes two positional inputs")
    selector, measure = args[0], _record_measure(args[1], "disintegrate")
    if not isinstance(selector, (Text, Texts)):
        refuse("kind", f"disintegrate: the selector is a field name or a list of them, got {describe(selector)}")
    names = [name for name, _ in named(measure.form())]
    selected = [selector.text] if isinstance(selector, Text) else list(selector.texts)
    for name in selected:
        if name not in names:
            refuse("field", f"disintegrate: {describe(measure.form())} has no field {name!r}")
    rest = [name for name in names if name not in selected]
    if not rest or not selected:
        refuse("density", "disintegrate: both the selected fields and the others must be non-empty")
    marginal = yield measure.fields(evaluator, rest)
    yield _scorable(evaluator, marginal)
    bare = selected[0] if isinstance(selector, Text) else None

    def rule(*values: Any) -> Any:
        return Conditional(measure, marginal, Record(tuple(zip(rest, values, strict=True))), bare)

    return Tuple((Native("conditional kernel", tuple(rest), rule), marginal))


def _scorable(evaluator: Any, measure: Measure) -> Any:
    """Task: refuse here, not at a later query, if the marginal has no density."""
    return evaluator.density(measure, fill(measure.form(), evaluator.builder.variable))


def _restrict(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if len(args) not in (1, 2) or (len(args) == 2) == bool(keywords):
        refuse("call", "restrict(M, x) or restrict(M, a = ..., b = ...) takes a measure and the fixed fields")
    measure = _record_measure(args[0], "restrict")
    given = args[1] if len(args) == 2 else Record(tuple(keywords.items()))
    if not isinstance(given, Record):
        refuse("kind", f"restrict: the fixed fields are a record, got {describe(given)}")
    forms = dict(named(measure.form()))
    for name, value in given.items:
        if name not in forms:
            refuse("field", f"restrict: {describe(measure.form())} has no field {name!r}")
        flatten(value)
        if not same_form(forms[name], form_of(value)):
            refuse("point", f"restrict: {name} is a {describe(forms[name])}, got a {describe(value)}")
    if len(given.items) == len(forms):
        refuse("density", "restrict: at least one field must stay free")
    return Restricted(measure, given)


OPERATIONS = (MeasureOperation("disintegrate", _disintegrate), MeasureOperation("restrict", _restrict))
