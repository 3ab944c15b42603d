"""Argument lists of the special forms, as far as the text alone decides them (language.md 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from flatppl.graph.aggregation import resolve_aggregate
from flatppl.graph.context import Context, Rule, Steps, each, each_keyword, refuse
from flatppl.graph.nodes import Builtin, Call
from flatppl.graph.scopes import Frame
from flatppl.syntax import tree

__all__ = ["FORM_RULES", "check_form"]


@dataclass(frozen=True, slots=True)
class Form:
    """How a special form is called.

    Parameters
    ----------
    signature : str
        Shown in messages.
    least, most : int and int or None
        How many positional arguments.
    keywords : str
        ``"none"``; ``"also"``, after positional ones; ``"instead"`` of positional ones.
    total : int
        The least number of arguments of both kinds.
    """

    signature: str
    least: int
    most: int | None
    keywords: str = "none"
    total: int = 1


#: Name -> how it is called. ``functionof``, ``kernelof`` and ``fn`` are in ``reification.py``.
FORMS: Mapping[str, Form] = {
    "elementof": Form("elementof(S)", 1, 1),
    "external": Form("external(S)", 1, 1),
    "draw": Form("draw(M)", 1, 1),
    "lawof": Form("lawof(x)", 1, 1),
    "valueset": Form("valueset(x)", 1, 1),
    "fixed": Form("fixed(x)", 1, 1),
    "tuple": Form("tuple(x, y, ...)", 2, None),
    "record": Form("record(name = value, ...) or record(t)", 1, 1, "instead"),
    "table": Form("table(name = column, ...) or table(r)", 1, 1, "instead"),
    "get": Form("get(container, selector, ...)", 2, None),
    "get0": Form("get0(container, selector, ...)", 2, None),
    "cat": Form("cat(x, y, ...)", 1, None),
    "cartprod": Form("cartprod(S, T, ...) or cartprod(name = S, ...)", 1, None, "instead"),
    "joint": Form("joint(M, N, ...) or joint(name = M, ...)", 1, None, "instead"),
    "jointchain": Form("jointchain(M, K, ...) or jointchain(name = M, ...)", 1, None, "instead"),
    "kchain": Form("kchain(M, K, ...)", 1, None),
    "superpose": Form("superpose(M, N, ...)", 1, None),
    "ksuperpose": Form("ksuperpose(K, weights) or ksuperpose(K, weights, family...)", 2, None, "also"),
    "normalize": Form("normalize(M)", 1, 1),
    "weighted": Form("weighted(weight, M) or weighted(weight, M, argument, ...)", 2, None),
    "logweighted": Form("logweighted(logweight, M) or logweighted(logweight, M, argument, ...)", 2, None),
    "bayesupdate": Form("bayesupdate(L, prior)", 2, 2),
    "truncate": Form("truncate(M, S)", 2, 2),
    "pushfwd": Form("pushfwd(f, M)", 2, 2),
    "locscale": Form("locscale(M, shift, scale)", 3, 3),
    "iid": Form("iid(M, size)", 2, 2),
    "likelihoodof": Form("likelihoodof(K, observation)", 2, 2),
    "joint_likelihood": Form("joint_likelihood(L, ...)", 1, None),
    "disintegrate": Form("disintegrate(selector, M)", 2, 2),
    "restrict": Form("restrict(M, x) or restrict(M, name = x, ...)", 1, 2, "also", 2),
    "broadcast": Form("broadcast(f, x, ...)", 1, None, "also", 2),
    "broadcasted": Form("broadcasted(f)", 1, 1),
    "aggregate": Form("aggregate(reduction, [.i, ...], expression)", 3, 3),
    "metricsum": Form("metricsum(metric, [.i^, ...], expression)", 3, 3),
    "markovchain": Form("markovchain(K, init, n)", 3, 3),
    "kscan": Form("kscan(K, init, xs)", 3, 3),
    "fchain": Form("fchain(f, g, ...)", 1, None),
    "inverseof": Form("inverseof(f)", 1, 1),
    "checked": Form("checked(value = x, condition = c)", 0, 2, "also", 2),
    "load_module": Form('load_module("path", name = value, ...)', 1, 1, "also"),
    "standard_module": Form('standard_module("name", "version")', 2, 2),
}
_UNDOTTED = frozenset({"aggregate", "metricsum", "load_module", "standard_module", "elementof", "external"})


def check_form(name: str, node: tree.Call) -> None:
    """Refuse an argument list that no call of this special form can have; other names pass.

    Raises
    ------
    Fault
        With code ``form``.
    """
    form = FORMS.get(name)
    if form is None:
        return
    if node.dotted:
        if name in _UNDOTTED:
            raise refuse("form", f"{name!r} cannot be broadcast; call it without the dot", node.head)
        return
    count, keywords = len(node.args), node.keywords
    if form.keywords == "none" and keywords:
        message = f"the inputs of {name!r} have no names; write {form.signature}"
        raise refuse("form", message, keywords[0])
    if form.keywords == "instead" and keywords:
        if count:
            message = f"{name!r} takes positional or keyword arguments, not both; write {form.signature}"
            raise refuse("form", message, keywords[0])
        return
    if count < form.least or (form.most is not None and count > form.most) or count + len(keywords) < form.total:
        given = f"{count} positional argument{'s' if count != 1 else ''}" if not keywords else "these arguments"
        raise refuse("form", f"{name!r} does not take {given}; write {form.signature}", node)


def _load(context: Context, node: tree.Call, frame: Frame) -> Steps:
    """``load_module`` and ``standard_module``, which stand directly behind ``name =``."""
    form = str(context.form(node.head, frame))
    if node not in context.loads:
        message = f"{form}(...) is bound directly to a name, alias = {FORMS[form].signature}, and used as alias.member"
        raise refuse("module", message, node)
    for argument in node.args:
        if type(argument) is not tree.Literal or type(argument.value) is not str:
            raise refuse("form", f"{form!r} takes a string literal here; write {FORMS[form].signature}", argument)
    args = yield from each(node.args, frame)
    keywords = yield from each_keyword(node.keywords, frame)
    return Call(context.span(node), Builtin(context.span(node.head), form), args, keywords)


#: Forms whose arguments are not all expressions -> rule.
FORM_RULES: Mapping[str, Rule] = cast(
    "dict[str, Any]",
    {"aggregate": resolve_aggregate, "metricsum": resolve_aggregate, "load_module": _load, "standard_module": _load},
)
