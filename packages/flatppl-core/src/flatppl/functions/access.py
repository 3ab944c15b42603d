"""Element and field access: ``get`` counts from one, ``get0`` from zero."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from flatppl.errors import nearest, refuse
from flatppl.functions.common import check, check_range, got
from flatppl.functions.variadic import Ragged, vector
from flatppl.tensor.intervals import Interval
from flatppl.tensor.ops import reshape, take, transpose
from flatppl.tensor.program import Node
from flatppl.values.callables import fixed_integer, fixed_integers
from flatppl.values.forms import Record, Table, Tensor, Text, Texts, Tuple, describe

__all__ = ["ALL", "ONLY", "Selector", "field", "get", "get0"]


@dataclass(frozen=True, slots=True)
class Selector:
    """``all`` or ``only``; not a value."""

    name: str

    def describe(self) -> str:
        """Name for messages."""
        return f"selector {self.name}"


#: Keeps a whole axis.
ALL: Final = Selector("all")
#: Drops an axis of length one.
ONLY: Final = Selector("only")


def get(container: Any, *selectors: Any) -> Any:
    """Part of a container; integers count from one."""
    return _get(container, selectors, 1)


def get0(container: Any, *selectors: Any) -> Any:
    """Part of a container; integers count from zero."""
    return _get(container, selectors, 0)


def field(container: Record | Table, name: str) -> Any:
    """Field of a record or column of a table."""
    for known, part in container.items:
        if known == name:
            return part
    noun = "column" if isinstance(container, Table) else "field"
    return refuse(
        "field", f"{describe(container)} has no {noun} {name!r}{nearest(name, (n for n, _ in container.items))}"
    )


def _get(container: Any, selectors: tuple[Any, ...], base: int) -> Any:
    if isinstance(container, Tensor):
        return _from_array(container, selectors, base)
    if isinstance(container, Ragged):
        return _from_list(container, selectors, base)
    rule: Any = {Record: _from_record, Table: _from_table, Tuple: _from_tuple, Texts: _from_texts}.get(type(container))
    if rule is None:
        refuse("kind", f"get takes an array, record, table or tuple, got {got(container)}")
    if len(selectors) != 1:
        refuse("index", f"{got(container)} takes one selector, got {len(selectors)}")
    return rule(container, selectors[0], base)


def _from_record(container: Record, selector: Any, base: int) -> Any:
    match selector:
        case Text(text):
            return field(container, text)
        case Texts(texts):
            return Record(tuple((name, field(container, name)) for name in texts))
    return refuse("field", f"a record is read by field name, got {got(selector)}; {describe(container)}")


def _from_table(container: Table, selector: Any, base: int) -> Any:
    match selector:
        case Text(text):
            return field(container, text)
        case Texts(texts):
            return Table(tuple((name, field(container, name)) for name in texts), container.rows)
    items = tuple((name, _get(part, (selector,), base)) for name, part in container.items)
    if isinstance(selector, Selector) or (isinstance(selector, Tensor) and not selector.levels):
        return container if selector is ALL else Record(items)
    return Table(items, selector.node.shape[0])


def _from_tuple(container: Tuple, selector: Any, base: int) -> Any:
    if not isinstance(selector, Tensor) or selector.levels:
        refuse("index", f"a tuple is read by an integer literal, got {got(selector)}")
    return container.items[_static(selector, len(container.items), base)]


def _static(selector: Any, size: int, base: int) -> int:
    index = fixed_integer(selector, "the index")
    _in_range((index,), size, base)
    return index - base


def _in_range(indices: tuple[int, ...], size: int, base: int) -> None:
    for index in indices:
        if not base <= index < size + base:
            where = f"{base} to {size + base - 1}" if size else "an empty range"
            refuse("index", f"index {index} is out of range; it must be in {where}")


def _places(selector: Any, size: int, base: int) -> tuple[int, ...]:
    """Zero-based places that a fixed selector names."""
    if selector is ALL:
        return tuple(range(size))
    if selector is ONLY:
        _only(size)
        return (0,)
    indices = fixed_integers(selector, "the index")
    _in_range(indices, size, base)
    return tuple(index - base for index in indices)


def _one(selector: Any) -> bool:
    return selector is ONLY or (isinstance(selector, Tensor) and not selector.levels)


def _only(size: int) -> None:
    if size != 1:
        refuse("index", f"! (only) takes the element of an axis of length 1, got length {size}")


def _from_texts(container: Texts, selector: Any, base: int) -> Any:
    chosen = [container.texts[place] for place in _places(selector, len(container.texts), base)]
    return Text(chosen[0]) if _one(selector) else Texts(tuple(chosen))


def _from_list(container: Ragged, selectors: tuple[Any, ...], base: int) -> Any:
    chosen = [container.items[place] for place in _places(selectors[0], len(container.items), base)]
    if _one(selectors[0]):
        return _get(chosen[0], selectors[1:], base) if len(selectors) > 1 else chosen[0]
    if len(selectors) > 1:
        refuse("index", f"{got(container)} takes further selectors only after a single index")
    first: Any = chosen[0] if chosen else container.items[0]
    while isinstance(first, Ragged):
        first = first.items[0]
    return vector(first.node.builder, chosen)


def _from_array(container: Tensor, selectors: tuple[Any, ...], base: int) -> Tensor:
    rank = len(container.node.shape)
    if len(selectors) > rank:
        refuse("index", f"{got(container)} takes at most {rank} selectors, got {len(selectors)}")
    chosen = [_selector(x, size, base) for x, size in zip(selectors, container.node.shape, strict=False)]
    chosen += [ALL] * (rank - len(chosen))
    node = _dynamic(_fixed(container.node, chosen), chosen)
    levels, start = [], 0
    for count in container.levels:
        kept = sum(not _drops(x) for x in chosen[start : start + count])
        start += count
        levels += [kept] if kept else []
    return Tensor(node, tuple(levels), container.row and bool(levels))


def _drops(x: Any) -> bool:
    """Whether a normal selector (ALL, a place, a node) removes its axis."""
    return isinstance(x, int) or (isinstance(x, Node) and not x.shape)


def _selector(selector: Any, size: int, base: int) -> Any:
    """Normal form: ALL, a zero-based place, an array of places, or a node of zero-based indices."""
    if selector is ALL:
        return ALL
    if selector is ONLY:
        _only(size)
        return 0
    if not isinstance(selector, Tensor) or selector.levels not in ((), (1,)):
        refuse("index", f"an array is read by integers, integer vectors, all and only; got {got(selector)}")
    if selector.kind != "integer" and selector.node.shape != (0,):
        hint = "integer(x) converts a whole number" if selector.kind == "real" else "an index is an integer"
        refuse("kind", f"an index must be an integer, got {got(selector)}; {hint}")
    node = selector.node
    if node.constant is None:
        return _guarded(node, size, base)
    indices = tuple(int(index) for index in node.constant.reshape(-1))
    _in_range(indices, size, base)
    return np.array(indices, np.int64) - base if node.shape else indices[0] - base


def _guarded(node: Node, size: int, base: int) -> Node:
    last = size + base - 1
    if not check_range(node, Interval(float(base), float(last)), "the index", f"in {base} to {last}", "index"):
        ok = (node >= base) & (node <= last)
        node = check(node, ok, f"index out of range: it must be in {base} to {last}", "index")
    return node - base


def _fixed(node: Node, chosen: list[Any]) -> Node:
    """Apply the static selectors; axes of places remain with length one."""
    if any(isinstance(x, int) for x in chosen):
        start = tuple(x if isinstance(x, int) else 0 for x in chosen)
        stop = tuple(x + 1 if isinstance(x, int) else size for x, size in zip(chosen, node.shape, strict=True))
        node = node.builder.apply("slice", node, start=start, stop=stop, step=(1,) * len(start))
    for axis, x in enumerate(chosen):
        if isinstance(x, np.ndarray) or (isinstance(x, Node) and x.shape):
            node = take(node, x, axis)
    return node


def _dynamic(node: Node, chosen: list[Any]) -> Node:
    """Drop the axes of places, and gather with all scalar indices at once along one flat axis."""
    moving = [axis for axis, x in enumerate(chosen) if isinstance(x, Node) and not x.shape]
    rest = [axis for axis, x in enumerate(chosen) if not _drops(x)]
    kept = tuple(node.shape[axis] for axis in rest)
    if not moving:
        return reshape(node, kept)
    places = [axis for axis, x in enumerate(chosen) if isinstance(x, int)]
    front = transpose(node, (*moving, *places, *rest))
    shape = [node.shape[axis] for axis in moving]
    flat: Any = chosen[moving[0]]
    for axis, size in zip(moving[1:], shape[1:], strict=True):
        flat = flat * size + chosen[axis]
    return take(reshape(front, (math.prod(shape), *kept)), flat)
