"""What each rule of ``grammar.lark`` builds; the functions carry the names of the grammar's actions.

An action gets the values of its rule's symbols: trees, lists of trees, and tokens ``(kind, text, start, end)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from flatppl.syntax import tree
from flatppl.syntax.faults import Fault
from flatppl.syntax.lexer import Token

__all__ = ["ACTIONS"]

_PLACEHOLDER = re.compile(r"_[A-Za-z](?:[A-Za-z0-9_]*[A-Za-z0-9])?_")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_AXIS = re.compile(r"[A-Za-z](?:[A-Za-z0-9_]*[A-Za-z0-9])?(_?)")
_LARGEST = 2**63 - 1
_SELECTORS = {"all": "all", ":": "all", "only": "only", "!": "only"}


# ---------------------------------------------------------------- lists


def one(item: Any) -> list[Any]:
    """A list's first item."""
    return [item]


def two(first: Any, _comma: Token, second: Any) -> list[Any]:
    """A list's first two items."""
    return [first, second]


def more(items: list[Any], _comma: Token, item: Any) -> list[Any]:
    """One more item, in place: a list is read in linear time."""
    items.append(item)
    return items


def all_but_comma(items: list[Any], _comma: Token) -> list[Any]:
    """A list with a trailing comma."""
    return items


# ---------------------------------------------------------------- statements


def identifier(token: Token) -> tree.Identifier:
    """A bound name or a parameter."""
    return tree.Identifier(token[2], token[3], token[1])


def bind(name: tree.Identifier, sign: Token, value: tree.Tree) -> tree.Statement:
    """``name = value`` and ``name ~ value``."""
    return tree.Unpack(name.start, value.end, None, (name,), sign[0] == "~", value)


def unpack(names: list[tree.Identifier], sign: Token, value: tree.Tree) -> tree.Statement:
    """``a, b = value`` and ``a, b ~ value``."""
    return tree.Unpack(names[0].start, value.end, None, tuple(names), sign[0] == "~", value)


def define(
    name: tree.Identifier,
    _open: Token,
    parameters: list[tree.Identifier],
    _close: Token,
    _sign: Token,
    body: tree.Tree,
) -> tree.Statement:
    """``name(parameters) = body``."""
    return tree.Definition(name.start, body.end, None, name, tuple(parameters), body)


def aggregate(name: tree.Identifier, axes: tree.Array, _sign: Token, body: tree.Tree) -> tree.Statement:
    """``name[axes] := body``."""
    return tree.Aggregate(name.start, body.end, None, None, name, axes, body)


def metric_sum(
    metric: tree.Identifier, _colon: Token, name: tree.Identifier, axes: tree.Array, _sign: Token, body: tree.Tree
) -> tree.Statement:
    """``metric: name[axes] := body``."""
    operand = tree.Name(metric.start, metric.end, metric.text)
    return tree.Aggregate(metric.start, body.end, None, operand, name, axes, body)


# ---------------------------------------------------------------- operands


def name(token: Token) -> tree.Tree:
    """A name, a placeholder or a hole, by its shape."""
    _, text, start, end = token
    if text[0] != "_":
        return tree.Name(start, end, text)
    if text == "_":
        return tree.Hole(start, end)
    return (tree.Placeholder if _PLACEHOLDER.fullmatch(text) else tree.Name)(start, end, text)


def literal(token: Token) -> tree.Tree:
    """A number, string or truth value."""
    kind, text, start, end = token
    return tree.Literal(start, end, _VALUES[kind](text, start, end))


def selector(token: Token) -> tree.Tree:
    """``all``, ``only``, ``:`` or ``!``."""
    return tree.Selector(token[2], token[3], _SELECTORS[token[0]])


def axis(dot: Token, name: Token, sign: Token | None = None) -> tree.Axis:
    """``.name``, ``.name_`` or ``.name^``."""
    _, text, start, end = name
    found = _AXIS.fullmatch(text)
    if found is None or (sign and found[1]):
        message = f"{'.' + text + ('^' if sign else '')!r} is no axis; an axis is .name, with '^' or '_' after it"
        raise Fault("syntax", message, start, end)
    below = found[1]
    return tree.Axis(dot[2], sign[3] if sign else end, text.removesuffix("_"), "^" if sign else below)


def empty_array(opening: Token, closing: Token) -> tree.Array:
    """``[]``."""
    return tree.Array(opening[2], closing[3], ())


def array(opening: Token, items: list[tree.Tree], *closing: Token) -> tree.Array:
    """``[a, b]``."""
    return tree.Array(opening[2], closing[-1][3], tuple(items))


def tuple_(opening: Token, first: tree.Tree, _comma: Token, items: list[tree.Tree], *closing: Token) -> tree.Tree:
    """``(a, b)``."""
    return tree.Tuple(opening[2], closing[-1][3], (first, *items))


def paren(opening: Token, inner: tree.Tree, closing: Token) -> tree.Tree:
    """``(a)``."""
    return tree.Paren(opening[2], closing[3], inner)


# ---------------------------------------------------------------- operations


def _operator(token: Token) -> tree.Operator:
    _, text, start, end = token
    dotted = text[0] == "."
    return tree.Operator(start, end, text[1:] if dotted else text, dotted)


