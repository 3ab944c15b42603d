"""The compiled query at the host boundary, and under JAX's transformations."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from flatppl.values.forms import RecordForm, TableForm, TensorForm, Text, TextForm, TupleForm

REAL = TensorForm("real")
PAIR = {"x": "real", "s": "real"}


def scaled(builder: Any, x: Any, s: Any) -> Any:
    return -0.5 * ((x / s) * (x / s))


def test_positional_and_by_name(make: Any) -> None:
    query = make(scaled, PAIR)
    assert query(1.0, 2.0) == query(s=2.0, x=1.0) == query(1.0, s=2.0) == -0.125
    assert query(1.0, 2.0).dtype == np.float32
    assert make(scaled, {"lambda": "real", "self": "real"})(**{"lambda": 1.0, "self": 2.0}) == -0.125
    for args, kwargs in (((1.0,), {}), ((1.0, 2.0, 3.0), {}), ((1.0, 2.0), {"s": 1.0}), ((1.0, 2.0), {"t": 1.0})):
        with pytest.raises(TypeError):
            query(*args, **kwargs)


def test_query_without_inputs(make: Any) -> None:
    assert make(lambda b: b.constant(2.5), {})() == 2.5


def test_values_convert_or_are_refused(make: Any) -> None:
    query = make(lambda b, v, n: b.apply("take", v, n, axis=0), {"v": TensorForm("real", (3,)), "n": "integer"})
    v = [1, 2.5, 3]
    assert query(v, 1) == query(np.array(v), np.int8(1)) == query(jnp.asarray(v), jnp.int32(1)) == 2.5
    assert query([jnp.float32(1.0), 2.5, np.float64(3.0)], 1) == 2.5
    for bad in (jnp.int8(1), jnp.float32(1), 1.0, True, None, "1", jnp.bool_(True)):
        with pytest.raises(TypeError):
            query(v, bad)
    for bad in (2**31, 2**70, np.int64(-(2**40)), [1], np.ones(1, np.int32)):
        with pytest.raises(ValueError, match="input 'n'"):
            query(v, bad)
    for bad in ([1, 2], [[1, 2, 3]], [1, [2, 3], 4], jnp.ones(4)):
        with pytest.raises(ValueError, match="input 'v'"):
            query(bad, 1)
    masked = np.ma.array(v, mask=[0, 1, 0])
    for bad in ([1, None, 3], ["a", "b", "c"], {"a": 1}, [1j, 0, 0], [True, False, True], masked):
        with pytest.raises(TypeError, match="input 'v'"):
            query(bad, 1)


def test_records_tables_and_tuples(make: Any) -> None:
    record = RecordForm((("z", REAL), ("a", TupleForm((REAL, TensorForm("boolean"))))))
    table = TableForm((("u", TensorForm("real", (2,))), ("k", TensorForm("integer", (2,)))), 2)

    def body(builder: Any, z: Any, a: Any, flag: Any, u: Any, k: Any) -> Any:
        return [z - a, flag, u, k]

    query = make(body, {"r": record, "t": table}, outputs=[TupleForm((REAL, TensorForm("boolean"))), table])
    value, columns = query({"a": (1, True), "z": 3.0}, {"k": [1, 2], "u": np.array([0.5, 1.5])})
    assert value == (2.0, True)
    assert columns.keys() == {"u", "k"}
    assert columns["k"].dtype == np.int32
    arrays = ({"z": jnp.float32(3), "a": (jnp.float32(1), jnp.bool_(True))}, columns)
    assert query(*arrays)[0] == (2.0, True)
    for bad in ({"z": 1.0}, {"z": 1.0, "a": (1.0, True), "b": 0}, (3.0, (1, True)), {"z": 1.0, "a": (1.0,)}):
        with pytest.raises(TypeError, match="input 'r"):
            query(bad, columns)
    with pytest.raises(TypeError, match="mapping"):
        query(arrays[0], [1, 2])
    with pytest.raises(ValueError, match="shape"):
        query(arrays[0], {"u": [1.0, 2.0, 3.0], "k": [1, 2]})
    slopes = jax.grad(lambda r: query(r, columns)[0][0], allow_int=True)(arrays[0])
    assert slopes["z"] == 1.0
    assert slopes["a"][0] == -1.0


def test_strings_among_outputs(make: Any) -> None:
    query = make(lambda b, x: x * 2.0, {"x": "real"}, outputs=[RecordForm((("t", TextForm(Text("hi"))), ("x", REAL)))])
    assert query(1.5) == {"t": "hi", "x": 3.0}


def test_complex_values(make: Any) -> None:
    query = make(lambda b, z: z * z, {"z": "complex"})
    assert query(1 + 2j) == query(jnp.complex64(1 + 2j)) == -3 + 4j
    assert query(2.0) == 4.0
    assert query(2j).dtype == np.complex64


def test_schema(make: Any) -> None:
    table = TableForm((("u", TensorForm("real", (4, 2))),), 4)
    schema = make(lambda b, n, u: u, {"n": "integer", "t": table}, outputs=[table]).schema
    assert schema.entry_point == "main"
    assert [entry.name for entry in schema.inputs] == ["n", "t"]
    column = schema.inputs[1].value.fields[0].value
    assert (column.kind, column.index, column.dtype, column.shape) == ("tensor", 1, "float32", (4, 2))
    assert schema["output"]["kind"] == "table"
    assert schema.output.rows == 4
    assert (schema.multiple_outputs, schema.output_names) == (False, (None,))
    with pytest.raises(AttributeError):
        schema.entry_point = "x"


def test_transformations(make: Any) -> None:
    query = make(scaled, PAIR)
    x, s = jnp.float32(1.5), jnp.float32(2.0)
    assert jax.jit(query)(x, s) == query(x, s)
    value, slopes = jax.value_and_grad(query, (0, 1))(x, s)
    np.testing.assert_allclose([value, *slopes], [-0.28125, -0.375, 0.28125])
    np.testing.assert_allclose(jax.hessian(query)(x, s), -0.25)
    np.testing.assert_allclose(jax.jvp(query, (x, s), (jnp.float32(1), jnp.float32(0)))[1], -0.375)
    points = jnp.arange(6.0, dtype=np.float32).reshape(2, 3)
    nested = jax.vmap(jax.vmap(jax.grad(query), (0, None)), (1, None))(points, s)
    np.testing.assert_allclose(nested, -points.T / 4)
    assert jax.vmap(query, (0, None))(jnp.zeros((0,), np.float32), s).shape == (0,)
    total = jax.grad(lambda s: jnp.sum(jax.vmap(query, (0, None))(points[1], s)))(s)
    np.testing.assert_allclose(total, np.sum(np.asarray(points[1]) ** 2) / 8)
    last, _ = lax.scan(lambda c, _: (c + jax.grad(query)(c, s), None), x, None, length=4)
    np.testing.assert_allclose(last, 1.5 * 0.75**4, rtol=1e-6)


def test_device_calls_move_nothing(make: Any) -> None:
    big = np.linspace(0.0, 1.0, 40_000)
    query = make(lambda b, x: b.apply("sum", b.constant(big) * x, axes=(0,)), {"x": "real"})
    x = jnp.float32(2.0)
    np.testing.assert_allclose(query(x), 40_000.0, rtol=1e-5)
    with jax.transfer_guard("disallow"):
        query(x)


def test_large_constants_are_operands(make: Any) -> None:
    def model(size: int) -> Any:
        data = np.sin(np.arange(size * 1.0))
        return make(lambda b, x: b.apply("sum", b.constant(data) * x, axes=(0,)), {"x": "real"})

    large, larger = model(100_000), model(200_000)
    assert len(large.stablehlo) < 3_000
    assert abs(len(large.stablehlo) - len(larger.stablehlo)) < 30
    np.testing.assert_allclose(jax.grad(large)(2.0), np.sin(np.arange(1e5)).sum(), atol=1e-2)
    np.testing.assert_allclose(jax.jit(jax.vmap(large))(jnp.ones(2)).shape, (2,))


def test_precision(make: Any) -> None:
    def body(builder: Any, x: Any) -> Any:
        return (x + 1.0) - x

    assert make(body, {"x": "real"})(jnp.float32(2**24)) == 0.0
    with pytest.raises(ValueError, match=r"jax\.enable_x64"):
        make(body, {"x": "real"}, dtype="float64")
    with jax.enable_x64(True):
        double = make(body, {"x": "real"}, dtype="float64")
        assert double(2.0**24) == 1.0
    with pytest.raises(ValueError, match=r"jax\.enable_x64"):
        double(2.0**24)
    with pytest.raises(ValueError, match="dtype"):
        make(body, {"x": "real"}, dtype="float16")


def test_options_are_checked(make: Any) -> None:
    from flatppl.errors import Refusal

    with pytest.raises(Refusal, match="only cpu, gpu"):
        make(scaled, PAIR, target="gppu")
    with pytest.raises(ValueError, match="checks"):
        make(scaled, PAIR, checks="loud")
    with pytest.raises(Refusal, match="engine"):
        make(scaled, PAIR, autodiff="magic")


def test_without_derivatives(make: Any) -> None:
    query = make(scaled, PAIR, autodiff=False)
    assert jax.jit(query)(1.0, 2.0) == -0.125
    np.testing.assert_allclose(jax.vmap(query, (0, None))(jnp.ones(3), jnp.float32(2.0)), -0.125)
    for derivative in (jax.grad(query), jax.jit(jax.grad(query))):
        with pytest.raises(TypeError, match="autodiff=False"):
            derivative(1.0, 2.0)


def test_traced_once_and_shared(make: Any) -> None:
    from flatppl_jax.profiles import rules

    count = []
    table = rules("cpu")
    original = table["sub"]

    def counting(*args: Any) -> Any:
        count.append(1)
        return original(*args)

    table["sub"] = counting
    query = make(lambda b, x: x - 1.5, {"x": "real"}, lowerings=table)
    for x in (1.0, np.float32(2), jnp.float32(3), jnp.asarray(4.0), np.float64(5), 6, jnp.int32(7), jnp.float16(8)):
        query(x)
    other = make(lambda b, y: y - 1.5, {"x": "real"}, lowerings=table)
    assert other(2.0) == 0.5
    assert len(count) == 1
    assert make(lambda b, y: y - 1.25, {"x": "real"}, lowerings=table)(2.0) == 0.75
    assert len(count) == 2


def test_cache_is_bounded() -> None:
    from flatppl_jax.cache import compiled

    assert compiled.cache_info().maxsize == 256


def test_a_primitive_of_a_stranger(make: Any) -> None:
    from flatppl.errors import Refusal
    from flatppl.tensor.primitives import CORE
    from flatppl.tensor.primitives.rules import elementwise
    from flatppl.tensor.program import Primitive
    from flatppl_jax.profiles import rules

    primitives = {**CORE, "double": Primitive("double", elementwise(("real",)), lambda x: 2 * x, elementwise=True)}
    table = {**rules("cpu"), "double": lambda context, x: lax.add(x, x)}

    def body(builder: Any, x: Any) -> Any:
        return builder.apply("double", x)

    assert jax.grad(make(body, {"x": "real"}, primitives=primitives, lowerings=table))(3.0) == 2.0
    with pytest.raises(Refusal, match="no lowering for primitive 'double'"):
        make(body, {"x": "real"}, primitives=primitives)


def test_importing_the_plugin_does_not_load_jax() -> None:
    import subprocess
    import sys

    code = "import sys, flatppl_jax.plugin as p; p.flatppl_backends(); sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
