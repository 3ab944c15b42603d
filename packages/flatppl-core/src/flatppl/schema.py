"""A read-only description of a query's inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

import numpy as np

from flatppl.backend import Signature
from flatppl.boundary import array_shape
from flatppl.values.forms import Form, RecordForm, TableForm, TensorForm, Text, TextForm, TupleForm, describe

__all__ = [
    "InputSchema",
    "RecordSchema",
    "Schema",
    "TableSchema",
    "TensorSchema",
    "TextSchema",
    "TupleSchema",
    "schema_of",
]


class _Facts:
    """Attributes can be read as items, too."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self, name)
        except AttributeError:
            raise KeyError(name) from None


@dataclass(frozen=True, slots=True)
class TensorSchema(_Facts):
    """One array; ``index`` counts the arrays of all inputs, or of all outputs."""

    kind: ClassVar[str] = "tensor"
    index: int
    dtype: str
    shape: tuple[int, ...]
    value_type: str


@dataclass(frozen=True, slots=True)
class RecordSchema(_Facts):
    """Named fields, in declared order."""

    kind: ClassVar[str] = "record"
    fields: tuple[InputSchema, ...]


@dataclass(frozen=True, slots=True)
class TableSchema(_Facts):
    """Named columns of equal length, in declared order; a column's shape includes the rows."""

    kind: ClassVar[str] = "table"
    rows: int
    fields: tuple[InputSchema, ...]


@dataclass(frozen=True, slots=True)
class TupleSchema(_Facts):
    """Components."""

    kind: ClassVar[str] = "tuple"
    items: tuple[ValueSchema, ...]


@dataclass(frozen=True, slots=True)
class TextSchema(_Facts):
    """A string, or a tuple of strings, that the query returns as it is."""

    kind: ClassVar[str] = "text"
    text: str | tuple[str, ...]


ValueSchema = TensorSchema | RecordSchema | TableSchema | TupleSchema | TextSchema


@dataclass(frozen=True, slots=True)
class InputSchema(_Facts):
    """A name and what it stands for: an input, a field or a column."""

    name: str
    value: ValueSchema


@dataclass(frozen=True, slots=True)
class Schema(_Facts):
    """Inputs and outputs of a compiled query.

    Attributes
    ----------
    entry_point : str
        Name of the function in the program text.
    inputs : tuple of InputSchema
        In declared order.
    output : ValueSchema
        A tuple if the query has several outputs.
    multiple_outputs : bool
    output_names : tuple of (str or None)
        Authored names of outputs that are plain references.
    """

    entry_point: str
    inputs: tuple[InputSchema, ...]
    output: ValueSchema
    multiple_outputs: bool
    output_names: tuple[str | None, ...]


def schema_of(signature: Signature, dtypes: Mapping[str, np.dtype[Any]], entry_point: str = "main") -> Schema:
    """Schema of a signature with the element type of each kind."""
    leaves, results = count(), count()
    inputs = tuple(InputSchema(name, _value(form, dtypes, leaves)) for name, form in signature.inputs)
    outputs = tuple(_value(form, dtypes, results) for _, form in signature.outputs)
    output = TupleSchema(outputs) if signature.multiple else outputs[0]
    names = tuple(name for name, _ in signature.outputs)
    return Schema(entry_point, inputs, output, signature.multiple, names)


def _value(form: Form, dtypes: Mapping[str, np.dtype[Any]], leaves: Iterator[int]) -> ValueSchema:
    match form:
        case TensorForm(kind=kind):
            return TensorSchema(next(leaves), str(dtypes[kind]), array_shape(form), describe(form))
        case RecordForm(items):
            return RecordSchema(tuple(InputSchema(name, _value(part, dtypes, leaves)) for name, part in items))
        case TableForm(items, rows):
            return TableSchema(rows, tuple(InputSchema(name, _value(part, dtypes, leaves)) for name, part in items))
        case TupleForm(items):
            return TupleSchema(tuple(_value(part, dtypes, leaves) for part in items))
        case TextForm(value):
            return TextSchema(value.text if isinstance(value, Text) else value.texts)
