"""What every part of the resolver shares: the module's names, spans, and the names an expression refers to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from typing import TypeAlias

from flatppl.errors import nearest
from flatppl.graph.names import NAMESPACES, check_distinct
from flatppl.graph.nodes import Builtin, Call, Expr, Literal, Local, Member, Ref
from flatppl.graph.scopes import MODULE, Frame
from flatppl.spans import Source, Span
from flatppl.syntax import tree
from flatppl.syntax.faults import Fault

__all__ = ["Context", "Rule", "Steps", "each", "each_keyword", "refuse", "run", "strip"]

#: A rule that needs operands: yields ``(tree, frame)``, gets the node, returns its own node.
Steps: TypeAlias = Generator[tuple[tree.Tree, Frame], Expr, Expr]
Rule: TypeAlias = Callable[["Context", tree.Tree, Frame], "Expr | Steps"]

#: Special forms that are only called: their arguments are not all expressions.
_ONLY_CALLED = frozenset({"functionof", "kernelof", "fn", "aggregate", "metricsum", "load_module", "standard_module"})
_NOT_BASE = frozenset({"flatppl_compat", "all", "only", "true", "false", "inputs", "outputs", *NAMESPACES})
_MODULE_FORMS = frozenset({"load_module", "standard_module"})
#: A hint compares a name with each candidate: this many hints, this many candidates.
_HINTS = 20
_CANDIDATES = 2000


def refuse(code: str, message: str, at: tree.Tree) -> Fault:
    """The refusal of a piece of text; raise it."""
    return Fault(code, message, at.start, at.end)


def strip(node: tree.Tree) -> tree.Tree:
    """An expression without the parentheses around it."""
    while type(node) is tree.Paren:
        node = node.inner
    return node


def run(context: Context, node: tree.Tree, frame: Frame, rules: Mapping[type, Rule]) -> Expr:
    """Resolve an expression with an explicit stack: its depth takes memory, not the Python stack."""
    stack: list[Steps] = []
    while True:
        value = rules[type(node)](context, node, frame)
        answer: Expr | None = None
        if isinstance(value, Expr):
            answer = value
        else:
            stack.append(value)
        while True:
            if not stack:
                assert answer is not None
                return answer
            try:
                node, frame = stack[-1].send(answer)  # type: ignore[arg-type] # a rule starts with None
                break
            except StopIteration as stop:
                stack.pop()
                answer = stop.value


def each(nodes: Iterable[tree.Tree], frame: Frame) -> Generator[tuple[tree.Tree, Frame], Expr, tuple[Expr, ...]]:
    """The nodes of several trees, for ``yield from`` inside a rule."""
    values = []
    for node in nodes:
        values.append((yield node, frame))
    return tuple(values)


def each_keyword(
    keywords: tuple[tree.Keyword, ...], frame: Frame
) -> Generator[tuple[tree.Tree, Frame], Expr, tuple[tuple[str, Expr], ...]]:
    """The keyword arguments of a call, for ``yield from`` inside a rule.

    Raises
    ------
    Fault
        For a repeated name.
    """
    check_distinct((keyword.name for keyword in keywords), "form", "argument")
    values = yield from each((keyword.value for keyword in keywords), frame)
    return tuple(zip((keyword.name.text for keyword in keywords), values, strict=True))


class Context:
    """The names of a module, while its expressions are resolved.

    Parameters
    ----------
    source : Source
        The module's text.
    base : collection of str
        Names of the built-in namespace.
    values : mapping of str to Tree or None
        Each binding's right-hand side, where it is one; None for parts of decompositions and unreadable bindings.

    Attributes
    ----------
    used : dict of str to Tree
        The bindings that the current statement refers to, with the first place.
    """

    __slots__ = ("aliases", "base", "hints", "loads", "source", "used", "values")

    def __init__(self, source: Source, base: Collection[str], values: Mapping[str, tree.Tree | None]) -> None:
        self.source = source
        self.base = frozenset(base) - _NOT_BASE
        self.values = values
        self.used: dict[str, tree.Tree] = {}
        self.hints = _HINTS
        loads = {name: strip(value) for name, value in values.items() if value is not None}
        loads = {name: value for name, value in loads.items() if self._loads(value)}
        self.aliases = frozenset(loads)
        self.loads = frozenset(loads.values())

    def span(self, node: tree.Tree) -> Span:
        """The characters of a tree."""
        return Span(self.source, node.start, node.end)

    def builtin_call(self, name: str, span: Span, *args: Expr) -> Call:
        """A call that the text writes as an operator or literal."""
        return Call(span, Builtin(span, name), args)

    def get_field(self, span: Span, container: Expr, name: tree.Identifier) -> Call:
        """``container.name`` as a call of ``get``."""
        return self.builtin_call("get", span, container, Literal(self.span(name), name.text))

    def name(self, node: tree.Name, frame: Frame) -> Expr:
        """What a name means: a parameter, a binding, or a built-in.

        Raises
        ------
        Fault
            For a name that nothing defines, a parameter of an outer callable, and a module used as a value.
        """
        text, span = node.text, self.span(node)
        if text in frame.parameters:
            return Local(span, text)
        if text in frame.hidden:
            raise self._outer_parameter(node, frame)
        if text in self.values:
            return self.reference(text, node)
        if text in NAMESPACES:
            raise refuse("name", f"{text!r} is a namespace; write {text}.name", node)
        if text in self.base:
            return self.builtin(text, node)
        raise refuse("name", f"nothing defines {text!r}" + self.near(text, frame), node)

    def builtin(self, name: str, node: tree.Tree) -> Builtin:
        """A built-in that is used as a value or as the head of a plain call."""
        if name in _ONLY_CALLED:
            raise refuse("form", f"{name!r} is a special form and no value; call it directly", node)
        return Builtin(self.span(node), name)

    def reference(self, name: str, node: tree.Tree) -> Ref:
        """A binding of this module that is used as a value."""
        if name in self.aliases:
            raise refuse("module", f"{name!r} is a module, not a value; use a member, {name}.member", node)
        self.used.setdefault(name, node)
        return Ref(self.span(node), name)

    def qualified(self, node: tree.Field, frame: Frame) -> Expr | None:
        """``self.x``, ``base.f`` or ``alias.member``; None for access to a field."""
        head = node.container
        if type(head) is tree.Name and head.text in NAMESPACES:
            return (self._own if head.text == "self" else self._builtin)(node)
        alias = self.alias(head, frame)
        if alias is None:
            return None
        self.used.setdefault(alias, head)
        return Member(self.span(node), alias, node.name.text)

    def alias(self, head: tree.Tree, frame: Frame) -> str | None:
        """The module alias that an expression names, if it names one."""
        if type(head) is tree.Name:
            return head.text if head.text in self.aliases and not self._is_parameter(head.text, frame) else None
        if type(head) is tree.Field and type(head.container) is tree.Name and head.container.text == "self":
            return head.name.text if head.name.text in self.aliases else None
        return None

    def form(self, head: tree.Tree, frame: Frame) -> str | None:
        """The built-in that a call's head names, if it names one."""
        if type(head) is tree.Name:
            hidden = head.text in self.values or self._is_parameter(head.text, frame)
            return head.text if not hidden and head.text in self.base else None
        if type(head) is tree.Field and type(head.container) is tree.Name and head.container.text == "base":
            return head.name.text
        return None

    def near(self, name: str, frame: Frame | None = None, known: Iterable[str] | None = None) -> str:
        """The nearest known name as a hint, for the first few unknown names of a file."""
        self.hints -= 1
        if self.hints < 0:
            return ""
        parameters = frame.parameters if frame is not None else ()
        candidates = [*parameters, *self.base, *self.values] if known is None else [*known]
        return nearest(name, candidates[:_CANDIDATES])

    def _loads(self, value: tree.Tree) -> bool:
        return type(value) is tree.Call and not value.dotted and self.form(value.head, MODULE) in _MODULE_FORMS

    def _is_parameter(self, name: str, frame: Frame) -> bool:
        return name in frame.parameters or name in frame.hidden

    def _outer_parameter(self, node: tree.Name, frame: Frame) -> Fault:
        owner = next(outer for outer in frame.enclosing() if node.text in outer.parameters)
        message = f"{node.text!r} is a parameter of {owner.what} and cannot be used inside {frame.what}"
        return refuse("scope", f"{message}; pass it on as an argument", node)

    def _own(self, node: tree.Field) -> Expr:
        name = node.name.text
        if name not in self.values:
            hint = self.near(name, known=self.values)
            raise refuse("name", f"this module binds no {name!r}" + hint, node.name)
        return self.reference(name, node)

    def _builtin(self, node: tree.Field) -> Expr:
        name = node.name.text
        if name not in self.base:
            raise refuse("name", f"no built-in is called {name!r}" + self.near(name, known=self.base), node.name)
        return self.builtin(name, node)
