"""Special forms that need their node: leaves, draws, modules."""

from __future__ import annotations

from typing import Any

from flatppl.errors import nearest, refuse
from flatppl.frames import Frame
from flatppl.graph.nodes import Call, Literal
from flatppl.measures.base import require_measure
from flatppl.measures.draws import draw_from, leaf_supports
from flatppl.modules import LoadedModule, StandardModuleValue
from flatppl.registry import quarantine_note
from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Node
from flatppl.values.array_sets import Simplex
from flatppl.values.forms import describe, fill
from flatppl.values.sets import Set

__all__ = ["forms", "leaf_value"]


def leaf_value(builder: Any, name: str, region: Set, **params: Any) -> Any:
    """A value of fresh variables that stand for a member of a set."""
    count = iter(range(1 << 30))
    domains = leaf_supports(region.form(), region)

    def leaf(aval: Aval) -> Node:
        simplex = isinstance(next(domains), Simplex)
        return builder.variable(aval, leaf=name, index=next(count), interval=region.interval, simplex=simplex, **params)

    return fill(region.form(), leaf)


def _declared(kind: str) -> Any:
    """``elementof(S)`` and ``external(S)`` that no signature lists: free leaves, an error only where outputs reach them."""

    def form(evaluator: Any, node: Call, frame: Frame) -> Any:
        if len(node.args) != 1 or node.keywords:
            refuse("form", f"{kind}(S) takes one set")
        region = yield evaluator.evaluate(node.args[0], frame)
        if not isinstance(region, Set):
            refuse("kind", f"{kind} needs a set such as reals or interval(0.0, 1.0), got {describe(region)}")
        name = frame.unit.name_of(node)
        span = frame.unit.graph.bindings[name].span if name in frame.unit.graph.bindings else node.span
        return leaf_value(evaluator.builder, name, region, declared=kind, free=kind, span=span)

    return form


def _draw(evaluator: Any, node: Call, frame: Frame) -> Any:
    if len(node.args) != 1 or node.keywords:
        refuse("form", "draw(M) takes one measure")
    measure = yield evaluator.evaluate(node.args[0], frame)
    return draw_from(evaluator, require_measure(measure, "draw"), frame.region)


def _standard_module(evaluator: Any, node: Call, frame: Frame) -> Any:
    name, compat = (_text(arg, "standard_module") for arg in node.args)
    modules = evaluator.registry.modules
    if name not in modules or name == "base":
        known = [other for other in modules if other != "base"]
        listing = ", ".join(sorted(known)) or "none"
        hint = nearest(name, known) + quarantine_note(evaluator.registry)
        refuse("module", f"no installed plugin offers the standard module {name!r}, only: {listing}{hint}")
    module = modules[name]
    if not compatible(module.version, compat):
        refuse("module", f"standard module {name!r} is version {module.version}, which {compat!r} does not admit")
    return StandardModuleValue(name, module.members)


def _text(node: Any, form: str) -> str:
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        refuse("form", f"{form} takes string literals", node.span)
    return node.value


def compatible(version: str, compat: str) -> bool:
    """Whether a version satisfies a comma-separated list of caret-style lower bounds.

    Examples
    --------
    >>> compatible("0.1", "0.1, 1"), compatible("0.2", "0.1"), compatible("1.4", "1.2")
    (True, False, True)
    """
    have = _numbers(version)
    for part in compat.split(","):
        low = _numbers(part)
        leading = 1 if low[0] else 2
        if have[:leading] == low[:leading] and have >= low:
            return True
    return False


def _numbers(version: str) -> tuple[int, int, int]:
    parts = version.strip().split(".")
    if not 1 <= len(parts) <= 3 or not all(part.isdigit() for part in parts):
        refuse("module", f"{version.strip()!r} is no version; write MAJOR[.MINOR[.PATCH]]")
    numbers = [int(part) for part in parts] + [0, 0]
    return numbers[0], numbers[1], numbers[2]


def _load_module(evaluator: Any, node: Call, frame: Frame) -> Any:
    values = {}
    for name, arg in node.keywords:
        values[name] = yield evaluator.evaluate(arg, frame)
    if frame.parent is not None:
        original = yield evaluator.evaluate(node, frame.parent)
        inner = original.frame
        return LoadedModule(Frame(inner.unit, evaluator.region, inner, cut=values))
    unit = evaluator.load(_text(node.args[0], "load_module"), frame.unit)
    for name in values:
        _check_substitution(unit, name)
    return LoadedModule(Frame(unit, evaluator.builder.root, cut=values))


def _check_substitution(unit: Any, name: str) -> None:
    binding = unit.graph.bindings.get(name)
    head = getattr(getattr(binding, "expr", None), "head", None)
    kind = getattr(head, "name", None)
    if kind not in ("elementof", "external"):
        inputs = [
            n
            for n, b in unit.graph.bindings.items()
            if getattr(getattr(b.expr, "head", None), "name", "") in ("elementof", "external")
        ]
        refuse(
            "module",
            f"{unit.graph.source.name} has no input {name!r}{nearest(name, inputs)}; its inputs: {', '.join(inputs) or 'none'}",
        )


def forms() -> dict[str, Any]:
    """Special forms by name."""
    return {
        "elementof": _declared("elementof"),
        "external": _declared("external"),
        "draw": _draw,
        "standard_module": _standard_module,
        "load_module": _load_module,
    }
