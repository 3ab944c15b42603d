"""One rule per surface form: sugar to core nodes (language.md 2.4)."""

from __future__ import annotations

from typing import Any, cast

from flatppl.graph.aggregation import axis_selector, resolve_aggregate_statement, resolve_axis
from flatppl.graph.context import Context, Rule, Steps, each, each_keyword, refuse, run, strip
from flatppl.graph.forms import FORM_RULES, check_form
from flatppl.graph.names import CONSTANTS
from flatppl.graph.nodes import Builtin, Call, Expr, Literal, Local
from flatppl.graph.reification import REIFICATION_RULES, resolve_definition, resolve_lambda
from flatppl.graph.scopes import Frame
from flatppl.syntax import tree

__all__ = ["resolve_expression"]

_UNARY = {"-": "neg", "!": "lnot"}
_BINARY = {"+": "add", "-": "sub", "*": "mul", "/": "divide", "^": "pow", "&&": "land", "||": "lor"}
_COMPARE = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "equal", "!=": "unequal", "in": "in"}
_UNCALLABLE = {tree.Literal: "a literal", tree.Array: "an array", tree.Tuple: "a tuple", tree.Selector: "a selector"}


def resolve_expression(context: Context, node: tree.Tree, frame: Frame) -> Expr:
    """The graph node of an expression.

    Raises
    ------
    Fault
        For the first thing wrong in it.
    """
    return run(context, node, frame, RULES)


# ---------------------------------------------------------------- operands


def _literal(context: Context, node: tree.Literal, _frame: Frame) -> Expr:
    return Literal(context.span(node), node.value)


def _name(context: Context, node: tree.Name, frame: Frame) -> Expr:
    return context.name(node, frame)


def _placeholder(context: Context, node: tree.Placeholder, frame: Frame) -> Expr:
    if node.text in frame.placeholders:
        return Local(context.span(node), node.text)
    public = node.text.strip("_")
    if frame.outer is None:
        message = f"placeholder {node.text!r} outside functionof and kernelof"
    else:
        message = f"placeholder {node.text!r} is not declared by {frame.what}, the innermost callable around it"
    raise refuse("scope", f"{message}; declare it there as {public} = {node.text}", node)


def _hole(context: Context, node: tree.Hole, frame: Frame) -> Expr:
    if frame.holes is None:
        message = "a hole '_' stands only inside fn(...)"
        if any(outer.holes is not None for outer in frame.enclosing()):
            message = f"{frame.what} separates this hole '_' from its fn(...)"
        raise refuse("scope", f"{message}; name the input: x -> ...", node)
    hole = Local(context.span(node), f"arg{len(frame.holes) + 1}")
    frame.holes.append(hole)
    return hole


def _selector(context: Context, node: tree.Selector, _frame: Frame) -> Expr:
    raise refuse("scope", f"{node.name!r} selects inside an index or get(...) and is no value", node)


def _array(context: Context, node: tree.Array, frame: Frame) -> Steps:
    items = yield from each(node.items, frame)
    return context.builtin_call("vector", context.span(node), *items)


def _tuple(context: Context, node: tree.Tuple, frame: Frame) -> Steps:
    items = yield from each(node.items, frame)
    return context.builtin_call("tuple", context.span(node), *items)


def _paren(context: Context, node: tree.Paren, frame: Frame) -> Steps:
    return (yield strip(node), frame)


# ---------------------------------------------------------------- operators


def _operation(context: Context, node: tree.Tree, operator: tree.Operator, name: str, *args: Expr) -> Call:
    function = Builtin(context.span(operator), name)
    if not operator.dotted:
        return Call(context.span(node), function, args)
    return Call(context.span(node), Builtin(function.span, "broadcast"), (function, *args))


def _unary(context: Context, node: tree.Unary, frame: Frame) -> Steps:
    operand = yield node.operand, frame
    return _operation(context, node, node.operator, _UNARY[node.operator.sign], operand)


def _binary(context: Context, node: tree.Binary, frame: Frame) -> Steps:
    left = yield node.left, frame
    right = yield node.right, frame
    return _operation(context, node, node.operator, _BINARY[node.operator.sign], left, right)


def _comparison(context: Context, node: tree.Comparison, frame: Frame) -> Steps:
    operands = yield from each(node.operands, frame)
    result: Call | None = None
    for position, operator in enumerate(node.operators):
        left, right = node.operands[position], node.operands[position + 1]
        pair = tree.Tree(left.start, right.end)
        name = _COMPARE[operator.sign]
        test = _operation(context, pair, operator, name, operands[position], operands[position + 1])
        if result is not None:
            test = context.builtin_call("land", context.span(tree.Tree(node.start, right.end)), result, test)
        result = test
    return cast("Expr", result)


