"""``functionof``, ``kernelof``, ``fn``, lambdas and definitions to :class:`Reify` (language.md 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from flatppl.graph.context import Context, Rule, Steps, refuse, strip
from flatppl.graph.names import check_distinct, check_parameters
from flatppl.graph.nodes import Input, Local, Ref, Reify
from flatppl.graph.scopes import Frame
from flatppl.syntax import tree

__all__ = ["REIFICATION_RULES", "resolve_definition", "resolve_lambda"]


def resolve_lambda(context: Context, node: tree.Lambda, frame: Frame) -> Steps:
    """``(x, y) -> body``."""
    return _parametric(context, node, node.parameters, node.body, frame)


def resolve_definition(context: Context, node: tree.Definition, frame: Frame) -> Steps:
    """``name(x, y) = body``."""
    return _parametric(context, node, node.parameters, node.body, frame)


def _parametric(
    context: Context, node: tree.Tree, parameters: tuple[tree.Identifier, ...], body: tree.Tree, frame: Frame
) -> Steps:
    check_parameters(parameters)
    inner = strip(body)
    if type(inner) is tree.Lambda:
        message = "a function cannot return a lambda; take all parameters at once, (x, y) -> ..., or use fchain"
        raise refuse("scope", message, inner)
    names = frozenset(parameter.text for parameter in parameters)
    shown = ", ".join(parameter.text for parameter in parameters)
    value = yield body, frame.enter(f"the callable of ({shown})", names)
    inputs = (Input(item.text, Local(context.span(item), item.text)) for item in parameters)
    return Reify(context.span(node), "functionof", value, tuple(inputs))


def _fn(context: Context, node: tree.Call, frame: Frame) -> Steps:
    """``fn(body)`` with holes."""
    if len(node.args) != 1 or node.keywords or node.dotted:
        raise refuse("form", "'fn' takes one expression with holes: fn(_ + 1)", node)
    holes: list[Local] = []
    value = yield node.args[0], frame.enter("this fn(...)", holes=holes)
    if not holes:
        raise refuse("form", "'fn' needs at least one hole '_': fn(_ + 1)", node)
    return Reify(context.span(node), "functionof", value, tuple(Input(hole.name, hole) for hole in holes))


def _reify(context: Context, node: tree.Call, frame: Frame) -> Steps:
    """``functionof(body, name = node, ...)`` and ``kernelof(...)``."""
    kind = node.head.text if isinstance(node.head, tree.Name) else cast("tree.Field", node.head).name.text
    if len(node.args) != 1 or node.dotted:
        message = f"{kind!r} takes one expression, then the inputs by name: {kind}(x, name = node, ...)"
        raise refuse("form", message, node)
    check_distinct((keyword.name for keyword in node.keywords), "form", "input")
    placeholders = frozenset(
        keyword.value.text for keyword in node.keywords if isinstance(keyword.value, tree.Placeholder)
    )
    inner = frame.enter(f"this {kind}(...)", placeholders=placeholders)
    value = yield node.args[0], inner
    inputs = [_boundary(context, kind, keyword, inner) for keyword in node.keywords]
    _check_targets(kind, node.keywords, inputs)
    return Reify(context.span(node), kind, value, tuple(inputs) or None)


def _boundary(context: Context, kind: str, keyword: tree.Keyword, frame: Frame) -> Input:
    """An input of a reification: the node that ``name = node`` replaces."""
    value, name = keyword.value, keyword.name.text
    if name[0] == "_" and name[-1] == "_":
        raise refuse("reserved", f"{name!r} cannot name an input; write {name.strip('_') or 'x'} = ...", keyword.name)
    if isinstance(value, tree.Placeholder):
        return Input(name, Local(context.span(value), value.text))
    target = _reference(context, value, frame)
    if target is None:
        message = (
            f"an input of {kind!r} replaces a binding of this module or a placeholder; bind this expression to a name "
            f"first, {name} = ..."
        )
        raise refuse("form", message, value)
    if type(strip(context.values.get(target.name) or value)) is tree.Literal:
        message = f"{target.name!r} is fixed and cannot become an input; declare it as elementof(...) or external(...)"
        raise refuse("form", message, value)
    return Input(name, target)


def _reference(context: Context, value: tree.Tree, frame: Frame) -> Ref | None:
    if isinstance(value, tree.Field):
        member = context.alias(value.container, frame)
        if member is not None:
            message = f"a value of another module cannot become an input; give {member!r} the value when it is loaded"
            raise refuse("module", message, value)
        found = context.qualified(value, frame)
    else:
        found = context.name(value, frame) if isinstance(value, tree.Name) else None
    return found if isinstance(found, Ref) else None


def _check_targets(kind: str, keywords: tuple[tree.Keyword, ...], inputs: list[Input]) -> None:
    seen: set[str] = set()
    for keyword, item in zip(keywords, inputs, strict=True):
        if item.target.name in seen:
            message = f"two inputs of {kind!r} replace {item.target.name!r}; one node has one input"
            raise refuse("form", message, keyword)
        seen.add(item.target.name)


#: Call heads that are recognised before names are looked up -> rule.
REIFICATION_RULES: Mapping[str, Rule] = cast("dict[str, Any]", {"functionof": _reify, "kernelof": _reify, "fn": _fn})
