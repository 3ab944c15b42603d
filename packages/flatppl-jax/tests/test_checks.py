"""Runtime checks: NaN results, checkify errors, and their transformations."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import checkify

from flatppl.tensor.checks import take_checks
from flatppl.tensor.guards import guard_parameters, guard_value
from flatppl.tensor.mapping import cells, finish_map
from flatppl.tensor.ops import isnan, log
from flatppl.tensor.program import Region
from flatppl.values.forms import TensorForm

MESSAGE = "Normal: sigma is outside its declared value set {posreals}"
PARAMETER = ((MESSAGE, "parameter"),)
VALUE = (("index out of range", "value"),)


def density(builder: Any, sigma: Any, x: Any) -> Any:
    """Log density with a guarded parameter, and an integer result."""
    score = -0.5 * (x / sigma) * (x / sigma) - log(sigma)
    guarded = guard_parameters(score, sigma > 0.0, isnan(sigma), MESSAGE)
    (value, count), flags = take_checks(builder, [guarded, builder.constant(3)])
    return [value, count, *[part for flag in flags for part in (flag.ok, flag.silent)]]


INPUTS = {"sigma": "real", "x": "real"}


def test_nan_needs_no_checkify(make: Any) -> None:
    query = make(density, INPUTS, flags=PARAMETER)
    assert np.isnan(jax.jit(query)(-1.0, 0.5)[0])
    assert query(-1.0, 0.5)[1] == 3
    np.testing.assert_allclose(query(2.0, 1.0)[0], -0.125 - np.log(2.0), rtol=1e-6)
    lanes = jax.vmap(query, (0, None))(jnp.array([1.0, -1.0, 0.0, np.nan, 2.0]), jnp.float32(0.5))[0]
    assert np.isnan(lanes).tolist() == [False, True, True, True, False]
    slopes = jax.vmap(jax.grad(lambda s, x: query(s, x)[0]), (0, None))(jnp.array([1.0, -1.0]), jnp.float32(0.5))
    assert np.isnan(slopes).tolist() == [False, True]


def test_raise_reports(make: Any) -> None:
    query = make(density, INPUTS, flags=PARAMETER, checks="raise")
    np.testing.assert_allclose(query(2.0, 1.0)[0], -0.125 - np.log(2.0), rtol=1e-6)
    assert np.isnan(query(np.nan, 1.0)[0])
    with pytest.raises(checkify.JaxRuntimeError, match=r"outside its declared value set \{posreals\}"):
        query(-1.0, 0.5)
    error, _ = jax.jit(checkify.checkify(query))(-1.0, 0.5)
    assert "outside its declared value set" in error.get()
    assert jax.jit(checkify.checkify(query))(1.0, 0.5)[0].get() is None
    with pytest.raises(ValueError, match="checkify"):
        jax.jit(query)(-1.0, 0.5)


def pick(builder: Any, values: Any, index: Any) -> Any:
    value = builder.apply("take", values, index - 1, axis=0)
    guarded = guard_value(value, (index >= 1) & (index <= 3), VALUE[0][0])
    (result,), flags = take_checks(builder, [guarded])
    return [result, *[part for flag in flags for part in (flag.ok, flag.silent)]]


def test_value_checks_raise_in_both_modes(make: Any) -> None:
    values = jnp.array([2.0, 4.0, 8.0])
    for checks in ("nan", "raise"):
        query = make(pick, {"values": TensorForm("real", (3,)), "index": "integer"}, flags=VALUE, checks=checks)
        assert query(values, 2) == 4.0
        with pytest.raises(checkify.JaxRuntimeError, match="index out of range"):
            query(values, 4)
        error, value = jax.jit(checkify.checkify(query))(values, jnp.int32(2))
        error.throw()
        assert value == 4.0
        assert "out of range" in jax.jit(checkify.checkify(query))(values, jnp.int32(0))[0].get()


def test_value_checks_under_transformations(make: Any) -> None:
    query = make(pick, {"values": TensorForm("real", (3,)), "index": "integer"}, flags=VALUE)
    values = jnp.array([2.0, 4.0, 8.0])
    np.testing.assert_allclose(jax.grad(query)(values, jnp.int32(3)), [0, 0, 1])
    with pytest.raises(checkify.JaxRuntimeError, match="out of range"):
        jax.grad(query)(values, jnp.int32(5))
    mapped = jax.vmap(jax.value_and_grad(query), (None, 0))
    assert mapped(values, jnp.array([1, 3], np.int32))[0].tolist() == [2.0, 8.0]
    with pytest.raises(checkify.JaxRuntimeError, match="out of range"):
        mapped(values, jnp.array([1, 4], np.int32))
    error, _ = jax.jit(checkify.checkify(mapped))(values, jnp.array([1, 4], np.int32))
    assert "out of range" in error.get()

    def loop(start: Any, last: Any) -> Any:
        def body(carry: Any, index: Any) -> Any:
            return carry + query(values, index), carry

        return jax.lax.scan(body, start, jnp.stack([jnp.int32(1), last]))[0]

    checked = jax.jit(checkify.checkify(loop))
    error, total = checked(jnp.float32(0), jnp.int32(3))
    assert (error.get(), float(total)) == (None, 10.0)
    assert "out of range" in checked(jnp.float32(0), jnp.int32(4))[0].get()


def test_flags_leave_a_map_and_no_callbacks(make: Any) -> None:
    def body(builder: Any, sigmas: Any) -> Any:
        region = Region(builder.root)
        (cell,) = cells(builder, [sigmas], (3,), region)
        looped = builder.apply("cumsum", builder.apply("broadcast", log(cell), shape=(2,), dims=()), axis=0)
        guarded = guard_parameters(looped, cell > 0.0, isnan(cell), MESSAGE)
        (mapped,) = finish_map(builder, [sigmas], (3,), region, [cell], [guarded])
        (value,), flags = take_checks(builder, [mapped])
        return [value, *[part for flag in flags for part in (flag.ok, flag.silent)]]

    query = make(body, {"sigmas": TensorForm("real", (3,))}, flags=PARAMETER)
    assert np.isnan(query([1.0, -2.0, 3.0])).all()
    assert query([1.0, 2.0, 3.0]).shape == (3, 2)
    assert "callback" not in query.stablehlo
