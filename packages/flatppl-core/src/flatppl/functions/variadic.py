"""Value constructors and the value-level special forms with any number of operands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.functions.common import got, tensor
from flatppl.tensor.avals import join
from flatppl.tensor.ops import concat, convert, element, stack
from flatppl.tensor.program import Builder
from flatppl.values.forms import Record, Table, Tensor, Text, Texts, Tuple, Value, describe

__all__ = [
    "Ragged", "cat", "parts_of", "record", "record_of", "relabel", "row_count", "table", "table_of", "tuple_", "vector",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ragged(Value):
    """A vector of arrays of unequal shapes: a list without tensor form."""

    items: tuple[Value, ...]

    def describe(self) -> str:
        """Name for messages."""
        return f"list of {len(self.items)} arrays of unequal shapes"


_STORED = (Tensor, Record, Table, Text, Texts, Ragged)


def vector(builder: Builder, values: Sequence[Any]) -> Value:
    """The array literal: scalars, equal-shaped arrays, arrays of unequal shapes, or strings."""
    if not values:
        return Tensor(builder.constant(np.zeros(0)), (1,))
    if all(isinstance(value, Text) for value in values):
        return Texts(tuple(value.text for value in values))
    for value in values:
        _may_be_element(value)
    if any(isinstance(value, Ragged) for value in values):
        return Ragged(tuple(values))
    first = values[0]
    if any(value.levels != first.levels for value in values):
        other = next(value for value in values if value.levels != first.levels)
        refuse("shape", f"an array holds elements of one form, got {got(first)} and {got(other)}")
    if any(value.node.shape != first.node.shape for value in values):
        return Ragged(tuple(values))
    return _stacked(builder, values, first.levels)


def _stacked(builder: Builder, values: Sequence[Tensor], levels: tuple[int, ...]) -> Tensor:
    """One constant if all are constants, otherwise one stack."""
    constants = [value.node.constant for value in values if value.node.constant is not None]
    if len(constants) < len(values):
        return Tensor(stack(*(value.node for value in values)), (1, *levels))
    kind = join(*{value.kind for value in values})
    return Tensor(convert(builder.constant(np.stack(constants)), kind), (1, *levels))


def _may_be_element(value: Any) -> None:
    if isinstance(value, Ragged):
        return
    if isinstance(value, Record | Table):
        refuse("kind", f"an array cannot hold {got(value)}; write a table, as in table(a = [1, 2])")
    if isinstance(value, Text | Texts):
        refuse("kind", f"an array holds numbers or strings, not both; got {got(value)}")
    if not isinstance(value, Tensor):
        refuse("kind", f"an array holds scalars and arrays, got {got(value)}; a tuple (a, b) holds anything")
    if value.row:
        refuse("shape", f"an array cannot hold {got(value)}; transpose it first")
    tensor(value, "an array")


def tuple_(values: Sequence[Any]) -> Tuple:
    """Two or more objects."""
    if len(values) < 2:
        refuse("form", "a tuple has at least two components")
    return Tuple(tuple(values))


def _distinct(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            refuse("field", f"{what} {name!r} occurs twice")
        seen.add(name)


def record(items: Sequence[tuple[str, Any]]) -> Record:
    """Ordered named fields."""
    _distinct((name for name, _ in items), "the field")
    for name, value in items:
        if not isinstance(value, _STORED):
            refuse("kind", f"the record field {name!r} cannot hold {got(value)}; a tuple (a, b) holds anything")
    return Record(tuple(items))


def row_count(value: Any) -> int | None:
    """Rows of what may be a column, otherwise None."""
    match value:
        case Tensor(node, levels, row) if levels and levels[0] == 1 and not row:
            return node.shape[0]
        case Table(_, rows):
            return rows
        case Texts(texts):
            return len(texts)
        case Ragged(items):
            return len(items)
    return None


def table(items: Sequence[tuple[str, Any]]) -> Table:
    """Named columns of equal length: vectors (also of arrays) and tables."""
    _distinct((name for name, _ in items), "the column")
    counts = {name: row_count(value) for name, value in items}
    for name, value in items:
        if counts[name] is None:
            refuse("kind", f"the column {name!r} must be a vector or a table, got {got(value)}")
    if len(set(counts.values())) != 1:
        lengths = ", ".join(f"{name} has {count}" for name, count in counts.items())
        refuse("shape", f"columns of a table have equal lengths; {lengths}")
    return Table(tuple(items), next(count for count in counts.values() if count is not None))


def record_of(value: Any) -> Record:
    """``record(t)``: the columns of a table as fields."""
    if not isinstance(value, Table):
        refuse("kind", f"record takes fields (name = value) or one table, got {got(value)}")
    return Record(value.items)


def table_of(value: Any) -> Table:
    """``table(r)``: a record of equal-length vectors as columns."""
    if not isinstance(value, Record):
        refuse("kind", f"table takes columns (name = vector) or one record of vectors, got {got(value)}")
    return table(value.items)


def _class(value: Any) -> str:
    match value:
        case Tensor(levels=()) | Text():
            return "scalar"
        case Tensor(levels=levels, row=row) if levels[0] == 1 and not row:
            return "vector"
        case Texts():
            return "vector"
        case Record():
            return "record"
    return refuse("kind", f"cat takes scalars, vectors or records, got {got(value)}")


def cat(values: Sequence[Any]) -> Value:
    """Join scalars to a vector, vectors end to end, or records to one."""
    classes = [_class(value) for value in values]
    if len(set(classes)) != 1:
        other = values[classes.index(next(c for c in classes if c != classes[0]))]
        refuse("kind", f"cat takes only scalars, only vectors or only records, got {got(values[0])} and {got(other)}")
    if classes[0] == "record":
        items = tuple(item for value in values for item in value.items)
        _distinct((name for name, _ in items), "the field")
        return Record(items)
    if any(isinstance(value, Text | Texts) for value in values):
        return _cat_texts(values)
    if classes[0] == "scalar":
        return vector(values[0].node.builder, values)
    return _cat_vectors(values)


def _cat_texts(values: Sequence[Any]) -> Texts:
    for value in values:
        if isinstance(value, Tensor):
            refuse("kind", f"cat takes only numbers or only strings, got {got(value)} among strings")
    parts = ([value.text] if isinstance(value, Text) else value.texts for value in values)
    return Texts(tuple(text for part in parts for text in part))


def _cat_vectors(values: Sequence[Tensor]) -> Tensor:
    first = tensor(values[0], "cat")
    for value in values:
        if tensor(value, "cat").levels != first.levels or value.node.shape[1:] != first.node.shape[1:]:
            refuse("shape", f"cat takes vectors with elements of one form, got {got(first)} and {got(value)}")
    return Tensor(concat([value.node for value in values]), first.levels)


def parts_of(value: Any) -> list[Any]:
    """Elements of a vector."""
    match value:
        case Tensor(node, levels, _) if levels and levels[0] == 1:
            return [Tensor(element(node, index), levels[1:]) for index in range(node.shape[0])]
        case Texts(texts):
            return [Text(text) for text in texts]
        case Ragged(items):
            return list(items)
    return refuse("kind", f"expected a vector, got {got(value)}")


def relabel(value: Any, names: Any) -> Value:
    """Name the parts of a scalar or vector, rename those of a record or table."""
    if not isinstance(names, Texts):
        refuse("kind", f"relabel takes a vector of strings as names, got {got(names)}")
    match value:
        case Tensor(levels=()) | Text():
            parts: list[Any] = [value]
        case Record(items) | Table(items, _):
            parts = [part for _, part in items]
        case _:
            parts = parts_of(value)
    if len(parts) != len(names.texts):
        refuse("shape", f"relabel: {describe(value)} has {len(parts)} parts, but there are {len(names.texts)} names")
    items = tuple(zip(names.texts, parts, strict=True))
    return table(items) if isinstance(value, Table) else record(items)
