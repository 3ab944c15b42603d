"""Text to syntax tree: an LALR(1) automaton over the table of ``grammar.lark``, statement by statement.

Nothing here recurses, so the depth of nesting is bounded by memory only, and time is linear in the text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from flatppl.errors import CompilationError
from flatppl.spans import Source
from flatppl.syntax.actions import ACTIONS
from flatppl.syntax.complaints import complaint
from flatppl.syntax.faults import Fault
from flatppl.syntax.lexer import Chunk, Token, split
from flatppl.syntax.tree import Module, Statement, Unpack

__all__ = ["parse", "read"]


@dataclass(frozen=True, slots=True)
class _Table:
    """The automaton; see :func:`flatppl.syntax.generate.build` for the encoding."""

    rules: list[tuple[str, int, Callable[..., Any] | None]]
    actions: list[Mapping[str, int]]
    gotos: list[Mapping[str, int]]
    start: int
    accept: int
    landings: dict[tuple[int, str, str], int]

    def land(self, state: int, origin: str, kind: str) -> int:
        """The state on top of ``state`` once ``origin`` was read and every one-symbol rule passed its value on.

        An operand passes ten levels of precedence; the cache makes that one step.
        """
        top = self.gotos[state][origin]
        action = self.actions[top].get(kind, 0)
        while action < 0 and self.rules[-1 - action][2] is None:
            top = self.gotos[state][self.rules[-1 - action][0]]
            action = self.actions[top].get(kind, 0)
        self.landings[state, origin, kind] = top
        return top


def parse(source: Source) -> Module:
    """The syntax tree of a source.

    Raises
    ------
    CompilationError
        The first syntax error.

    Examples
    --------
    >>> module = parse(Source("example", "x = 1; y ~ Normal(x, 2.0)"))
    >>> [statement.names[0].text for statement in module.statements]
    ['x', 'y']
    """
    module, errors = read(source)
    if errors:
        raise errors[0]
    return module


def read(source: Source) -> tuple[Module, list[CompilationError]]:
    """The statements of a source that can be read, and the errors of the others in the order of the text."""
    faults: list[Fault] = []
    statements: list[Statement] = []
    broken: set[str] = set()
    table = _table()
    for chunk in split(source.text, faults):
        try:
            statements.append(_statement(chunk, table))
        except Fault as fault:
            faults.append(fault)
            broken.update(text for kind, text, _, _ in chunk.tokens if kind == "NAME")
    errors = [fault.located(source) for fault in sorted(faults, key=lambda fault: fault.start)]
    return Module(0, len(source.text), tuple(statements), frozenset(broken)), errors


@cache
def _table() -> _Table:
    data = json.loads(Path(__file__).with_name("table.json").read_text(encoding="utf-8"))
    rules = [(origin, length, ACTIONS[action] if action else None) for origin, length, action in data["rules"]]
    return _Table(rules, data["actions"], data["gotos"], data["start"], data["accept"], {})


def _statement(chunk: Chunk, table: _Table) -> Statement:
    if chunk.fault is not None:
        raise chunk.fault
    statement = _run(chunk.tokens, table)
    if chunk.doc is None:
        return statement
    if isinstance(statement, Unpack) and len(statement.names) > 1:
        message = "a doc-comment documents one binding, not a decomposition; bind the parts by themselves"
        raise Fault("syntax", message, chunk.doc.start, chunk.doc.end)
    return replace(statement, doc=chunk.doc)


def _run(tokens: list[Token], table: _Table) -> Statement:
    """Shift and reduce until the tokens are one statement."""
    rules, actions, landings, accept = table.rules, table.actions, table.landings, table.accept
    states: list[int] = [table.start]
    values: list[Any] = []
    last = tokens[-1][3]
    for token in [*tokens, ("$END", "", last, last)]:
        kind = token[0]
        while states[-1] != accept:
            action = actions[states[-1]].get(kind)
            if action is None:
                raise complaint(tokens, token, actions[states[-1]])
            if action > 0:
                states.append(action)
                values.append(token)
                break
            origin, length, build = rules[-1 - action]
            assert build is not None
            operands = values[-length:]
            del states[-length:], values[-length:]
            values.append(build(*operands))
            state = states[-1]
            states.append(landings.get((state, origin, kind)) or table.land(state, origin, kind))
    return cast("Statement", values[0])
