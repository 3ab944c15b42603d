"""The host boundary: arguments and results of a compiled query by form, for every array library.

What a backend calls *leaf* here is one tensor of a form, in flattening order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flatppl.errors import nearest
from flatppl.tensor.program import Builder
from flatppl.values.forms import (
    Form,
    RecordForm,
    TableForm,
    TensorForm,
    Text,
    TextForm,
    TupleForm,
    describe,
    unflatten,
)

__all__ = [
    "array_shape", "assemble", "bind", "check_shape", "constant_value", "dtypes_of", "has_text", "host_array",
    "normalize", "spread",
]  # fmt: skip

Leaf = Callable[[Any, TensorForm, str], Any]


def dtypes_of(precision: str) -> dict[str, np.dtype[Any]]:
    """Element type of each kind under ``float32`` or ``float64``.

    Raises
    ------
    ValueError
        For another precision.
    """
    names = {
        "float32": ("float32", "int32", "complex64"),
        "float64": ("float64", "int64", "complex128"),
    }.get(precision)
    if names is None:
        raise ValueError(f"dtype must be 'float32' or 'float64', not {precision!r}")
    real, integer, complex_ = (np.dtype(name) for name in names)
    return {
        "real": real,
        "integer": integer,
        "complex": complex_,
        "boolean": np.dtype(bool),
        "rngstate": np.dtype("uint64"),
    }


def array_shape(form: TensorForm) -> tuple[int, ...]:
    """Shape of the array of a leaf; a random state is two words."""
    return (*form.shape, 2) if form.kind == "rngstate" else form.shape


def bind(names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Arguments in declared order.

    Raises
    ------
    TypeError
        Missing, duplicate, unknown or too many arguments.

    Examples
    --------
    >>> bind(["x", "lambda"], [1], {"lambda": 2})
    [1, 2]
    """
    if len(args) > len(names):
        raise TypeError(f"the query takes {_listing(names)}, got {len(args)} positional arguments")
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"the query has no input {name!r}{nearest(name, names)}; it takes {_listing(names)}")
        if name in values:
            raise TypeError(f"input {name!r} is given twice, by position and by name")
        values[name] = value
    missing = [name for name in names if name not in values]
    if missing:
        raise TypeError(f"missing {_listing(missing)}; the query takes {_listing(names)}")
    return [values[name] for name in names]


def _listing(names: Sequence[str]) -> str:
    if not names:
        return "no inputs"
    return ("input " if len(names) == 1 else "inputs ") + ", ".join(map(repr, names))


def normalize(form: Form, value: Any, leaf: Leaf, label: str) -> Any:
    """A host value as nested dicts (in declared order) and tuples, with ``leaf(value, form, label)`` at each tensor.

    Raises
    ------
    TypeError
        A value of another structure.
    """
    match form:
        case TensorForm():
            return leaf(value, form, label)
        case RecordForm(items) | TableForm(items, _):
            _check_fields(form, value, label)
            return {name: normalize(part, value[name], leaf, f"{label}.{name}") for name, part in items}
        case TupleForm(items):
            if not isinstance(value, (tuple, list)) or len(value) != len(items):
                raise TypeError(f"{label} is a tuple of {len(items)}, got {_brief(value)}")
            pairs = zip(items, value, strict=True)
            return tuple(normalize(part, x, leaf, f"{label}[{k}]") for k, (part, x) in enumerate(pairs, 1))
        case _:
            raise TypeError(f"{label} is {describe(form)}, which is no input")


def _check_fields(form: RecordForm | TableForm, value: Any, label: str) -> None:
    noun, parts = ("table", "columns") if isinstance(form, TableForm) else ("record", "fields")
    names = [name for name, _ in form.items]
    if not isinstance(value, Mapping):
        raise TypeError(f"{label} is a {noun}: give a mapping with the {parts} {', '.join(names)}, not {_brief(value)}")
    missing = [name for name in names if name not in value]
    extra = [str(name) for name in value if name not in names]
    if missing or extra:
        found = [f"no {name!r}" for name in missing] + [f"unknown {name!r}{nearest(name, names)}" for name in extra]
        raise TypeError(f"{label} needs exactly the {parts} {', '.join(names)}: {', '.join(found)}")


