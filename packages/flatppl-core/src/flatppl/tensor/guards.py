"""Attach runtime checks to values."""

from __future__ import annotations

from typing import Any

from flatppl.errors import refuse
from flatppl.tensor.program import Node

__all__ = ["guard_parameters", "guard_value"]


def guard_value(value: Node, ok: Any, message: str, code: str = "domain") -> Node:
    """``value``, checked on the device: a call where ``ok`` is false raises ``message``.

    A check that fails on fixed values is refused right away with ``code``.
    """
    flag = value.builder.lift(ok)
    if flag.constant is not None and not flag.constant.all():
        refuse(code, message)
    never = value.builder.constant(False)
    return value.builder.apply("guard", value, flag, never, message=message, category="value")


def guard_parameters(value: Node, ok: Node, excused: Node, message: str) -> Node:
    """``value``, undefined where a distribution parameter is outside its set (``ok`` false)."""
    return value.builder.apply("guard", value, ok, excused, message=message, category="parameter")
