"""Matrices that are symmetric by construction, so that nothing has to be compared at run time."""

from __future__ import annotations

import numpy as np

from flatppl.tensor.program import Node

__all__ = ["parity"]

#: Deeper expressions are compared at run time.
_DEPTH = 40
#: Functions of an antisymmetric matrix that are symmetric, and those that are antisymmetric.
_EVEN = frozenset(("abs", "cos", "cosh"))
_ODD = frozenset(("neg", "sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "erf", "sign", "convert"))
_COMMUTATIVE = frozenset(("add", "mul", "maximum", "minimum"))


def parity(x: Node) -> int | None:
    """1 for a matrix proved to equal its transpose, -1 for one proved to be its negative, otherwise None.

    Scalars count as symmetric. Products of a matrix with its transpose count up to rounding.
    """
    return _parity(x, _DEPTH, {})


def _parity(x: Node, depth: int, found: dict[int, int | None]) -> int | None:
    if x.number not in found:
        found[x.number] = _of_operation(x, depth - 1, found) if depth else None
    return found[x.number]


def _of_operation(x: Node, depth: int, found: dict[int, int | None]) -> int | None:
    if not x.shape:
        return 1
    if len(x.shape) != 2 or x.shape[0] != x.shape[1]:
        return None
    if x.constant is not None:
        return 1 if np.array_equal(x.constant, x.constant.T) else None
    name, operands = x.primitive.name, x.operands
    if name == "transpose":
        return _parity(operands[0], depth, found)
    if name == "broadcast":
        return 1 if not operands[0].shape else None
    if name == "dot":
        return 1 if _mirrored(*operands) else None
    if not x.primitive.elementwise:
        return None
    if len(operands) == 2 and _mirrored(*operands):
        return -1 if name == "sub" else 1 if name in _COMMUTATIVE else None
    return _combined(name, x, [_parity(operand, depth, found) for operand in operands])


def _combined(name: str, x: Node, parities: list[int | None]) -> int | None:
    if None in parities or all(sign == 1 for sign in parities):
        return None if None in parities else 1
    exponent = _exponent(name, x)
    if name in _EVEN or (exponent is not None and exponent % 2 == 0):
        return 1
    if name in _ODD or (exponent is not None and exponent % 2 == 1):
        return -1
    if name in ("mul", "div"):
        return parities[0] * parities[1]  # type: ignore[operator]
    return -1 if name in ("add", "sub") and parities[0] == parities[1] else None


def _exponent(name: str, x: Node) -> float | None:
    if name == "integer_pow":
        return int(x.params["exponent"])
    exponent = x.operands[1].constant if name == "pow" else None
    return None if exponent is None or exponent.shape else float(exponent)


def _mirrored(a: Node, b: Node) -> bool:
    """Whether one is the transpose of the other."""
    for one, other in ((a, b), (b, a)):
        if one.primitive.name == "transpose" and one.operands[0] is other and len(one.shape) == 2:
            return True
    left, right = _line(a), _line(b)
    return None not in (left, right) and left[0] is right[0] and left[1] != right[1]  # type: ignore[index]


def _line(x: Node) -> tuple[Node, int] | None:
    """(vector, the axis along which it runs) of a matrix with equal columns or equal rows."""
    if x.primitive.name != "broadcast":
        return None
    source, dims = x.operands[0], x.params["dims"]
    if len(source.shape) == 1:
        return source, dims[0]
    vector = source.operands[0] if source.primitive.name == "reshape" else None
    if vector is None or len(vector.shape) != 1 or sorted(source.shape) != sorted((1, *vector.shape)):
        return None
    return vector, source.shape.index(vector.shape[0])