def _brief(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Mapping):
        return f"a mapping with keys {', '.join(map(str, value))}"
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")


def spread(form: Form, value: Any) -> Iterator[Any]:
    """Leaves of a normalized value, in flattening order."""
    match form:
        case RecordForm(items) | TableForm(items, _):
            for name, part in items:
                yield from spread(part, value[name])
        case TupleForm(items):
            for part, x in zip(items, value, strict=True):
                yield from spread(part, x)
        case TextForm():
            return
        case _:
            yield value


def assemble(form: Form, leaves: Iterator[Any]) -> Any:
    """The result of a form: records and tables as dicts, tuples as tuples, strings as they are."""
    match form:
        case RecordForm(items) | TableForm(items, _):
            return {name: assemble(part, leaves) for name, part in items}
        case TupleForm(items):
            return tuple(assemble(part, leaves) for part in items)
        case TextForm(value):
            return value.text if isinstance(value, Text) else value.texts
    return next(leaves)


def constant_value(form: Form, value: Any, builder: Builder, name: str) -> Any:
    """A host value as a fixed FlatPPL value of a form; same errors as an argument of a query."""
    exact = dtypes_of("float64")

    def leaf(x: Any, part: TensorForm, label: str) -> NDArray[Any]:
        if part.kind == "rngstate":
            raise TypeError(f"{label} is a random state, which is no constant; list it in inputs")
        return host_array(x, part, exact[part.kind], label)

    nested = normalize(form, value, leaf, repr(name))
    return unflatten(form, iter([builder.constant(array) for array in spread(form, nested)]))


def has_text(form: Form) -> bool:
    """Whether a form holds strings, which are no tensors."""
    match form:
        case RecordForm(items) | TableForm(items, _):
            return any(has_text(part) for _, part in items)
        case TupleForm(items):
            return any(map(has_text, items))
    return isinstance(form, TextForm)


def check_shape(shape: tuple[int, ...], form: TensorForm, label: str) -> None:
    """Refuse another shape than the declared one (ValueError)."""
    if shape != array_shape(form):
        raise ValueError(f"{label} has shape {shape}, the query declares {array_shape(form)}")


def host_array(value: Any, form: TensorForm, dtype: np.dtype[Any], label: str) -> NDArray[Any]:
    """A host scalar, list or array as an array of the declared shape and type.

    Reals convert from integers and from other precisions; integers convert from integers that fit.

    Raises
    ------
    TypeError
        Another kind of entries, or missing entries.
    ValueError
        Another shape, ragged nesting, or integers that do not fit.
    """
    array = _numbers(value, label)
    check_shape(array.shape, form, label)
    kind = "i" if array.dtype.kind == "O" else array.dtype.kind
    if array.dtype == dtype or (not array.size and isinstance(value, (list, tuple))):
        return array.astype(dtype, copy=False)
    if kind not in {"real": "iuf", "complex": "iufc", "integer": "iu", "rngstate": "iu", "boolean": ""}[form.kind]:
        raise TypeError(f"{label} needs {form.kind} entries, got {array.dtype}")
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        if array.size and (int(array.min()) < bounds.min or int(array.max()) > bounds.max):
            raise ValueError(f"{label} has an integer that does not fit {dtype}")
    with np.errstate(over="ignore"):
        return array.astype(dtype)


def _numbers(value: Any, label: str) -> NDArray[Any]:
    """Any array of numbers; integers that no NumPy type holds together stay Python objects."""
    if isinstance(value, (str, bytes, Mapping)) or value is None:
        raise TypeError(f"{label} needs numbers, got {_brief(value)}")
    if np.ma.is_masked(value):
        raise TypeError(f"{label} has missing entries")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{label} is no rectangular array: {error}") from None
    if array.dtype.kind == "f" and isinstance(value, (list, tuple)):
        exact = np.asarray(value, object)
        array = exact if all(type(entry) is int for entry in exact.flat) and exact.size else array
    if array.dtype.kind == "O" and not all(type(entry) is int for entry in array.flat):
        raise TypeError(f"{label} needs numbers, got {_brief(value)} with other or missing entries")
    if array.dtype.kind not in "biufcO":
        raise TypeError(f"{label} needs numbers, got {array.dtype}")
    return array
