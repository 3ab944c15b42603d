"""Cumulative operations on vectors; the orientation is kept."""

from __future__ import annotations

from typing import Any

from flatppl.functions.common import vector
from flatppl.tensor.ops import convert
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor

__all__ = ["FUNCTIONS"]


def _cumulative(name: str, selects: bool) -> Function:
    """A prefix operation; one that ``selects`` keeps booleans, the others count them."""

    def apply(xs: Any) -> Tensor:
        node = vector(xs, name, row=True)
        numeric = convert(node, "integer") if node.kind == "boolean" else node
        result = numeric.builder.apply(name, numeric, axis=0)
        return Tensor(convert(result, node.kind) if selects else result, (1,), xs.row)

    return Function(name, ("xs",), apply)


FUNCTIONS = (
    _cumulative("cumsum", False),
    _cumulative("cumprod", False),
    _cumulative("cummax", True),
    _cumulative("cummin", True),
)