def unary(sign: Token, operand: tree.Tree) -> tree.Tree:
    """``-a`` and ``!a``."""
    return tree.Unary(sign[2], operand.end, _operator(sign), operand)


def binary(left: tree.Tree, sign: Token, right: tree.Tree) -> tree.Tree:
    """Arithmetic and logic."""
    return tree.Binary(left.start, right.end, left, _operator(sign), right)


def sign(token: Token) -> Token:
    """A sign of comparison."""
    return token


def chain(left: tree.Tree, sign: Token, right: tree.Tree) -> list[Any]:
    """The first comparison of a chain: operands and signs in turn."""
    return [left, sign, right]


def chain_more(items: list[Any], sign: Token, right: tree.Tree) -> list[Any]:
    """One more comparison, in place."""
    items += (sign, right)
    return items


def comparison(items: list[Any]) -> tree.Tree:
    """A whole chain of comparisons."""
    operators = tuple(map(_operator, items[1::2]))
    dotted = next((operator for operator in operators if operator.dotted), None)
    if dotted is not None and len(operators) > 1:
        message = "comparisons with dots do not chain; bind the parts first and join them by '.&&'"
        raise Fault("syntax", message, dotted.start, dotted.end)
    return tree.Comparison(items[0].start, items[-1].end, tuple(items[::2]), operators)


def field(container: tree.Tree, _dot: Token, name: Token) -> tree.Tree:
    """``container.name``."""
    return tree.Field(container.start, name[3], container, identifier(name))


def index(container: tree.Tree, _open: Token, selectors: list[tree.Tree], closing: Token) -> tree.Tree:
    """``container[selectors]``."""
    return tree.Index(container.start, closing[3], container, tuple(selectors))


def keyword(name: Token, _sign: Token, value: tree.Tree) -> tree.Keyword:
    """``name = value``."""
    return tree.Keyword(name[2], value.end, identifier(name), value)


def call(head: tree.Tree, opening: Token, arguments: list[tree.Tree], closing: Token) -> tree.Tree:
    """``head(arguments)`` and ``head.(arguments)``."""
    keywords = tuple(argument for argument in arguments if type(argument) is tree.Keyword)
    count = len(arguments) - len(keywords)
    late = next((argument for argument in arguments[count:] if type(argument) is not tree.Keyword), None)
    if late is not None:
        raise Fault("syntax", "positional arguments stand before keyword arguments", late.start, late.end)
    return tree.Call(head.start, closing[3], head, tuple(arguments[:count]), keywords, opening[0] == ".(")


def lambda_of_name(name: Token, _arrow: Token, body: tree.Tree) -> tree.Tree:
    """``x -> body``."""
    return tree.Lambda(name[2], body.end, (identifier(name),), body)


def lambda_of_tuple(head: tree.Tuple, _arrow: Token, body: tree.Tree) -> tree.Tree:
    """``(x, y) -> body``."""
    return tree.Lambda(head.start, body.end, tuple(map(_parameter, head.items)), body)


def _parameter(item: tree.Tree) -> tree.Identifier:
    if isinstance(item, tree.Name | tree.Placeholder):
        return tree.Identifier(item.start, item.end, item.text)
    if isinstance(item, tree.Hole):
        return tree.Identifier(item.start, item.end, "_")
    raise Fault("syntax", "the parameters of '->' are bare names: (x, y) -> ...", item.start, item.end)


# ---------------------------------------------------------------- values of literals


def _integer(text: str, start: int, end: int) -> int:
    digits = text.replace("_", "")
    value = int(digits, 0 if digits[:2] == "0x" else 10) if len(digits) < 1000 else _LARGEST + 1
    if value > _LARGEST:
        raise Fault("syntax", f"an integer has at most 64 bits: {_LARGEST}; write a real with '.'", start, end)
    return value


def _real(text: str, start: int, end: int) -> float:
    value = float(text.replace("_", ""))
    if value == float("inf"):
        raise Fault("syntax", "this number is beyond double precision; write inf for infinity", start, end)
    return value


def _string(text: str, start: int, _end: int) -> str:
    def character(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            at = start + 1 + found.start()
            message = rf"{found[0]!r} is no escape sequence; they are \" \\ \n \t \r \0"
            raise Fault("syntax", message, at, at + 2)
        return _ESCAPES[found[1]]

    return _ESCAPE.sub(character, text[1:-1])


_VALUES: dict[str, Callable[[str, int, int], int | float | str | bool]] = {
    "INT": _integer,
    "REAL": _real,
    "STRING": _string,
    "true": lambda *_: True,
    "false": lambda *_: False,
}

#: Action of the grammar -> function.
ACTIONS: dict[str, Callable[..., Any]] = {
    function.__name__.rstrip("_"): function
    for function in (
        one, two, more, all_but_comma,
        identifier, bind, unpack, define, aggregate, metric_sum,
        name, literal, selector, axis, empty_array, array, tuple_, paren,
        unary, binary, sign, chain, chain_more, comparison, field, index, keyword, call,
        lambda_of_name, lambda_of_tuple,
    )
}  # fmt: skip
