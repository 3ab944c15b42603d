"""The syntax tree: one class per surface form, with character offsets into its source."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Aggregate",
    "Array",
    "Axis",
    "Binary",
    "Call",
    "Comparison",
    "Definition",
    "Doc",
    "Field",
    "Hole",
    "Identifier",
    "Index",
    "Keyword",
    "Lambda",
    "Literal",
    "Module",
    "Name",
    "Operator",
    "Paren",
    "Placeholder",
    "Selector",
    "Statement",
    "Tree",
    "Tuple",
    "Unary",
    "Unpack",
]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A piece of source text: the characters ``[start, end)``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Identifier(Tree):
    """A name that is not an expression: a bound name, a parameter, a field, a keyword of a call."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Operator(Tree):
    """An operator sign; ``dotted`` for its broadcast form, ``sign`` without the dot."""

    sign: str
    dotted: bool


# ---------------------------------------------------------------- operands


@dataclass(frozen=True, slots=True, eq=False)
class Name(Tree):
    """A name in an expression."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Placeholder(Tree):
    """``_name_``."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Hole(Tree):
    """``_``."""


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Tree):
    """A number, string, ``true`` or ``false``."""

    value: int | float | str | bool


@dataclass(frozen=True, slots=True, eq=False)
class Selector(Tree):
    """``all``, ``only``; ``:`` and ``!`` inside an index."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Axis(Tree):
    """``.name`` with variance ``""``, ``"^"`` or ``"_"``."""

    name: str
    variance: str


@dataclass(frozen=True, slots=True, eq=False)
class Array(Tree):
    """``[a, b]``; also a list of axes."""

    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tuple(Tree):
    """``(a, b)``."""

    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Paren(Tree):
    """``(a)``."""

    inner: Tree


# ---------------------------------------------------------------- operations


@dataclass(frozen=True, slots=True, eq=False)
class Field(Tree):
    """``container.name``."""

    container: Tree
    name: Identifier


@dataclass(frozen=True, slots=True, eq=False)
class Index(Tree):
    """``container[selectors]``."""

    container: Tree
    selectors: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Keyword(Tree):
    """``name = value`` in a call."""

    name: Identifier
    value: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Call(Tree):
    """``head(args, keywords)``; ``dotted`` for ``head.(...)``."""

    head: Tree
    args: tuple[Tree, ...]
    keywords: tuple[Keyword, ...]
    dotted: bool


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Tree):
    """``-a``, ``!a`` and their dotted forms."""

    operator: Operator
    operand: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Tree):
    """``left op right`` of arithmetic and logic."""

    left: Tree
    operator: Operator
    right: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Tree):
    """``operands[0] operators[0] operands[1] ...``."""

    operands: tuple[Tree, ...]
    operators: tuple[Operator, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(Tree):
    """``x -> body`` or ``(x, y) -> body``."""

    parameters: tuple[Identifier, ...]
    body: Tree


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True, eq=False)
class Doc(Tree):
    """A doc-comment: its tag (``md`` or ``typ``) and its lines, joined by newlines."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Statement(Tree):
    """A definition; ``doc`` is attached to it."""

    doc: Doc | None


@dataclass(frozen=True, slots=True, eq=False)
class Unpack(Statement):
    """``a = value``, ``a, b = value``, and with ``~`` (``drawn``)."""

    names: tuple[Identifier, ...]
    drawn: bool
    value: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Definition(Statement):
    """``name(parameters) = body``."""

    name: Identifier
    parameters: tuple[Identifier, ...]
    body: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate(Statement):
    """``name[axes] := body`` and ``metric: name[axes] := body``."""

    metric: Tree | None
    name: Identifier
    axes: Array
    body: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Module(Tree):
    """All statements that could be read, and the names that unreadable ones mention."""

    statements: tuple[Statement, ...]
    broken: frozenset[str]
