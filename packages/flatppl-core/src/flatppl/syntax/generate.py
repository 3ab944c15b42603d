"""Write ``table.json``, the LALR table of ``grammar.lark``: ``python -m flatppl.syntax.generate``.

Reading the table takes a millisecond where importing Lark and compiling the grammar takes two tenths of a second.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["build", "render"]

HERE = Path(__file__).parent


def build() -> dict[str, Any]:
    """The table of ``grammar.lark``.

    Returns
    -------
    dict
        ``rules``: rows ``[nonterminal, length, action or None]``; ``actions``: per state, token kind to ``n > 0``
        (shift to state ``n``) or ``-1 - n`` (reduce by rule ``n``); ``gotos``: per state, nonterminal to state;
        ``start`` and ``accept``: states.
    """
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        """Keeps Lark from building a lexer of its own."""

        def __init__(self, _conf: Any) -> None: ...

        def lex(self, *_: Any) -> Any:
            """Never called."""

    # strict refuses conflicts instead of preferring a shift
    lark = Lark((HERE / "grammar.lark").read_text(), parser="lalr", lexer=NoLexer, start="statement", strict=True)
    spelling = {terminal.name: terminal.pattern.value for terminal in lark.terminals}
    table = lark.parser.parser._parse_table
    numbers = _numbering(table)
    rules = {rule: number for number, rule in enumerate(lark.rules)}
    actions: list[dict[str, int]] = [{} for _ in numbers]
    gotos: list[dict[str, int]] = [{} for _ in numbers]
    for state, row in table.states.items():
        for symbol, (action, target) in sorted(row.items(), key=lambda item: item[0]):
            shift = action.name == "Shift"
            if shift and symbol.islower():
                gotos[numbers[state]][symbol] = numbers[target]
            else:
                code = numbers[target] if shift else -1 - rules[target]
                actions[numbers[state]][spelling.get(symbol, symbol)] = code
    return {
        "rules": [_rule(rule) for rule in lark.rules],
        "actions": actions,
        "gotos": gotos,
        "start": numbers[table.start_states["statement"]],
        "accept": numbers[table.end_states["statement"]],
    }


def render(table: dict[str, Any]) -> str:
    """The table as JSON with one state or rule per line."""
    parts = []
    for key, value in table.items():
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in value) if isinstance(value, list) else None
        parts.append(f'"{key}": ' + (f"[\n{rows}\n]" if rows is not None else str(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _numbering(table: Any) -> dict[int, int]:
    """States in breadth-first order from the start, which does not depend on the order of Python's sets."""
    start = table.start_states["statement"]
    numbers = {start: 0}
    queue = [start]
    for state in queue:
        for _, (action, target) in sorted(table.states[state].items(), key=lambda item: item[0]):
            if action.name == "Shift" and target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
    return numbers


def _rule(rule: Any) -> tuple[str, int, str | None]:
    length = len(rule.expansion)
    if rule.alias is None and (length != 1 or rule.expansion[0].is_term):
        raise ValueError(f"grammar.lark: {rule} needs an action")
    return str(rule.origin.name), length, rule.alias


if __name__ == "__main__":
    (HERE / "table.json").write_text(render(build()))
