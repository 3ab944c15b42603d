"""Comparison of scalars and strings; strings are compared by code point, when the program is compiled."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from flatppl.errors import refuse
from flatppl.functions.common import got, scalar
from flatppl.tensor.ops import equal, logical_not
from flatppl.tensor.program import Node
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor, Text

__all__ = ["FUNCTIONS"]

_SYMBOLS = {"equal": "==", "unequal": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _comparison(
    name: str, exact: bool, texts: Callable[[Any, Any], bool], rule: Callable[[Any, Any], Node]
) -> Function:
    """Rule of a comparison; an exact one takes no reals."""
    dotted = f"a .{_SYMBOLS[name]} b"

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, Text) and isinstance(b, Text):
            return texts(a.text, b.text)
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Text):
                refuse("kind", f"{name} compares a string with a string, got {got(other)}")
        left, right = scalar(a, name, dotted), scalar(b, name, dotted)
        if exact and "real" in (left.kind, right.kind):
            refuse("kind", f"{name} takes integers, booleans or strings, not reals; write iszero(a - b)")
        return Tensor(rule(left, right))

    return Function(name, ("a", "b"), apply)


FUNCTIONS = (
    _comparison("equal", True, operator.eq, equal),
    _comparison("unequal", True, operator.ne, lambda a, b: logical_not(equal(a, b))),
    _comparison("lt", False, operator.lt, operator.lt),
    _comparison("le", False, operator.le, operator.le),
    _comparison("gt", False, operator.gt, operator.gt),
    _comparison("ge", False, operator.ge, operator.ge),
)
