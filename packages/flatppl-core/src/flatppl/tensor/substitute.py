"""Replace nodes in a finished program, loops and their bodies included; all replacements at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flatppl.tensor.program import Builder, Node, Program, Region, ancestors, close

__all__ = ["rebind", "substitute"]


def substitute(builder: Builder, roots: Sequence[Node], mapping: Mapping[Node, Node]) -> list[Node]:
    """The roots with every node of ``mapping`` replaced; replacements are not searched again.

    Kinds and shapes of a node and its replacement must agree.
    """
    new: dict[int, Node] = {old.number: node for old, node in mapping.items()}
    fixed = set(new)
    for node in ancestors(roots, lambda node: node.number in fixed):
        if node.number not in new:
            operands = tuple(new[operand.number] for operand in node.operands)
            new[node.number] = node if operands == node.operands else _rebuild(builder, node, operands)
    return [new[root.number] for root in roots]


def _rebuild(builder: Builder, node: Node, operands: tuple[Node, ...]) -> Node:
    params: dict[str, Any] = node.params
    body = params.get("body")
    if isinstance(body, Program):
        count = len(operands) - len(body.captures)
        captures = dict(zip(body.captures, operands[count:], strict=True))
        if any(old is not fresh for old, fresh in captures.items()):
            body = rebind(builder, body, captures)
            operands = operands[:count] + body.captures
            params = {**params, "body": body}
    return builder.build(node.primitive, operands, params)


def rebind(builder: Builder, body: Program, captures: Mapping[Node, Node]) -> Program:
    """The sub-program with other captures, in a region of its own."""
    region = inner_region(builder, captures.values())
    params = [builder.variable(param.aval, region, **param.params) for param in body.params]
    mapping = {**captures, **dict(zip(body.params, params, strict=True))}
    return close(params, substitute(builder, body.results, mapping), region)


def inner_region(builder: Builder, captures: Any) -> Region:
    """A fresh region inside the deepest region of the captures."""
    parent = builder.root
    for capture in captures:
        if capture.region.depth > parent.depth:
            parent = capture.region
    return Region(parent)
