"""Bind the arguments of a call to a callable's inputs: positions, keywords, splatting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flatppl.errors import nearest, refuse
from flatppl.values.forms import Form, Record, Table, describe, form_of

__all__ = ["bind", "value_form"]


def value_form(value: Any, what: str, code: str = "kind") -> Form:
    """Form of an argument that must be a value; refuses a callable, a measure or a set, naming ``what``."""
    try:
        return form_of(value)
    except TypeError:
        refuse(code, f"{what} must be a value, got {describe(value)}")


def bind(
    name: str,
    inputs: Sequence[str],
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    *,
    ordered: bool = True,
    whole: bool = False,
    defaults: Sequence[Any] = (),
) -> tuple[Any, ...]:
    """Arguments in the order of ``inputs``.

    Parameters
    ----------
    name : str
        The callable, for messages.
    inputs : sequence of str
    args, keywords
        As written. A sole positional record or table is splatted into keywords by field name.
    ordered : bool
        Positional arguments are allowed.
    whole : bool
        A sole record or table is taken as it is.
    defaults : sequence
        Values of trailing inputs that may be left out.
    """
    if len(args) == 1 and not keywords and not whole and isinstance(args[0], (Record, Table)):
        return _splat(name, inputs, args[0], defaults)
    if args and not ordered:
        refuse("call", f"{name} takes its inputs by keyword only: {_signature(name, inputs)}")
    if len(args) > len(inputs):
        refuse("call", f"{_signature(name, inputs)} takes {_count(len(inputs))}, got {len(args)}")
    bound = dict(zip(inputs, args, strict=False))
    for key, value in keywords.items():
        if key in bound:
            refuse("call", f"{name}: input {key!r} is given twice")
        if key not in inputs:
            refuse("call", f"{_signature(name, inputs)} has no input {key!r}{nearest(key, inputs)}")
        bound[key] = value
    return _complete(name, inputs, bound, defaults)


def _splat(name: str, inputs: Sequence[str], value: Record | Table, defaults: Sequence[Any]) -> tuple[Any, ...]:
    fields = dict(value.items)
    unknown = [key for key in fields if key not in inputs]
    if unknown:
        hint = f"; pass it whole with the keyword spelling {name}({inputs[0]} = ...)" if len(inputs) == 1 else ""
        refuse(
            "call",
            f"a sole record is splatted by field names: {_signature(name, inputs)} has no input "
            f"{unknown[0]!r} of {describe(value)}{hint}",
        )
    return _complete(name, inputs, fields, defaults)


def _complete(name: str, inputs: Sequence[str], bound: dict[str, Any], defaults: Sequence[Any]) -> tuple[Any, ...]:
    optional = dict(zip(inputs[len(inputs) - len(defaults) :], defaults, strict=True))
    missing = [key for key in inputs if key not in bound and key not in optional]
    if missing:
        refuse("call", f"{_signature(name, inputs)}: {', '.join(map(repr, missing))} missing")
    return tuple(bound.get(key, optional.get(key)) for key in inputs)


def _signature(name: str, inputs: Sequence[str]) -> str:
    return f"{name}({', '.join(inputs)})"


def _count(n: int) -> str:
    return "1 argument" if n == 1 else f"{n} arguments"
