"""Take values apart into cells along leading axes, and put results together again."""

from __future__ import annotations

from typing import Any

from flatppl.errors import refuse
from flatppl.values.forms import (
    Form,
    RecordForm,
    Table,
    TableForm,
    Tensor,
    TensorForm,
    TupleForm,
    describe,
    flatten,
    unflatten,
)
from flatppl.values.product_sets import power_form

__all__ = ["array_form", "cell_form", "collection_axes", "is_collection", "spread"]


def is_collection(value: Any) -> bool:
    """Whether broadcast iterates over a value: arrays and tables."""
    return isinstance(value, Table) or (isinstance(value, Tensor) and bool(value.levels))


def collection_axes(value: Tensor | Table) -> tuple[int, ...]:
    """Sizes of the axes that broadcast iterates over."""
    return (value.rows,) if isinstance(value, Table) else value.shape


def cell_form(form: Form) -> Form:
    """Form of one cell of an array's outermost level, or of one row of a table."""
    match form:
        case TensorForm(kind, shape, levels, _) if levels:
            return TensorForm(kind, shape[levels[0] :], levels[1:])
        case TableForm(items, _):
            return RecordForm(tuple((name, cell_form(part)) for name, part in items))
    refuse("kind", f"a {describe(form)} has no cells")


def array_form(form: Form, axes: tuple[int, ...]) -> Form:
    """Form of the results of a broadcast whose cells have ``form``: array, table, or tuple of arrays."""
    if isinstance(form, TupleForm):
        return TupleForm(tuple(array_form(part, axes) for part in form.items))
    return power_form(form, axes)


def spread(builder: Any, value: Tensor | Table, axes: tuple[int, ...]) -> Any:
    """The collection with its axes of size one repeated to ``axes``."""
    form, nodes = flatten(value)
    mine = collection_axes(value)
    if mine == axes:
        return value
    lead = len(axes)
    spread_nodes = []
    for node in nodes:
        shape = axes + node.shape[lead:]
        spread_nodes.append(builder.apply("broadcast", node, shape=shape, dims=tuple(range(len(shape)))))
    return unflatten(_resized(form, axes), iter(spread_nodes))


def _resized(form: Form, axes: tuple[int, ...]) -> Form:
    match form:
        case TensorForm(kind, shape, levels, row):
            return TensorForm(kind, axes + shape[len(axes) :], levels, row)
        case TableForm(items, _):
            return TableForm(tuple((name, _resized(part, axes)) for name, part in items), axes[0])
    return form
