"""The references of an expression, sorted by what the reifications in it cut off and absorb."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from flatppl.graph.nodes import Builtin, Call, Expr, Member, Part, Ref, Reify

__all__ = ["Region", "children", "region_of"]


@dataclass(slots=True, eq=False)
class Region:
    """An expression, or the part of one inside a reification or ``lawof``.

    Parameters
    ----------
    cut : frozenset of str or None
        Bindings that are inputs in here; None for all ``elementof`` leaves.
    absorbs : bool
        Whether draws in here are integrated: inside ``lawof`` and ``kernelof``.
    refs : set of str
        Bindings that it mentions outside the inner regions; aliases of members among them.
    members : list of Member
        Members of other modules that it mentions outside the inner regions.
    draws, leaf : bool
        Whether it contains ``draw`` and ``elementof`` outside the inner regions.
    inner : list of Region
    """

    cut: frozenset[str] | None = frozenset()
    absorbs: bool = False
    refs: set[str] = field(default_factory=set)
    members: list[Member] = field(default_factory=list)
    draws: bool = False
    leaf: bool = False
    inner: list[Region] = field(default_factory=list)


def children(expr: Expr) -> Iterable[Expr]:
    """The operands of a node, in the order of the text."""
    find = _CHILDREN.get(type(expr))
    return find(expr) if find is not None else ()


def region_of(expr: Expr) -> Region:
    """The region of an expression, in time linear in its distinct nodes."""
    whole = Region()
    pending: list[tuple[Expr, Region]] = [(expr, whole)]
    seen: set[Expr] = set()
    while pending:
        node, region = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        note = _NOTES.get(type(node))
        if note is not None:
            note(node, region)
        inner = _enter(node)
        if inner is not None:
            region.inner.append(inner)
            region = inner
        pending += [(child, region) for child in children(node)]
    return whole


def _enter(node: Expr) -> Region | None:
    """The region that a node opens, if it opens one."""
    if isinstance(node, Call):
        return Region(absorbs=True) if isinstance(node.head, Builtin) and node.head.name == "lawof" else None
    if not isinstance(node, Reify):
        return None
    if node.inputs is None:
        return Region(None, node.kind == "kernelof")
    cut = frozenset(item.target.name for item in node.inputs if isinstance(item.target, Ref))
    return Region(cut, node.kind == "kernelof") if cut or node.kind == "kernelof" else None


def _note_builtin(node: Builtin, region: Region) -> None:
    region.draws |= node.name == "draw"
    region.leaf |= node.name == "elementof"


def _note_member(node: Member, region: Region) -> None:
    region.refs.add(node.alias)
    region.members.append(node)


_NOTES: dict[type, Callable[..., None]] = {
    Builtin: _note_builtin,
    Member: _note_member,
    Ref: lambda node, region: region.refs.add(node.name),
}
_CHILDREN: dict[type, Callable[..., Iterable[Expr]]] = {
    Call: lambda node: (node.head, *node.args, *(value for _, value in node.keywords)),
    Part: lambda node: (node.source,),
    Reify: lambda node: (node.body,),
}
