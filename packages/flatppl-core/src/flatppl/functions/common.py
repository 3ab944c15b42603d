"""What the chapters share: arguments read as nodes, and checks.

Every reader takes the value and the name of the function, and refuses what the function does not take.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.guards import guard_value
from flatppl.tensor.intervals import Interval
from flatppl.tensor.ops import convert
from flatppl.tensor.program import Builder, Node
from flatppl.tensor.ranges import range_of
from flatppl.values.callables import fixed_integers
from flatppl.values.forms import Tensor, describe

__all__ = [
    "as_value", "boolean", "check", "check_range", "got", "matrix", "real", "scalar", "sizes",
    "spread", "squarely", "tensor", "vector",
]  # fmt: skip

KINDS = ("boolean", "integer", "real")


def as_value(builder: Builder, result: Any) -> Any:
    """Result of a rule as a value: a rule whose arguments hold no tensor returns a Python or NumPy constant."""
    if isinstance(result, bool | int | float | np.generic | np.ndarray):
        node = builder.constant(result)
        return Tensor(node, (len(node.shape),) if node.shape else ())
    return result


def got(value: Any) -> str:
    """``"a ..."`` or ``"an ..."`` of a value, for messages."""
    text = describe(value)
    return f"{'an' if text[0] in 'aeiou' else 'a'} {text}"


def tensor(value: Any, name: str) -> Tensor:
    """A number or array of numbers."""
    if not isinstance(value, Tensor):
        refuse("kind", f"{name} takes numbers or arrays of numbers, got {got(value)}")
    if value.kind == "complex":
        refuse("unsupported", "complex values are not supported yet")
    if value.kind not in KINDS:
        refuse("kind", f"{name} takes numbers or arrays of numbers, got {got(value)}")
    return value


def scalar(value: Any, name: str, dotted: str = "") -> Node:
    """Node of a number; ``dotted`` is the spelling that applies the function to every element."""
    found = tensor(value, name)
    if found.levels:
        hint = f"; write {dotted or name + '.(...)'} to apply it to every element"
        refuse("shape", f"{name} takes a scalar, got {got(value)}{hint}")
    return found.node


def boolean(value: Any, name: str, dotted: str = "") -> Node:
    """Node of a boolean scalar."""
    node = scalar(value, name, dotted)
    if node.kind != "boolean":
        refuse("kind", f"{name} takes booleans, got {got(value)}; boolean(x) converts 0 and 1")
    return node


def vector(value: Any, name: str, row: bool = False) -> Node:
    """Node of a vector of numbers; a transposed one only where ``row``."""
    found = tensor(value, name)
    if found.levels != (1,):
        refuse("shape", f"{name} takes a vector, got {got(value)}")
    if found.row and not row:
        refuse("shape", f"{name} takes a vector, got {got(value)}; transpose it first")
    return found.node


def matrix(value: Any, name: str) -> Node:
    """Node of a matrix of numbers."""
    found = tensor(value, name)
    if found.levels != (2,):
        hint = "; rowstack or colstack makes a matrix of it" if found.levels == (1, 1) else ""
        refuse("shape", f"{name} takes a matrix, got {got(value)}{hint}")
    return found.node


def squarely(value: Any, name: str) -> Node:
    """Node of a square matrix of numbers."""
    node = matrix(value, name)
    if node.shape[0] != node.shape[1]:
        refuse("shape", f"{name} takes a square matrix, got {got(value)}")
    return node


def real(node: Node) -> Node:
    """The node as reals."""
    return convert(node, "real")


def sizes(value: Any, what: str, least: int = 0) -> tuple[int, ...]:
    """Fixed integers, none below ``least``."""
    found = fixed_integers(value, what)
    if any(size < least for size in found):
        refuse("domain", f"{what} must be at least {least}, got {', '.join(map(str, found))}")
    return found


def check(value: Node, ok: Node, message: str, code: str = "domain") -> Node:
    """``value``, guarded by ``ok`` unless that is a true constant."""
    return value if ok.constant is not None and ok.constant.all() else guard_value(value, ok, message, code)


def check_range(node: Node, domain: Interval, what: str, where: str, code: str = "domain") -> bool:
    """Whether the node is provably in the domain; refused where it is provably outside."""
    found = range_of(node)
    if found.disjoint(domain):
        ends = f"{found.lo:g}" if found.lo == found.hi else f"between {found.lo:g} and {found.hi:g}"
        refuse(code, f"{what} must be {where}, got {ends}")
    return found.inside(domain)


def spread(node: Node, shape: tuple[int, ...], kept: Sequence[int]) -> Node:
    """Repeat a node whose axes are the axes ``kept`` of ``shape``."""
    return node.builder.apply("broadcast", node, shape=shape, dims=tuple(kept))
