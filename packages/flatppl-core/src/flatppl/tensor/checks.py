"""Take the guards out of a program: values as they are, flags as extra results, also out of loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flatppl.tensor.program import Builder, Node, Program, ancestors, close
from flatppl.tensor.substitute import inner_region

__all__ = ["Flag", "take_checks"]


@dataclass(frozen=True, slots=True, eq=False)
class Flag:
    """A runtime check.

    Attributes
    ----------
    ok : Node
        Scalar boolean: no violation anywhere.
    silent : Node
        Scalar boolean: nothing to report; false where a violation is not excused (a NaN parameter is).
    message : str
    category : str
        ``parameter`` (a distribution parameter outside its set) or ``value`` (everything else).
    """

    ok: Node
    silent: Node
    message: str
    category: str


def take_checks(builder: Builder, results: Sequence[Node]) -> tuple[list[Node], list[Flag]]:
    """Results without guards, and the flags that the guards carried."""
    if not any(_guarded(node) for node in ancestors(results)):
        return list(results), []
    return _strip(builder, results, {})


def _guarded(node: Node) -> bool:
    body = node.params.get("body")
    return node.primitive.name in ("guard", "annotated") or (
        isinstance(body, Program) and any(map(_guarded, body.nodes))
    )


def _strip(builder: Builder, roots: Sequence[Node], new: dict[int, Node]) -> tuple[list[Node], list[Flag]]:
    fixed = set(new)
    flags: dict[Any, Flag] = {}
    for node in ancestors(roots, lambda node: node.number in fixed):
        if node.number in new:
            continue
        operands = tuple(new[operand.number] for operand in node.operands)
        found: list[Flag] = []
        if node.primitive.name == "annotated":
            new[node.number] = operands[0]
        elif node.primitive.name == "guard":
            new[node.number], found = _unguard(builder, node, operands)
        elif isinstance(node.params.get("body"), Program):
            new[node.number], found = _strip_loop(builder, node, operands)
        elif operands == node.operands:
            new[node.number] = node
        else:
            new[node.number] = builder.build(node.primitive, operands, node.params)
        flags.update(((flag.ok, flag.silent, flag.message), flag) for flag in found)
    return [new[root.number] for root in roots], list(flags.values())


def _all(builder: Builder, flag: Node) -> Node:
    return builder.apply("all", flag, axes=tuple(range(len(flag.shape)))) if flag.shape else flag


def _unguard(builder: Builder, node: Node, operands: tuple[Node, ...]) -> tuple[Node, list[Flag]]:
    value, ok, excused = operands
    if value.shape != node.shape:
        value = builder.apply("broadcast", value, shape=node.shape, dims=())
    fine = builder.apply("or", ok, excused)
    flag = Flag(_all(builder, ok), _all(builder, fine), node.params["message"], node.params["category"])
    return value, [flag]


def _strip_loop(builder: Builder, node: Node, operands: tuple[Node, ...]) -> tuple[Node, list[Flag]]:
    body: Program = node.params["body"]
    count = len(operands) - len(body.captures)
    captures = dict(zip(body.captures, operands[count:], strict=True))
    if not _guarded(node) and operands == node.operands:
        return node, []
    region = inner_region(builder, captures.values())
    params = [builder.variable(param.aval, region, **param.params) for param in body.params]
    new = {old.number: fresh for old, fresh in captures.items()}
    new.update((old.number, fresh) for old, fresh in zip(body.params, params, strict=True))
    results, flags = _strip(builder, body.results, new)
    extra = [part for flag in flags for part in (flag.ok, flag.silent)]
    closed = close(params, [*results, *extra], region)
    loop = builder.build(node.primitive, operands[:count] + closed.captures, {**node.params, "body": closed})
    parts = [builder.apply("item", loop, index=len(results) + index) for index in range(len(extra))]
    scalars = [_all(builder, part) for part in parts]
    return loop, [
        replace(flag, ok=scalars[2 * index], silent=scalars[2 * index + 1]) for index, flag in enumerate(flags)
    ]
