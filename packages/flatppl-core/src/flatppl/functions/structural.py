"""Value constructors and access as operations: vector, tuple, record, table, cat, get, relabel, checked, valueset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.access import get, get0
from flatppl.functions.variadic import cat, record, record_of, table, table_of, tuple_, vector
from flatppl.measures.base import MeasureOperation
from flatppl.values.forms import Record, Table, Tensor, describe

__all__ = ["OPERATIONS"]


def _positional(name: str, rule: Any) -> MeasureOperation:
    def operation(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        if keywords:
            refuse("call", f"{name} takes its operands by position only")
        return rule(evaluator, args)

    return MeasureOperation(name, operation)


def _record(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Record:
    if keywords and not args:
        return record(tuple(keywords.items()))
    if len(args) == 1 and not keywords:
        return record_of(args[0])
    refuse("call", "record takes fields by keyword, record(a = 1.0, b = 2.0), or one table")


def _table(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Table:
    if keywords and not args:
        return table(tuple(keywords.items()))
    if len(args) == 1 and not keywords:
        return table_of(args[0])
    refuse("call", "table takes columns by keyword, table(a = [1.0], b = [2.0]), or one record of vectors")


def _at_least(name: str, rule: Any, count: int = 1) -> MeasureOperation:
    def checked(evaluator: Any, args: Sequence[Any]) -> Any:
        if len(args) < count:
            refuse("call", f"{name} needs at least {count} operands")
        return rule(args)

    return _positional(name, checked)


def _checked(evaluator: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    values = dict(zip(("value", "condition"), args, strict=False)) | dict(keywords)
    if set(values) != {"value", "condition"}:
        refuse("call", "checked(value = ..., condition = ...) takes exactly these two inputs")
    condition = values["condition"]
    if not isinstance(condition, Tensor) or condition.kind != "boolean" or condition.levels:
        refuse("kind", f"checked: the condition must be a boolean, got {describe(condition)}")
    if condition.node.constant is None:
        refuse("domain", "checked: the condition must be fixed; give its values in the model or with Module.set")
    if not condition.node.constant:
        refuse("domain", "checked: the condition is false")
    return values["value"]


OPERATIONS = (
    _positional("vector", lambda evaluator, args: vector(evaluator.builder, args)),
    _positional("tuple", lambda evaluator, args: tuple_(args)),
    MeasureOperation("record", _record),
    MeasureOperation("table", _table),
    _at_least("cat", cat),
    _at_least("get", lambda args: get(*args), 2),
    _at_least("get0", lambda args: get0(*args), 2),
    MeasureOperation("checked", _checked),
)
