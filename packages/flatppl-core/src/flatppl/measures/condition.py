"""Conditionals and restrictions: ``disintegrate(selector, M)``, ``restrict(M, x)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.calls import value_form
from flatppl.errors import refuse
from flatppl.measures.base import NORMALIZED, UNKNOWN, Measure, MeasureOperation, once, require_measure, same_form
from flatppl.measures.joint import Joint
from flatppl.measures.lift import lifted
from flatppl.tensor.ops import element, stack
from flatppl.values.callables import Native, fixed_integers
from flatppl.values.forms import (
    Form,
    Record,
    RecordForm,
    Tensor,
    TensorForm,
    Text,
    Texts,
    Tuple,
    describe,
    fill,
    named,
)

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
        marginal = yield _marginal(evaluator, self.joint, list(self.given.fields))
        return (yield evaluator.density(marginal, _completed(marginal.form(), self.given, Record(()))))


@dataclass(frozen=True, eq=False)
class Conditional(Measure):
    """The law of the selected part of a variate, given the rest: joint over marginal density.

    Attributes
    ----------
    joint, marginal : Measure
    given : Value
        A point of the marginal.
    variate : Form
        Of the selected part.
    completed : callable
        ``completed(x)``: the point of the joint measure whose selected part is x.
    """

    joint: Measure
    marginal: Measure
    given: Any
    variate: Form
    completed: Callable[[Any], Any]

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
        return self.variate

    def log_density(self, evaluator: Any, x: Any) -> Any:
        whole = yield evaluator.density(self.joint, self.completed(x))
        part = yield evaluator.density(self.marginal, self.given)
        return whole - part


def _completed(form: Form, x: Record, given: Record) -> Record:
    fields = {**x.fields, **given.fields}
    return Record(tuple((name, fields[name]) for name, _ in named(form)))


def _marginal(evaluator: Any, measure: Measure, names: list[str]) -> Any:
    """Task: the law of some fields; records side by side each keep theirs."""
    if not isinstance(measure, Joint) or measure.names is not None:
        return (yield measure.fields(evaluator, names))
    parts = []
    for part in measure.parts:
        kept = [name for name, _ in named(part.form()) if name in names]
        if kept:
            parts.append((yield _marginal(evaluator, part, kept)))
        elif part.mass_class != NORMALIZED:
            refuse("density", f"dropping {part.describe()}, whose mass is {part.mass_class}, would lose that mass")
    return Joint(tuple(parts), None)


def _disintegrate(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 2:
        refuse("call", "disintegrate(selector, M) takes two positional inputs")
    selector, measure = args[0], require_measure(args[1], "disintegrate")
    form = measure.form()
    match selector, form:
        case (Text() | Texts(), RecordForm()):
            return (yield _by_name(evaluator, selector, measure))
        case Tensor(kind="integer", levels=() | (1,)), TensorForm(levels=(1,)):
            return (yield _by_position(evaluator, selector, measure, form))
    refuse(
        "kind",
        "disintegrate selects fields of a record by names, or entries of a vector by fixed positions; got a "
        f"{describe(selector)} for a measure over a {describe(form)}",
    )


def _by_name(evaluator: Any, selector: Text | Texts, measure: Measure) -> Any:
    fields = dict(named(measure.form()))
    selected = [selector.text] if isinstance(selector, Text) else list(selector.texts)
    for name in selected:
        if name not in fields:
            refuse("field", f"disintegrate: {describe(measure.form())} has no field {name!r}")
    rest = [name for name in fields if name not in selected]
    _check_sides(selected, rest)
    marginal = yield _marginal(evaluator, measure, rest)
    yield _scorable(evaluator, marginal)
    bare = isinstance(selector, Text)
    kept = tuple((name, part) for name, part in fields.items() if name in selected)
    variate = kept[0][1] if bare else RecordForm(kept)

    def rule(*values: Any) -> Any:
        given = Record(tuple(zip(rest, values, strict=True)))

        def completed(x: Any) -> Record:
            return _completed(measure.form(), Record(((selected[0], x),)) if bare else x, given)

        return Conditional(measure, marginal, _completed(marginal.form(), given, Record(())), variate, completed)

    return Tuple((Native("conditional kernel", tuple(rest), rule), marginal))


def _by_position(evaluator: Any, selector: Tensor, measure: Measure, form: TensorForm) -> Any:
    (size,) = form.shape
    selected = [position - 1 for position in fixed_integers(selector, "disintegrate: the selector")]
    for index in selected:
        if not 0 <= index < size or selected.count(index) > 1:
            refuse(
                "index", f"disintegrate: position {index + 1} is not there, or is selected twice; a {describe(form)}"
            )
    rest = [index for index in range(size) if index not in selected]
    _check_sides(selected, rest)
    marginal = yield measure.entries(evaluator, rest)
    yield _scorable(evaluator, marginal)
    variate = TensorForm(form.kind, selector.shape, selector.levels)

    def rule(given: Any) -> Any:
        if not same_form(marginal.form(), value_form(given, "the other entries")):
            refuse("point", f"the other entries are a {describe(marginal.form())}, got a {describe(given)}")

        def completed(x: Tensor) -> Tensor:
            places = {index: element(given.node, place) for place, index in enumerate(rest)}
            places |= {index: element(x.node, place) if x.levels else x.node for place, index in enumerate(selected)}
            return Tensor(stack(*(places[index] for index in range(size))), (1,))

        return Conditional(measure, marginal, given, variate, completed)

    return Tuple((Native("conditional kernel", ("given",), rule), marginal))


def _check_sides(selected: Sequence[Any], rest: Sequence[Any]) -> None:
    if not rest or not selected:
        refuse("density", "disintegrate: both the selected part and the rest must be non-empty")


def _scorable(evaluator: Any, measure: Measure) -> Any:
    """Task: refuse here, not at a later query, if the marginal has no density."""
    return evaluator.density(measure, fill(measure.form(), evaluator.builder.variable))


def _restrict(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if len(args) not in (1, 2) or (len(args) == 2) == bool(keywords):
        refuse("call", "restrict(M, x) or restrict(M, a = ..., b = ...) takes a measure and the fixed fields")
    given = args[1] if len(args) == 2 else Record(tuple(keywords.items()))
    if not isinstance(given, Record):
        refuse("kind", f"restrict: the fixed fields are a record, got {describe(given)}")
    return lifted(evaluator, "restrict", args[0], lambda target: _restricted(target, given))


def _restricted(target: Any, given: Record) -> Restricted:
    measure = require_measure(target, "restrict")
    if not isinstance(measure.form(), RecordForm):
        refuse("density", f"restrict needs a measure over records, got one over a {describe(measure.form())}")
    forms = dict(named(measure.form()))
    for name, value in given.items:
        if name not in forms:
            refuse("field", f"restrict: {describe(measure.form())} has no field {name!r}")
        if not same_form(forms[name], value_form(value, f"restrict: {name}")):
            refuse("point", f"restrict: {name} is a {describe(forms[name])}, got a {describe(value)}")
    if len(given.items) == len(forms):
        refuse("density", "restrict: at least one field must stay free")
    return Restricted(measure, given)


OPERATIONS = (MeasureOperation("disintegrate", _disintegrate), MeasureOperation("restrict", _restrict))
