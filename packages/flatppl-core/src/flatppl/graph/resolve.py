"""Syntax tree to module graph: all sugar gone, every name resolved (language.md 2.4, 3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import count
from types import MappingProxyType

from flatppl.errors import CompilationError
from flatppl.graph.context import Context, refuse, strip
from flatppl.graph.cycles import cycles
from flatppl.graph.expressions import resolve_expression
from flatppl.graph.names import check_bound
from flatppl.graph.nodes import Binding, Expr, Graph, Part, Ref
from flatppl.graph.scopes import MODULE
from flatppl.spans import Source
from flatppl.syntax import tree
from flatppl.syntax.faults import Fault
from flatppl.syntax.parser import parse, read

__all__ = ["check", "parse_and_resolve", "resolve", "salvage"]

_SHOWN = 12


def parse_and_resolve(source: Source, base_names: Collection[str]) -> Graph:
    """The module graph of a source.

    Parameters
    ----------
    source : Source
        The text.
    base_names : collection of str
        Every name of the built-in namespace ``base``.

    Raises
    ------
    CompilationError
        The first error.

    Examples
    --------
    >>> graph = parse_and_resolve(Source("example", "a, b = [1, 2]; c = a + b"), {"add", "vector"})
    >>> list(graph.bindings)
    ['__0x1', 'a', 'b', 'c']
    """
    return resolve(parse(source), source, base_names)


def resolve(module: tree.Module, source: Source, base_names: Collection[str]) -> Graph:
    """The module graph of a syntax tree; see :func:`parse_and_resolve`."""
    graph, errors = _resolve(module, source, base_names)
    if errors:
        raise errors[0]
    return graph


def salvage(source: Source, base_names: Collection[str]) -> tuple[Graph, list[CompilationError]]:
    """The statements of a source that resolve, and all errors of the others (see :func:`check`)."""
    module, errors = read(source)
    graph, more = _resolve(module, source, base_names)
    return graph, sorted(errors + more, key=lambda error: error.span.start if error.span else 0)


def check(source: Source, base_names: Collection[str]) -> list[CompilationError]:
    """All errors of a source that do not follow from each other, in the order of the text.

    One error per statement; a name that an unreadable statement mentions counts as defined.
    """
    return salvage(source, base_names)[1]


def _resolve(module: tree.Module, source: Source, base_names: Collection[str]) -> tuple[Graph, list[CompilationError]]:
    resolver = _Resolver(module, source, base_names)
    for statement in module.statements:
        resolver.statement(statement)
    resolver.check_cycles()
    faults = sorted(resolver.faults, key=lambda fault: fault.start)
    graph = Graph(source, MappingProxyType(resolver.bindings))
    return graph, [fault.located(source) for fault in faults]


class _Resolver:
    """The bindings of a module and what is wrong with them."""

    def __init__(self, module: tree.Module, source: Source, base_names: Collection[str]) -> None:
        self.faults: list[Fault] = []
        self.bindings: dict[str, Binding] = {}
        self.references: dict[str, tuple[str, ...]] = {}
        owners: dict[str, tree.Statement] = {}
        values: dict[str, tree.Tree | None] = dict.fromkeys(module.broken)
        self.skipped = {statement for statement in module.statements if not self.own(statement, owners, source)}
        for name, statement in owners.items():
            plain = isinstance(statement, tree.Unpack) and not statement.drawn and len(statement.names) == 1
            values[name] = statement.value if plain and isinstance(statement, tree.Unpack) else None
        self.context = Context(source, base_names, values)
        self.fresh = (name for number in count(1) if (name := f"__0x{number:x}") not in values)

    def own(self, statement: tree.Statement, owners: dict[str, tree.Statement], source: Source) -> bool:
        """Note which names a statement binds; False if it may not bind them."""
        names = _bound(statement)
        try:
            check_bound(statement, names)
            for name in names:
                if name.text in owners:
                    line, _ = source.position(owners[name.text].start)
                    raise refuse("duplicate", f"{name.text!r} is already bound in line {line}", name)
                if name.text != "_":
                    owners[name.text] = statement
        except Fault as fault:
            self.faults.append(fault)
            return False
        return True

    def statement(self, statement: tree.Statement) -> None:
        """Add the bindings of a statement."""
        if statement in self.skipped:
            return
        try:
            self.context.used = {}
            expr = self.expression(statement)
        except Fault as fault:
            self.faults.append(fault)
            return
        names = _bound(statement)
        if len(names) > 1:
            self.unpack(names, expr, statement)
        else:
            self.bind(names[0].text, expr, statement)

    def expression(self, statement: tree.Statement) -> Expr:
        """The right-hand side of a statement."""
        if not isinstance(statement, tree.Unpack):
            return resolve_expression(self.context, statement, MODULE)
        value = statement.value
        if statement.names[0].text == "flatppl_compat" and not _is_string(value):
            raise refuse("form", 'flatppl_compat is a version string: flatppl_compat = "0.9, 1"', value)
        expr = resolve_expression(self.context, value, MODULE)
        return self.context.builtin_call("draw", self.context.span(statement), expr) if statement.drawn else expr

    def unpack(self, names: tuple[tree.Identifier, ...], expr: Expr, statement: tree.Statement) -> None:
        """``a, b = expr``: a private binding of the whole, then its parts."""
        whole = next(self.fresh)
        self.bind(whole, expr, statement)
        for index, name in enumerate(names):
            if name.text == "_":
                continue
            span = self.context.span(name)
            self.context.used = {whole: name}
            self.bind(name.text, Part(span, Ref(span, whole), index, len(names)), statement)

    def bind(self, name: str, expr: Expr, statement: tree.Statement) -> None:
        """``name = expr``."""
        name = next(self.fresh) if name == "_" else name
        doc = statement.doc
        span = self.context.span(statement)
        self.references[name] = tuple(self.context.used)
        self.bindings[name] = Binding(name, expr, span, doc.text if doc else None, doc.tag if doc else "md")

    def check_cycles(self) -> None:
        """Note circular references."""
        for circle in cycles(self.references):
            span = self.bindings[circle[0]].span
            message = f"these bindings refer to each other in a circle: {_path(circle)}"
            self.faults.append(Fault("cycle", message, span.start, span.end))


def _bound(statement: tree.Statement) -> tuple[tree.Identifier, ...]:
    if isinstance(statement, tree.Unpack):
        return statement.names
    assert isinstance(statement, tree.Definition | tree.Aggregate)
    return (statement.name,)


def _is_string(value: tree.Tree) -> bool:
    value = strip(value)
    return isinstance(value, tree.Literal) and isinstance(value.value, str)


def _path(circle: Iterable[str]) -> str:
    names = [*_public(circle)]
    shown = names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], "..."]
    return " -> ".join([*shown, names[0]])


def _public(circle: Iterable[str]) -> Iterator[str]:
    """The names of a circle that the text contains, if any."""
    names = list(circle)
    return iter([name for name in names if not name.startswith("__0x")] or names)
