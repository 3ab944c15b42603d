"""Host values by form, and the canonical key of a program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flatppl.boundary import assemble, bind, constant_value, dtypes_of, host_array, normalize, spread
from flatppl.tensor.avals import Aval
from flatppl.tensor.canonical import program_key
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Region, close
from flatppl.values.forms import Record, RecordForm, TableForm, Tensor, TensorForm, Text, TextForm, TupleForm

REAL, COUNT = TensorForm("real"), TensorForm("integer", (2,))
FORM = RecordForm((("b", TupleForm((REAL, COUNT))), ("a", TableForm((("u", TensorForm("real", (3,))),), 3))))
VALUE = {"a": {"u": [1, 2, 3]}, "b": [0.5, (4, 5)]}
SINGLE, DOUBLE = dtypes_of("float32"), dtypes_of("float64")


def leaf(x: Any, form: TensorForm, label: str) -> Any:
    return host_array(x, form, SINGLE[form.kind], label)


def test_values_go_through_in_declared_order() -> None:
    nested = normalize(FORM, VALUE, leaf, "input 'r'")
    assert list(nested) == ["b", "a"]
    flat = list(spread(FORM, nested))
    assert [(x.dtype.name, x.tolist()) for x in flat] == [("float32", 0.5), ("int32", [4, 5]), ("float32", [1, 2, 3])]
    back = assemble(FORM, iter(flat))
    assert back["b"][1] is flat[1]
    assert assemble(TupleForm((TextForm(Text("hi")), REAL)), iter([1.0])) == ("hi", 1.0)


def test_errors_name_the_place() -> None:
    with pytest.raises(TypeError, match=r"input 'r'\.b\[2\] needs integer entries"):
        normalize(FORM, {**VALUE, "b": (0.5, [1.5, 2.5])}, leaf, "input 'r'")
    with pytest.raises(TypeError, match="no 'a', unknown 'aa'; did you mean 'a'"):
        normalize(FORM, {"aa": 1, "b": 2}, leaf, "input 'r'")
    with pytest.raises(ValueError, match=r"shape \(2,\), the query declares \(3,\)"):
        normalize(FORM, {**VALUE, "a": {"u": [1, 2]}}, leaf, "input 'r'")


@pytest.mark.parametrize("value", [2**31, [2**40, 0], [2**70, 0], [[1, 2], [3]], [-(2**31) - 1, 0]])
def test_integers_must_fit(value: Any) -> None:
    with pytest.raises(ValueError, match="x "):
        host_array(value, COUNT, SINGLE["integer"], "x")


def test_kinds() -> None:
    assert host_array([2**40, 1], COUNT, DOUBLE["integer"], "x").dtype == np.int64
    assert host_array([], TensorForm("integer", (0,)), SINGLE["integer"], "x").dtype == np.int32
    assert host_array(np.uint8(3), REAL, SINGLE["real"], "x") == 3.0
    assert host_array([1, 2**64 - 1], TensorForm("rngstate"), SINGLE["rngstate"], "x").tolist() == [1, 2**64 - 1]
    assert np.isinf(host_array(1e300, REAL, SINGLE["real"], "x"))
    for value, kind in ((True, "real"), (1, "boolean"), (True, "integer"), (1j, "real"), ("1", "real"), (None, "real")):
        with pytest.raises(TypeError, match="x needs"):
            host_array(value, TensorForm(kind), SINGLE[kind], "x")


def test_arguments() -> None:
    assert bind(["x", "y"], [1], {"y": 2}) == [1, 2]
    for args, kwargs, text in (
        ([1], {}, "missing input 'y'"),
        ([1, 2], {"x": 1}, "twice"),
        ([], {"x": 1, "yy": 2}, "did you mean 'y'"),
        ([1, 2, 3], {}, "3 positional"),
    ):
        with pytest.raises(TypeError, match=text):
            bind(["x", "y"], args, kwargs)


def test_constants_of_a_module() -> None:
    builder = Builder(CORE)
    value = constant_value(RecordForm((("x", REAL), ("n", COUNT))), {"n": [1, 2], "x": 3}, builder, "p")
    assert isinstance(value, Record)
    x = value.fields["x"]
    assert isinstance(x, Tensor)
    assert x.node.constant == 3.0
    with pytest.raises(TypeError, match="'p'"):
        constant_value(REAL, "three", builder, "p")


def model(builder: Builder, shift: float, names: str, data: Any) -> Any:
    x = builder.variable(Aval("real"), leaf=names)
    if names == "late":
        builder.constant(123.0)
    region = Region(builder.root)
    cell = builder.variable(Aval("real"), region)
    body = close([cell], [cell * x + shift], region)
    rows = builder.constant(data)
    loop = builder.apply("map", rows, *body.captures, body=body, axes=rows.shape)
    total = builder.apply("sum", builder.apply("item", loop, index=0), axes=(0,))
    return close([x], [total, x], builder.root)


def test_program_key_sees_structure_and_content() -> None:
    data = np.arange(100.0)
    first = program_key(model(Builder(CORE), 0.5, "early", data))
    assert first == program_key(model(Builder(CORE), 0.5, "late", data.copy()))
    assert first != program_key(model(Builder(CORE), 0.25, "early", data))
    assert first != program_key(model(Builder(CORE), 0.5, "early", data + 1e-9))


def test_program_key_of_a_deep_program() -> None:
    builder = Builder(CORE)
    node = x = builder.variable(Aval("real"))
    for _ in range(3000):
        node = builder.apply("sin", node)
    assert len(program_key(close([x], [node], builder.root))) == 64
