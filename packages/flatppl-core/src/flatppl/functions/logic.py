"""Logic and the conditional."""

from __future__ import annotations

from typing import Any

from flatppl.errors import refuse
from flatppl.functions.common import boolean, got
from flatppl.tensor.ops import logical_not, select
from flatppl.tensor.program import Node
from flatppl.values.callables import Function
from flatppl.values.forms import Record, Table, Tensor, Text, Tuple

__all__ = ["FUNCTIONS"]

_SYMBOLS = {"land": "a .&& b", "lor": "a .|| b", "lxor": "lxor.(a, b)"}


def _connective(name: str, primitive: str) -> Function:
    def apply(a: Any, b: Any) -> Tensor:
        left, right = (boolean(x, name, _SYMBOLS[name]) for x in (a, b))
        return Tensor(left.builder.apply(primitive, left, right))

    return Function(name, ("a", "b"), apply)


def _ifelse(cond: Any, a: Any, b: Any) -> Any:
    return _choose(boolean(cond, "the condition of ifelse", "ifelse.(conditions, a, b)"), a, b)


def _choose(flag: Node, a: Any, b: Any) -> Any:
    """``a`` or ``b``, leaf by leaf."""
    match a, b:
        case Tensor(), Tensor():
            return _choose_tensor(flag, a, b)
        case Record(left), Record(right) if _names(left) == _names(right):
            return Record(_choose_items(flag, left, right))
        case Table(left, rows), Table(right, others) if _names(left) == _names(right) and rows == others:
            return Table(_choose_items(flag, left, right), rows)
        case Tuple(left), Tuple(right) if len(left) == len(right):
            return Tuple(tuple(_choose(flag, x, y) for x, y in zip(left, right, strict=True)))
    if not isinstance(a, Text) or not isinstance(b, Text):
        for x in (a, b):
            if isinstance(x, _MADE):
                _unlike(a, b)
    if flag.constant is None and a != b:
        refuse("unsupported", f"ifelse with a runtime condition cannot choose between {got(a)} and {got(b)}")
    return a if flag.constant is None or flag.constant else b


#: Values that are chosen part by part, and strings, which have no common form with anything else.
_MADE = (Tensor, Record, Table, Tuple, Text)


def _names(items: tuple[tuple[str, Any], ...]) -> list[str]:
    return [name for name, _ in items]


def _choose_items(flag: Node, left: Any, right: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _choose(flag, a, b)) for (name, a), (_, b) in zip(left, right, strict=True))


def _choose_tensor(flag: Node, a: Tensor, b: Tensor) -> Tensor:
    if (a.levels, a.node.shape, a.row) != (b.levels, b.node.shape, b.row):
        _unlike(a, b)
    return Tensor(select(flag, a.node, b.node), a.levels, a.row)


def _unlike(a: Any, b: Any) -> None:
    refuse("shape", f"the branches of ifelse must have one form, got {got(a)} and {got(b)}")


FUNCTIONS = (
    _connective("land", "and"),
    _connective("lor", "or"),
    Function("lnot", ("a",), lambda a: Tensor(logical_not(boolean(a, "lnot", ".!a")))),
    _connective("lxor", "xor"),
    Function("ifelse", ("cond", "a", "b"), _ifelse),
)
