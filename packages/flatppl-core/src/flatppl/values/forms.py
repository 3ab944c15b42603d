"""Values made of tensors, and their forms: what stays when the tensors are taken out.

A *form* is a value's static structure. :func:`flatten` and :func:`unflatten` convert between a value and
its form plus a flat list of tensors, in the order of the query interface (fields and columns as declared).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from flatppl.errors import InternalError, refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Node

__all__ = [
    "Form", "Record", "RecordForm", "Table", "TableForm", "Tensor", "TensorForm", "Text", "TextForm", "Texts", "Tuple",
    "TupleForm", "Value", "array_part", "describe", "fill", "flatten", "form_of", "leaves", "named", "unflatten",
]  # fmt: skip


class Value:
    """Anything that a binding can elaborate to."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Tensor(Value):
    """Scalar or array.

    Attributes
    ----------
    node : Node
    levels : tuple of int
        Axes of each level of nesting: ``()`` scalar, ``(1,)`` vector, ``(2,)`` matrix, ``(1, 1)`` vector of
        vectors, ``(1, 2)`` vector of matrices. The sum is the rank of the node.
    row : bool
        A transposed vector (``levels == (1,)``).
    """

    node: Node
    levels: tuple[int, ...] = ()
    row: bool = False

    @property
    def kind(self) -> str:
        """Kind of the entries."""
        return self.node.kind

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the outermost level."""
        return self.node.shape[: self.levels[0]] if self.levels else ()


@dataclass(frozen=True, slots=True)
class Record(Value):
    """Ordered named fields."""

    items: tuple[tuple[str, Value], ...]

    @property
    def fields(self) -> dict[str, Value]:
        """Fields by name, in order."""
        return dict(self.items)


@dataclass(frozen=True, slots=True)
class Table(Value):
    """Ordered named columns of equal length: tensors with the row axis as their own first level, or tables."""

    items: tuple[tuple[str, Value], ...]
    rows: int

    @property
    def columns(self) -> dict[str, Value]:
        """Columns by name, in order."""
        return dict(self.items)


@dataclass(frozen=True, slots=True)
class Tuple(Value):
    """Two or more components of any kind."""

    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Text(Value):
    """A string; a host constant, never a tensor."""

    text: str


@dataclass(frozen=True, slots=True)
class Texts(Value):
    """A vector of strings."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TensorForm:
    """Form of a :class:`Tensor`."""

    kind: str
    shape: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()
    row: bool = False


@dataclass(frozen=True, slots=True)
class RecordForm:
    """Form of a :class:`Record`."""

    items: tuple[tuple[str, Form], ...]


@dataclass(frozen=True, slots=True)
class TableForm:
    """Form of a :class:`Table`; columns include the row axis."""

    items: tuple[tuple[str, Form], ...]
    rows: int


@dataclass(frozen=True, slots=True)
class TupleForm:
    """Form of a :class:`Tuple`."""

    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class TextForm:
    """Form of a string constant: the text (or texts) itself."""

    value: Text | Texts


Form = TensorForm | RecordForm | TableForm | TupleForm | TextForm


def flatten(value: Any) -> tuple[Form, list[Node]]:
    """Form and tensors of a value.

    Raises
    ------
    TypeError
        The value holds a callable, a measure or another object that is not made of tensors.
    """
    match value:
        case Tensor(node, levels, row):
            return TensorForm(node.kind, node.shape, levels, row), [node]
        case Record(items):
            parts = [(name, flatten(part)) for name, part in items]
            return RecordForm(tuple((name, form) for name, (form, _) in parts)), _joined(n for _, (_, n) in parts)
        case Table(items, rows):
            parts = [(name, flatten(part)) for name, part in items]
            form = TableForm(tuple((name, form) for name, (form, _) in parts), rows)
            return form, _joined(n for _, (_, n) in parts)
        case Tuple(items):
            flat = [flatten(part) for part in items]
            return TupleForm(tuple(form for form, _ in flat)), _joined(n for _, n in flat)
        case Text() | Texts():
            return TextForm(value), []
    raise TypeError(f"{describe(value)} is not made of tensors")


def _joined(parts: Any) -> list[Node]:
    return [node for part in parts for node in part]


def form_of(value: Any) -> Form:
    """Form of a value (see :func:`flatten`)."""
    return flatten(value)[0]


def unflatten(form: Form, nodes: Iterator[Node]) -> Any:
    """The value of a form; takes its tensors from ``nodes``."""
    match form:
        case TensorForm(levels=levels, row=row):
            return Tensor(next(nodes), levels, row)
        case RecordForm(items):
            return Record(tuple((name, unflatten(part, nodes)) for name, part in items))
        case TableForm(items, rows):
            return Table(tuple((name, unflatten(part, nodes)) for name, part in items), rows)
        case TupleForm(items):
            return Tuple(tuple(unflatten(part, nodes) for part in items))
        case TextForm(value):
            return value
    raise InternalError(f"no such form: {form!r}")


def leaves(form: Form) -> list[TensorForm]:
    """Tensor forms of a form, in flattening order."""
    match form:
        case TensorForm():
            return [form]
        case RecordForm(items) | TableForm(items, _):
            return [leaf for _, part in items for leaf in leaves(part)]
        case TupleForm(items):
            return [leaf for part in items for leaf in leaves(part)]
    return []


def fill(form: Form, make: Callable[[Aval], Node]) -> Any:
    """A value of the form whose tensors are made by ``make``."""
    return unflatten(form, iter([make(Aval(leaf.kind, leaf.shape)) for leaf in leaves(form)]))


def named(form: Form) -> tuple[tuple[str, Form], ...]:
    """Fields of a record form, columns of a table form; empty for any other."""
    return form.items if isinstance(form, (RecordForm, TableForm)) else ()


def array_part(form: Form) -> TensorForm:
    """The form as that of a tensor; refuses any other."""
    if isinstance(form, TensorForm):
        return form
    refuse("kind", f"expected a scalar or an array, got a {describe(form)}")


_NESTED = {(): "scalar", (1,): "vector", (2,): "matrix"}


def describe(value: Any) -> str:
    """What a value or form is, in the words of the language, for messages."""
    match value:
        case Tensor():
            return describe(form_of(value))
        case TensorForm(kind, shape, levels, row):
            noun = _NESTED.get(levels, f"{levels[0]}-axis array" if len(levels) == 1 else "array of arrays")
            size = "x".join(map(str, shape))
            return f"{kind} {'transposed ' if row else ''}{noun}" + (f" of size {size}" if shape else "")
        case Record(items) | RecordForm(items):
            return f"record({', '.join(name for name, _ in items)})"
        case Table(items, rows) | TableForm(items, rows):
            return f"table({', '.join(name for name, _ in items)}) of {rows} rows"
        case Tuple(items) | TupleForm(items):
            return f"tuple of {len(items)}"
        case Text(text):
            return f"string {text!r}"
        case Texts(texts):
            return f"vector of {len(texts)} strings"
        case TextForm(inner):
            return describe(inner)
    described = getattr(value, "describe", None)
    return described() if callable(described) else type(value).__name__
