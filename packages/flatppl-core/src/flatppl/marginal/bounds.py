"""Bounds of a program over all values of one of its leaves, as programs that are free of the leaf."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import abs_, broadcast, convert, maximum, minimum, select
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.ranges import range_of

__all__ = ["upper_bound"]


@dataclass(frozen=True, slots=True)
class _Reach:
    """Nodes that no entry is below or above; None where there is no such bound."""

    lo: Node | None
    hi: Node | None


def upper_bound(root: Node, leaf: Node, least: Node) -> Node | None:
    """A node that ``root`` does not exceed for any value of the leaf from ``least`` on; None if none is found.

    Interval arithmetic with live ends: what does not depend on the leaf is its own bound. Bounds hold but for
    rounding; where a parameter makes the program NaN, they may be NaN too.
    """
    known = {leaf.number: _Reach(least, None)}
    for node in ancestors([root], lambda node: node is leaf):
        if node.number in known:
            continue
        parts = [known[operand.number] for operand in node.operands]
        if all(part.lo is part.hi is operand for part, operand in zip(parts, node.operands, strict=True)):
            known[node.number] = _Reach(node, node)
        else:
            rule = _RULES.get(node.primitive.name)
            known[node.number] = _Reach(None, None) if rule is None else rule(node, parts)
            if isinstance(node.aval, Aval):
                known[node.number] = _limited(node, known[node.number])
    return known[root.number].hi


def _limited(node: Node, found: _Reach) -> _Reach:
    """In the node's shape, with the fixed bounds of range analysis where there are no others."""
    if node.kind not in ("integer", "real"):
        return found
    reach = range_of(node)
    return _Reach(_end(node, found.lo, reach.lo), _end(node, found.hi, reach.hi))


def _end(node: Node, live: Node | None, fixed: float) -> Node | None:
    if live is None and not math.isfinite(fixed):
        return None
    end = convert(node.builder.lift(fixed) if live is None else live, node.kind)
    return end if end.shape == node.shape else broadcast(end, node.shape, ())


def _both(f: Callable[..., Node], *ends: Node | None) -> Node | None:
    """A function of bounds that are all there, if it is not infinite for certain."""
    if any(end is None for end in ends):
        return None
    found = f(*ends)
    return found if found.constant is None or np.isfinite(found.constant).all() else None


def _again(node: Node) -> Callable[..., Node]:
    return lambda *operands: node.builder.build(node.primitive, operands, node.params)


def _rising(node: Node, parts: list[_Reach]) -> _Reach:
    """Increasing in every operand."""
    return _Reach(_both(_again(node), *(part.lo for part in parts)), _both(_again(node), *(part.hi for part in parts)))


def _neg(node: Node, parts: list[_Reach]) -> _Reach:
    (a,) = parts
    return _Reach(_both(_again(node), a.hi), _both(_again(node), a.lo))


def _sub(node: Node, parts: list[_Reach]) -> _Reach:
    a, b = parts
    return _Reach(_both(_again(node), a.lo, b.hi), _both(_again(node), a.hi, b.lo))


def _mul(node: Node, parts: list[_Reach]) -> _Reach:
    """Of factors of known sign; and of any two whose four ends are there."""
    signs = [_sign(operand) for operand in node.operands]
    a, b = parts
    if None in signs:
        corners = [_both(_again(node), x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        return _Reach(_least(minimum, corners), _least(maximum, corners))
    inner, outer = (_both(_again(node), *(_near(p, s, w) for p, s in zip(parts, signs, strict=True))) for w in (0, 1))
    return _Reach(inner, outer) if signs[0] == signs[1] else _Reach(outer, inner)


def _near(part: _Reach, sign: int | None, far: int) -> Node | None:
    """The end of a one-signed reach that is nearer to zero, or the farther one."""
    ends = (part.lo, part.hi) if sign == 1 else (part.hi, part.lo)
    return ends[far]


def _sign(node: Node) -> int | None:
    reach = range_of(node)
    return 1 if reach.lo >= 0.0 else -1 if reach.hi <= 0.0 else None


def _least(choose: Callable[..., Node], ends: list[Node | None]) -> Node | None:
    if any(end is None for end in ends):
        return None
    chosen = ends[0]
    for end in ends[1:]:
        chosen = choose(chosen, end)
    return chosen


def _div(node: Node, parts: list[_Reach]) -> _Reach:
    """By a divisor of known sign that does not depend on the leaf, or of positive operands."""
    a, b = parts
    if b.lo is not None and b.lo is b.hi:
        sign = _sign(b.lo)
        ends = [_both(_again(node), end, b.lo) for end in (a.lo, a.hi)]
        return _Reach(None, None) if sign is None else _Reach(*(ends if sign == 1 else ends[::-1]))
    if _sign(node.operands[0]) != 1 or _sign(node.operands[1]) != 1:
        return _Reach(None, None)
    return _Reach(_both(_again(node), a.lo, b.hi), _both(_again(node), a.hi, b.lo))


def _power(node: Node, parts: list[_Reach]) -> _Reach:
    if node.params["exponent"] % 2 or node.params["exponent"] < 0:
        return _rising(node, parts) if node.params["exponent"] > 0 else _Reach(None, None)
    size = _abs(node, parts)
    return _Reach(*(_both(_again(node), end) for end in (size.lo, size.hi)))


def _abs(node: Node, parts: list[_Reach]) -> _Reach:
    (a,) = parts
    zero = node.builder.lift(0.0)
    low = _both(lambda lo, hi: maximum(maximum(lo, -hi), zero), a.lo, a.hi)
    return _Reach(zero if low is None else low, _both(lambda lo, hi: maximum(abs_(lo), abs_(hi)), a.lo, a.hi))


def _select(node: Node, parts: list[_Reach]) -> _Reach:
    condition, a, b = parts
    if condition.lo is node.operands[0]:
        return _Reach(
            _both(lambda x, y: select(condition.lo, x, y), a.lo, b.lo),
            _both(lambda x, y: select(condition.lo, x, y), a.hi, b.hi),
        )
    return _Reach(_both(minimum, a.lo, b.lo), _both(maximum, a.hi, b.hi))


def _guard(node: Node, parts: list[_Reach]) -> _Reach:
    return parts[0]


_RULES: dict[str, Callable[[Node, list[_Reach]], _Reach]] = {
    **dict.fromkeys(
        ("add", "maximum", "minimum", "convert", "exp", "expm1", "log", "log1p", "sqrt", "logistic", "tanh", "atan", "erf",
         "ndtr", "log_ndtr", "logaddexp", "logsumexp", "sum", "max", "min", "reshape", "transpose", "broadcast", "slice",
         "stack", "concat", "floor", "ceil"),
        _rising,
    ),
    "neg": _neg,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "integer_pow": _power,
    "abs": _abs,
    "select": _select,
    "guard": _guard,
}  # fmt: skip
