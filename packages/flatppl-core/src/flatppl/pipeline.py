"""From a resolved module to a finished tensor program: the query interface (``inputs``, ``outputs``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flatppl import base
from flatppl.backend import Executable, Signature
from flatppl.elaborate import Evaluator
from flatppl.errors import refuse
from flatppl.frames import Frame, Unit
from flatppl.graph.nodes import Binding, Builtin, Call, Expr, Ref
from flatppl.integration import Integration
from flatppl.leaves import forms, leaf_value
from flatppl.measures.base import Likelihood, Measure
from flatppl.registry import Registry
from flatppl.spans import Span
from flatppl.tensor.checks import take_checks
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, ancestors, close
from flatppl.values.forms import Form, describe, fill, flatten, form_of
from flatppl.values.sets import Set

__all__ = ["Elaboration", "elaborate"]


class Elaboration:
    """One elaboration of a module: an evaluator and the module's root frame.

    Parameters
    ----------
    unit : Unit
    registry : Registry
    load : callable
        ``load(location, unit) -> Unit`` for ``load_module``.
    constants : mapping of str to callable
        ``constants[name](builder)`` gives the value of a fixed ``external``.
    integration : Integration, optional
        Allows quadrature.
    """

    def __init__(
        self,
        unit: Unit,
        registry: Registry,
        load: Any,
        constants: Mapping[str, Any],
        integration: Integration | None = None,
    ) -> None:
        builder = Builder({**CORE, **registry.primitives})
        self.evaluator = Evaluator(builder, base.values(builder, registry), forms(), registry, load)
        self.evaluator.integration = integration
        self.builder = builder
        self.unit = unit
        self.frame = Frame(unit, builder.root)
        self.frame.cut.update({name: make(builder) for name, make in constants.items()})

    def value(self, expr: Expr) -> Any:
        """Value of an expression of the module."""
        return self.evaluator.run(self.evaluator.evaluate(expr, self.frame))

    def binding(self, name: str) -> Any:
        """Value of a binding."""
        return self.evaluator.run(self.evaluator.binding(name, self.frame))


def elaborate(elaboration: Elaboration) -> Executable:
    """The program of the module's query."""
    bindings = elaboration.unit.graph.bindings
    if "outputs" not in bindings:
        place = bindings["inputs"].span if "inputs" in bindings else Span(elaboration.unit.graph.source, 0, 0)
        refuse("signature", "the module has no outputs; bind outputs = ... to the values that the query returns", place)
    inputs = _inputs(elaboration, bindings)
    entries, multiple = _entries(bindings["outputs"].expr)
    outputs, results = [], []
    for entry in entries:
        form, nodes = _output(elaboration, entry, bindings["outputs"])
        outputs.append((entry.name if isinstance(entry, Ref) else None, form))
        results.extend(nodes)
    _refuse_free(results, entries)
    params = [node for _, value in inputs for node in flatten(value)[1]]
    stripped, flags = take_checks(elaboration.builder, results)
    parts = [part for flag in flags for part in (flag.ok, flag.silent)]
    program = close(params, [*stripped, *parts], elaboration.builder.root)
    signature = Signature(tuple((name, form_of(value)) for name, value in inputs), tuple(outputs), multiple)
    return Executable(program, signature, tuple((flag.message, flag.category) for flag in flags))


def _entries(expr: Expr) -> tuple[tuple[Expr, ...], bool]:
    """Entries of a signature binding: those of a written tuple, otherwise the one expression."""
    if isinstance(expr, Call) and isinstance(expr.head, Builtin) and expr.head.name == "tuple":
        return expr.args, True
    return (expr,), False


def _inputs(elaboration: Elaboration, bindings: Mapping[str, Binding]) -> list[tuple[str, Any]]:
    if "inputs" not in bindings:
        return []
    names: list[str] = []
    for entry in _entries(bindings["inputs"].expr)[0]:
        if not isinstance(entry, Ref):
            refuse("signature", "inputs must be references to bindings of this module", entry.span)
        if entry.name in names:
            refuse("signature", f"input {entry.name!r} is listed twice", entry.span)
        names.append(entry.name)
    names = [name for name in names if name not in elaboration.frame.cut]
    # An input whose set mentions other inputs comes after them.
    reach = elaboration.unit.dependencies.reach
    for name in sorted(names, key=lambda name: len(reach(bindings[name].expr) & set(names))):
        elaboration.frame.cut[name] = _input(elaboration, bindings[name])
    return [(name, elaboration.frame.cut[name]) for name in names]


def _input(elaboration: Elaboration, binding: Binding) -> Any:
    expr, name = binding.expr, binding.name
    head = expr.head.name if isinstance(expr, Call) and isinstance(expr.head, Builtin) else ""
    if isinstance(expr, Call) and head in ("elementof", "external", "load_data"):
        region = elaboration.value(expr.args[-1] if expr.args else dict(expr.keywords)["valueset"])
        if not isinstance(region, Set):
            refuse("kind", f"{name}: {head} needs a set, got {describe(region)}", expr.span)
        return leaf_value(elaboration.builder, name, region, declared=head)
    phase = elaboration.unit.dependencies.phase(name)
    if phase != "fixed":
        kind = "computed from elementof leaves; list the leaves" if phase == "parameterized" else "random"
        refuse("signature", f"input {name!r} is {kind}", binding.span)
    value = elaboration.binding(name)
    try:
        form = form_of(value)
    except TypeError:
        refuse("signature", f"input {name!r} is a {describe(value)}, which no argument can replace", binding.span)
    return fill(form, lambda aval: elaboration.builder.variable(aval, leaf=name))


def _output(elaboration: Elaboration, entry: Expr, outputs: Binding) -> tuple[Form, list[Node]]:
    value = elaboration.value(entry)
    try:
        form, nodes = flatten(value)
    except TypeError:
        hint = {Measure: "; score it with logdensityof(M, x)", Likelihood: "; score it with logdensityof(L, theta)"}
        advice = next((text for kind, text in hint.items() if isinstance(value, kind)), "")
        refuse("output", f"an output must be a value, not a {describe(value)}{advice}", outputs.span)
    if not nodes:
        refuse("output", f"an output must hold numbers; a {describe(value)} has no tensor form", outputs.span)
    return form, nodes


def _refuse_free(results: list[Node], entries: tuple[Expr, ...]) -> None:
    for node in ancestors(results):
        if node.primitive.name == "random":
            law = node.params["draw"].measure.describe()
            refuse(
                "output",
                f"an output depends on a draw from {law}; score it with logdensityof(lawof(...), x)",
                _whole(entries),
            )
        free = node.params.get("free") if node.primitive.name == "variable" else None
        if free is not None:
            name = node.params["leaf"]
            way = (
                "list it in inputs"
                if free == "elementof"
                else f"list it in inputs or fix it with Module.set({name} = ...)"
            )
            refuse("signature", f"{name!r} is reached by an output but has no value; {way}", node.params["span"])


def _whole(entries: tuple[Expr, ...]) -> Span:
    first, last = entries[0].span, entries[-1].span
    return Span(first.source, first.start, last.end)