# ---------------------------------------------------------------- access and calls


def _field(context: Context, node: tree.Field, frame: Frame) -> Expr | Steps:
    return context.qualified(node, frame) or _record_field(context, node, frame)


def _record_field(context: Context, node: tree.Field, frame: Frame) -> Steps:
    container = yield node.container, frame
    return context.get_field(context.span(node), container, node.name)


def _index(context: Context, node: tree.Index, frame: Frame) -> Steps:
    return _get(context, node, "get", node.container, node.selectors, frame)


def _get(
    context: Context, node: tree.Tree, form: str, container: tree.Tree, selectors: tuple[tree.Tree, ...], frame: Frame
) -> Steps:
    """``form(container, selectors...)``, where axes and ``all``, ``only`` may stand."""
    value = yield container, frame
    chosen: list[Expr] = []
    for selector in selectors:
        if type(selector) is tree.Axis:
            chosen.append(axis_selector(context, selector, frame))
        elif type(selector) is tree.Selector:
            chosen.append(Builtin(context.span(selector), selector.name))
        else:
            chosen.append((yield selector, frame))
    _check_tuple_index(context, container, selectors, frame, first=1 if form == "get" else 0)
    head = node.head if isinstance(node, tree.Call) else node
    return Call(context.span(node), Builtin(context.span(head), form), (value, *chosen))


def _check_tuple_index(
    context: Context, container: tree.Tree, selectors: tuple[tree.Tree, ...], frame: Frame, first: int
) -> None:
    """Refuse an index of a literal tuple, or of a binding of one, that is no integer literal in its range."""
    target = strip(container)
    if type(target) is tree.Name and target.text not in frame.parameters:
        target = strip(context.values.get(target.text) or target)
    if type(target) is not tree.Tuple:
        return
    count, selector = len(target.items), strip(selectors[0])
    if type(selector) is not tree.Literal or type(selector.value) is not int or len(selectors) > 1:
        raise refuse("index", "the index of a tuple is one integer literal", selectors[0])
    if not first <= selector.value < first + count:
        message = f"index {selector.value} is outside this tuple of {count}: {first} to {first + count - 1}"
        raise refuse("index", message, selector)


def _call(context: Context, node: tree.Call, frame: Frame) -> Expr | Steps:
    if type(node.head) is tree.Name and node.head.text in REIFICATION_RULES:
        return REIFICATION_RULES[node.head.text](context, node, frame)
    form = context.form(node.head, frame)
    if form is None:
        return _plain_call(context, node, frame)
    if form in REIFICATION_RULES:
        return REIFICATION_RULES[form](context, node, frame)
    check_form(form, node)
    if form in ("get", "get0") and not node.dotted:
        return _get(context, node, form, node.args[0], node.args[1:], frame)
    rule = FORM_RULES.get(form)
    return rule(context, node, frame) if rule is not None else _plain_call(context, node, frame)


def _plain_call(context: Context, node: tree.Call, frame: Frame) -> Steps:
    head = yield node.head, frame
    _check_callable(head, node)
    args = yield from each(node.args, frame)
    keywords = yield from each_keyword(node.keywords, frame)
    span = context.span(node)
    if not node.dotted:
        return Call(span, head, args, keywords)
    return Call(span, Builtin(head.span, "broadcast"), (head, *args), keywords)


def _check_callable(head: Expr, node: tree.Call) -> None:
    if isinstance(head, Builtin) and head.name in CONSTANTS:
        raise refuse("kind", f"{head.name!r} is a constant and cannot be called", node.head)
    kind = _UNCALLABLE.get(type(strip(node.head)))
    if kind is not None:
        raise refuse("kind", f"{kind} cannot be called; write '*' to multiply", node.head)


#: Class of tree -> rule.
RULES: dict[type, Rule] = cast(
    "dict[type, Any]",
    {
        tree.Aggregate: resolve_aggregate_statement,
        tree.Array: _array,
        tree.Axis: resolve_axis,
        tree.Binary: _binary,
        tree.Call: _call,
        tree.Comparison: _comparison,
        tree.Definition: resolve_definition,
        tree.Field: _field,
        tree.Hole: _hole,
        tree.Index: _index,
        tree.Lambda: resolve_lambda,
        tree.Literal: _literal,
        tree.Name: _name,
        tree.Paren: _paren,
        tree.Placeholder: _placeholder,
        tree.Selector: _selector,
        tree.Tuple: _tuple,
        tree.Unary: _unary,
    },
)
