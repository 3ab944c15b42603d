"""What to say where a statement cannot go on."""

from __future__ import annotations

from collections.abc import Collection

from flatppl.syntax.faults import Fault
from flatppl.syntax.lexer import KEYWORDS, Token

__all__ = ["complaint"]

_BINDERS = frozenset({"=", "~", ",", "(", "[", ":"})
_OPERAND = frozenset({"NAME", "INT", "REAL", "STRING", "true", "false", "all", "only", "(", "[", "-", "!", ".-", ".!"})
_SHOWN = {"NAME": "a name", "INT": "a number", "$END": "the end of the statement"}

#: (kind before, kind found) -> message; None stands for any kind.
_PAIRS: dict[tuple[str | None, str], str] = {
    ("(", ")"): "a call, definition or lambda has at least one argument",
    (".(", ")"): "a call has at least one argument",
    (",", ")"): "a tuple has at least two items, a parameter list ends without a comma",
    (",", "]"): "an index list or axis list ends without a comma",
    (")", "->"): "before '->' stands one bare name or a list of two or more: x -> ..., (x, y) -> ...; "
    "a lambda that is an operand needs parentheses around it",
    (None, "->"): "a lambda that is an operand needs parentheses around it; its parameters are bare names",
    (None, "="): "'=' defines a name or passes a keyword argument; '==' compares",
    (None, "~"): "'~' draws a name at the start of a statement: x ~ Normal(0, 1)",
    (None, ":="): "':=' defines an aggregation: name[.i, .j] := ...",
    (None, ":"): "':' selects a whole axis inside an index; there are no slices",
    ("[", "]"): "an index has at least one selector",
}


def complaint(tokens: list[Token], found: Token, expected: Collection[str]) -> Fault:
    """The refusal of a token.

    Parameters
    ----------
    tokens : list of Token
        The whole statement.
    found : Token
        The token that does not fit.
    expected : collection of str
        Kinds of token that would fit.
    """
    kind, text, start, end = found
    position = next((number for number, token in enumerate(tokens) if token is found), len(tokens))
    before = tokens[position - 1][0] if position else ""
    if kind == "$END":
        return Fault("syntax", _unfinished(tokens, expected), *tokens[-1][2:])
    if position == 0:
        return _start(tokens)
    if kind == "=" and before in KEYWORDS:
        return Fault("reserved", _keyword(before, "("), *tokens[position - 1][2:])
    if kind in KEYWORDS and "NAME" in expected:
        return Fault("reserved" if before != "." else "syntax", _keyword(text, before), start, end)
    message = _PAIRS.get((before, kind)) or _PAIRS.get((None, kind)) or f"unexpected {text!r}"
    return Fault("syntax", f"{message}; {_list(expected)} would fit here", start, end)


def _start(tokens: list[Token]) -> Fault:
    kind, text, start, end = tokens[0]
    if kind in KEYWORDS and len(tokens) > 1 and tokens[1][0] in _BINDERS:
        return Fault("reserved", f"{text!r} is a keyword and cannot be bound", start, end)
    return Fault("syntax", f"a statement starts with the name that it defines, not with {text!r}", start, end)


def _unfinished(tokens: list[Token], expected: Collection[str]) -> str:
    if not {"=", ":="}.isdisjoint(expected):
        return "a statement is a definition, name = expression; this one defines nothing"
    hint = "; a line goes on only inside brackets" if "(" in expected else ""
    return f"the statement ends after {tokens[-1][1]!r}, where {_list(expected)} would fit{hint}"


def _keyword(text: str, before: str) -> str:
    if before == ".":
        return f'{text!r} is a keyword; reach a field of that name by ["{text}"]'
    return f"{text!r} is a keyword and cannot name a binding, parameter or argument"


def _list(expected: Collection[str]) -> str:
    kinds = set(expected)
    shown = []
    if {"NAME", "INT"} <= kinds:
        kinds -= _OPERAND | {"."}
        shown.append("an expression")
    shown += sorted(_SHOWN.get(kind, repr(kind)) for kind in kinds)
    return " or ".join(shown) if len(shown) < 8 else "an operator"
