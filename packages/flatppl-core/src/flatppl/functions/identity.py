"""Identities: any object passes through."""

from __future__ import annotations

from typing import Any

from flatppl.values.callables import Function

__all__ = ["FUNCTIONS"]


def _identity(x: Any) -> Any:
    return x


FUNCTIONS = (
    Function("identity", ("x",), _identity, whole=True),
    # A mark for tools: hold a preset value constant.
    Function("fixed", ("x",), _identity, whole=True),
)
