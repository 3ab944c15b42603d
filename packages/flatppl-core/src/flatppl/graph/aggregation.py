"""``aggregate`` and ``metricsum``: axes, where they may stand and what must match (language.md 13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from flatppl.graph.context import Context, Steps, refuse, strip
from flatppl.graph.nodes import Axis, Builtin, Call, Expr
from flatppl.graph.scopes import Aggregation, Frame
from flatppl.syntax import tree
from flatppl.syntax.faults import Fault

__all__ = ["axis_selector", "resolve_aggregate", "resolve_aggregate_statement", "resolve_axis"]


def resolve_axis(_context: Context, node: tree.Axis, _frame: Frame) -> Expr:
    """An axis where an operand should stand: always refused."""
    message = f"axis '.{node.name}' is no value; it may only select, as in A[.{node.name}], inside an aggregation"
    raise refuse("scope", message, node)


def axis_selector(context: Context, node: tree.Axis, frame: Frame) -> Axis:
    """An axis among the selectors of an index."""
    if frame.aggregation is None:
        message = (
            f"axis '.{node.name}' outside an aggregation; it belongs into name[.i] := ..., aggregate(...) or "
            "metricsum(...), and not into a callable inside one"
        )
        raise refuse("scope", message, node)
    axis = _axis(context, node, frame.aggregation.form)
    frame.aggregation.uses.append(axis)
    return axis


def resolve_aggregate(context: Context, node: tree.Call, frame: Frame) -> Steps:
    """``aggregate(reduction, axes, body)`` and ``metricsum(metric, axes, body)``."""
    form = str(context.form(node.head, frame))
    first = yield node.args[0], frame
    aggregation = Aggregation(form)
    axes = _output_axes(context, node.args[1], form)
    body = yield node.args[2], replace(frame, aggregation=aggregation)
    return _finish(context, node, Builtin(context.span(node.head), form), first, axes, body, frame, aggregation)


def resolve_aggregate_statement(context: Context, node: tree.Aggregate, frame: Frame) -> Steps:
    """``name[axes] := body`` and ``metric: name[axes] := body``."""
    span = context.span(node)
    form = "metricsum" if node.metric is not None else "aggregate"
    first = (yield node.metric, frame) if node.metric is not None else Builtin(span, "sum")
    aggregation = Aggregation(form)
    axes = _output_axes(context, node.axes, form)
    body = yield node.body, replace(frame, aggregation=aggregation)
    return _finish(context, node, Builtin(span, form), first, axes, body, frame, aggregation)


def _finish(
    context: Context,
    node: tree.Tree,
    head: Builtin,
    first: Expr,
    axes: Call,
    body: Expr,
    frame: Frame,
    aggregation: Aggregation,
) -> Call:
    outputs = [axis for axis in axes.args if isinstance(axis, Axis)]
    _check_uses(outputs, aggregation)
    names = {axis.name for axis in (*outputs, *aggregation.uses)}
    for axis in aggregation.uses:
        if axis.name in aggregation.inner:
            raise _at(axis, f"axis '.{axis.name}' is used by an aggregation inside this one too; rename one of them")
    if frame.aggregation is not None:
        frame.aggregation.inner.update(names)
    return Call(context.span(node), head, (first, axes, body))


def _output_axes(context: Context, node: tree.Tree, form: str) -> Call:
    node = strip(node)
    items = node.items if type(node) is tree.Array else ()
    if type(node) is not tree.Array or not all(type(item) is tree.Axis for item in items):
        example = "[.i^, .j_]" if form == "metricsum" else "[.i, .j]"
        raise refuse("form", f"the output axes of {form!r} are a list of axes such as {example}, or []", node)
    axes: list[Axis] = [_axis(context, item, form) for item in items if isinstance(item, tree.Axis)]
    seen = set()
    for axis in axes:
        if axis.name in seen:
            raise _at(axis, f"output axis '.{axis.name}' is listed twice")
        seen.add(axis.name)
    return context.builtin_call("vector", context.span(node), *axes)


def _axis(context: Context, node: tree.Axis, form: str) -> Axis:
    if form == "metricsum" and not node.variance:
        message = f"axis '.{node.name}' needs its variance in a metricsum: '.{node.name}^' or '.{node.name}_'"
        raise refuse("form", message, node)
    if form == "aggregate" and node.variance:
        raise refuse("form", f"variance belongs to metricsum; write '.{node.name}' in an aggregate", node)
    return Axis(context.span(node), node.name, node.variance)


def _check_uses(outputs: list[Axis], aggregation: Aggregation) -> None:
    variances: dict[str, list[str]] = {}
    for axis in aggregation.uses:
        variances.setdefault(axis.name, []).append(axis.variance)
    for axis in outputs:
        if axis.name not in variances:
            raise _at(axis, f"output axis '.{axis.name}' does not occur in the expression")
        if any(variance != axis.variance for variance in variances[axis.name]):
            raise _at(axis, f"output axis '.{axis.name}{axis.variance}' occurs with the other variance")
    if aggregation.form == "metricsum":
        _check_contractions({axis.name for axis in outputs}, variances, aggregation.uses)


def _check_contractions(outputs: set[str], variances: dict[str, list[str]], uses: Iterable[Axis]) -> None:
    for axis in uses:
        found = variances[axis.name]
        if axis.name not in outputs and len(found) > 1 and sorted(found) != ["^", "_"]:
            raise _at(axis, f"summed axis '.{axis.name}' occurs once, or twice as '.{axis.name}^' and '.{axis.name}_'")


def _at(axis: Axis, message: str) -> Fault:
    return Fault("form", message, axis.span.start, axis.span.end)
