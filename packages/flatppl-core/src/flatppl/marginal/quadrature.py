"""Integrals over one scalar variable of a tensor program, and where their integrands jump."""

from __future__ import annotations

from collections.abc import Sequence

from flatppl.integration import Integration
from flatppl.tensor.program import Builder, Node, Region, ancestors, close

__all__ = ["find_breakpoints", "log_integral"]


def log_integral(
    builder: Builder,
    region: Region,
    variable: Node,
    log_integrand: Node,
    lo: Node,
    hi: Node,
    breakpoints: Sequence[Node],
    settings: Integration,
) -> Node:
    """Log of the integral of ``exp(log_integrand)`` over ``variable`` from ``lo`` to ``hi``.

    Parameters
    ----------
    builder : Builder
    region : Region
        Region of the variable.
    variable, log_integrand : Node
        Real scalars.
    lo, hi : Node
        Bounds, free of the variable; infinite only as constants.
    breakpoints : sequence of Node
        Points where the integrand may jump, free of the variable.
    settings : Integration

    Returns
    -------
    Node
        Real scalar; NaN where the integral fails (see primitive ``integrate``).
    """
    body = close((variable,), (log_integrand,), region)
    integral = builder.apply(
        "integrate",
        lo,
        hi,
        *breakpoints,
        *body.captures,
        body=body,
        points=len(breakpoints),
        rtol=float(settings.rtol),
        atol=float(settings.atol),
        max_intervals=settings.max_intervals,
        domain="finite",
    )
    return builder.apply("item", integral, index=0)


def find_breakpoints(node: Node, variable: Node) -> list[Node]:
    """Values of the variable at which a scalar comparison in the node's program changes.

    Found are ``lt`` and ``le`` with one side an affine function of the variable with constant slope, the other free
    of it.
    """
    nodes = ancestors([node])
    bound = {variable.number}
    for item in nodes:
        if any(operand.number in bound for operand in item.operands):
            bound.add(item.number)
    points: dict[int, Node] = {}
    for item in nodes:
        if item.primitive.name not in ("lt", "le") or item.shape or item.number not in bound:
            continue
        for side, other in (item.operands, item.operands[::-1]):
            if side.number in bound and other.number not in bound and (point := _solve(side, other, variable, bound)):
                points[point.number] = point
    return list(points.values())


def _solve(side: Node, value: Node, variable: Node, bound: set[int]) -> Node | None:
    """The variable at which ``side`` equals ``value``; None unless side is affine in it."""
    while side is not variable:
        free = [operand.number not in bound for operand in side.operands]
        undone = _undo(side, value, free) if sum(free) == len(free) - 1 else None
        if undone is None:
            return None
        side, value = undone
    return value


def _undo(side: Node, value: Node, free: Sequence[bool]) -> tuple[Node, Node] | None:
    """One affine step taken back: the operand that depends on the variable, and the value it must have."""
    name, operands = side.primitive.name, side.operands
    if name == "neg":
        return operands[0], -value
    if name == "add":
        return (operands[1], value - operands[0]) if free[0] else (operands[0], value - operands[1])
    if name == "sub":
        return (operands[1], operands[0] - value) if free[0] else (operands[0], value + operands[1])
    slope = operands[0] if free[0] else operands[-1]
    if name not in ("mul", "div") or slope.constant is None or not slope.constant or (name == "div" and free[0]):
        return None
    return operands[1 if free[0] else 0], value / slope if name == "mul" else value * slope
