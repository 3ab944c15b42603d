"""The module graph: named bindings of expression nodes, all sugar gone, every name resolved.

Nodes compare by identity: two ``draw`` calls with equal text stay two nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flatppl.spans import Source, Span

__all__ = [
    "Axis",
    "Binding",
    "Builtin",
    "Call",
    "Expr",
    "Graph",
    "Input",
    "Literal",
    "Local",
    "Member",
    "Part",
    "Ref",
    "Reify",
]


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """A node of the graph; ``span`` is the text it stands for."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Expr):
    """A number, string or boolean; the Python type is the FlatPPL kind (int, float, str, bool)."""

    value: int | float | str | bool


@dataclass(frozen=True, slots=True, eq=False)
class Builtin(Expr):
    """A name of ``base``: function, distribution, set, constant, selector (``all``, ``only``)."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Ref(Expr):
    """A binding of the same module."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Local(Expr):
    """An input of the enclosing reification (lambda parameter, placeholder, hole)."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Member(Expr):
    """``alias.name`` of a loaded or standard module; ``alias`` is a binding of this module."""

    alias: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Axis(Expr):
    """An axis name inside ``aggregate`` or ``metricsum``; variance is ``""``, ``"^"`` or ``"_"``."""

    name: str
    variance: str


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expr):
    """``head(args..., keywords...)``; operators, indexing and literals of containers are calls of built-ins."""

    head: Expr
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Part(Expr):
    """Component ``index`` (from 0) of ``count`` of a decomposed array, record or tuple."""

    source: Expr
    index: int
    count: int


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a reification: its public name and the node that it replaces.

    ``target`` is a :class:`Local` for a placeholder or parameter, a :class:`Ref` for a boundary at a binding.
    """

    name: str
    target: Local | Ref


@dataclass(frozen=True, slots=True, eq=False)
class Reify(Expr):
    """``functionof(body, ...)`` or ``kernelof(body, ...)``; lambdas, ``fn`` and definitions are ``functionof``.

    ``inputs`` is None where the boundary is found by tracing (keyword-only callable).
    """

    kind: str
    body: Expr
    inputs: tuple[Input, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """``name = expr`` with its statement's span and its doc-comment, if any; ``doc_tag`` is ``md`` or ``typ``."""

    name: str
    expr: Expr
    span: Span
    doc: str | None = None
    doc_tag: str = "md"


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A resolved module."""

    source: Source
    bindings: Mapping[str, Binding] = field(default_factory=dict)
