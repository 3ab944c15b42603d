"""``jointchain(M, K1, ...)``: each kernel is fed with what was drawn before it; all variates are kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.variadic import cat
from flatppl.marginal.latents import static_set
from flatppl.measures.base import NORMALIZED, UNKNOWN, Measure, MeasureOperation, joint_reference, once, require_measure
from flatppl.measures.draws import draw_from, own_draws
from flatppl.measures.joint import joined_form, joined_support, split
from flatppl.measures.law import Law
from flatppl.measures.lift import is_kernel, lifted
from flatppl.tensor.ops import concat, element, reshape, stack
from flatppl.values.forms import Form, Record, RecordForm, Tensor, describe, fill, flatten
from flatppl.values.sets import Set

__all__ = ["OPERATIONS", "JointChain"]


@dataclass(frozen=True, eq=False)
class JointChain(Measure):
    """A measure and kernels, each kernel applied to all earlier variates.

    Attributes
    ----------
    first : Measure
    kernels : tuple
    names : tuple of str or None
        Step names of the keyword form.
    steps : tuple of Measure
        The measure of each step at symbolic earlier variates: forms and mass classes.
    """

    first: Measure
    kernels: tuple[Any, ...]
    names: tuple[str, ...] | None
    steps: tuple[Measure, ...]

    @cached_property
    def reference(self) -> Any:
        """Product of the steps'."""
        return joint_reference([step.reference for step in self.steps], self.names)

    @cached_property
    def mass_class(self) -> str:
        """That of the first measure, if every kernel is normalized."""
        kernels = all(step.mass_class == NORMALIZED for step in self.steps[1:])
        return self.first.mass_class if kernels else UNKNOWN

    @once
    def form(self) -> Form:
        forms = [step.form() for step in self.steps]
        return RecordForm(tuple(zip(self.names, forms, strict=True))) if self.names else joined_form(forms)

    @once
    def support(self) -> Set | None:
        supports = [step.support() for step in self.steps]
        return joined_support([*supports[:1], *map(static_set, supports[1:])], self.names, self.form())

    def log_density(self, evaluator: Any, x: Any) -> Any:
        forms = [step.form() for step in self.steps]
        points = [x.fields[name] for name in self.names] if self.names else split(x, forms)
        total = yield evaluator.density(self.first, points[0])
        for index, kernel in enumerate(self.kernels, start=1):
            measure = yield _feed(evaluator, kernel, points[:index], self.names)
            total = total + (yield evaluator.density(measure, points[index]))
        return total

    def sample(self, evaluator: Any, stream: Any) -> Any:
        values = [(yield evaluator.sample(self.first, stream))]
        for kernel in self.kernels:
            measure = yield _feed(evaluator, kernel, values, self.names)
            values.append((yield evaluator.sample(measure, stream)))
        return Record(tuple(zip(self.names, values, strict=True))) if self.names else cat(values)

    def fields(self, evaluator: Any, names: list[str]) -> Any:
        """By the law of the steps as draws: later steps drop out, earlier ones are integrated out."""
        values = yield self._drawn(evaluator)
        whole = Record(tuple(zip(self.names, values, strict=True))) if self.names else cat(values)
        kept = tuple((name, part) for name, part in getattr(whole, "items", ()) if name in names)
        return Law(Record(kept), own=own_draws(*values))

    def entries(self, evaluator: Any, indices: Any) -> Any:
        """The same of a vector."""
        values = yield self._drawn(evaluator)
        (whole,) = flatten(cat(values))[1]
        return Law(Tensor(stack(*(element(whole, index) for index in indices)), (1,)), own=own_draws(*values))

    def _drawn(self, evaluator: Any) -> Any:
        """Task: the steps as draws."""
        values = [draw_from(evaluator, self.first)]
        for kernel in self.kernels:
            measure = yield _feed(evaluator, kernel, values, self.names)
            values.append(draw_from(evaluator, measure))
        return values

    def log_mass(self, evaluator: Any) -> Any:
        if any(step.mass_class != NORMALIZED for step in self.steps[1:]):
            refuse("mass", "the total mass of a jointchain with kernels that are not normalized has no rule")
        return evaluator.log_mass(self.first)


def _feed(evaluator: Any, kernel: Any, earlier: list[Any], names: tuple[str, ...] | None) -> Any:
    """Task: the kernel's measure after the earlier variates."""
    past = Record(tuple(zip(names, earlier, strict=False))) if names else _past(earlier)
    inputs = evaluator.inputs_of(kernel)
    if isinstance(past, Record):
        fields = past.fields
        missing = [name for name in inputs if name not in fields]
        if not missing:
            return evaluator.apply(kernel, [], {name: fields[name] for name in inputs})
        if len(inputs) > 1:
            refuse("call", f"no earlier step draws {missing[0]!r}; the fields so far are {', '.join(fields)}")
        if len(fields) == 1 and names:
            return evaluator.apply(kernel, [], {inputs[0]: earlier[0]})
        return evaluator.apply(kernel, [], {inputs[0]: past})
    if len(inputs) != 1:
        refuse(
            "call",
            f"a kernel of {len(inputs)} inputs needs named variates; name the steps: jointchain(a = ..., b = ...)",
        )
    return evaluator.apply(kernel, [], {inputs[0]: past})


def _past(earlier: list[Any]) -> Any:
    if len(earlier) == 1:
        return earlier[0]
    if all(isinstance(part, Record) for part in earlier):
        return Record(tuple(item for part in earlier for item in part.items))
    nodes = [part.node if part.levels else reshape(part.node, (1,)) for part in earlier]
    return Tensor(concat(nodes), (1,))


def _jointchain(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if args and keywords:
        refuse("call", "jointchain takes either positional or keyword steps, not both")
    steps = args or tuple(keywords.values())
    names = tuple(keywords) if keywords else None
    if len(steps) < 2:
        refuse("call", "jointchain needs a measure and at least one kernel")
    for step in steps[1:]:
        if not is_kernel(step):
            refuse("kind", f"jointchain: steps after the first must be kernels, got {describe(step)}")
    return lifted(evaluator, "jointchain", steps[0], lambda first: _chain(evaluator, first, steps[1:], names))


def _chain(evaluator: Any, first: Any, kernels: tuple[Any, ...], names: tuple[str, ...] | None) -> Any:
    measures = [require_measure(first, "jointchain")]
    points = [fill(measures[0].form(), evaluator.builder.variable)]
    for kernel in kernels:
        step = require_measure((yield _feed(evaluator, kernel, points, names)), "jointchain")
        measures.append(step)
        points.append(fill(step.form(), evaluator.builder.variable))
    chain = JointChain(measures[0], kernels, names, tuple(measures))
    chain.form()
    return chain


OPERATIONS = (MeasureOperation("jointchain", _jointchain),)
