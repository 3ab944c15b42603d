"""The 42 wrappers on native arrays: results, signatures, documentation, identity."""

import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import probly.representation.jax_functions as forwarded
from probly_jax.functions import OPERATORS, TABLE
from probly_jax.representation import jax_functions

HELPERS = {
    "has_jax_function",
    "handle_jax_function",
    "try_jax_function",
    "jax_function_dispatch",
    "SupportsJaxFunction",
}
NAMES = sorted(set(jax_functions.__all__) - HELPERS - {"JaxOperand"})

x = np.arange(1, 7, dtype=np.int32).reshape(2, 3)
CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "reshape": ((x, (3, -1)), {}),
    "transpose": ((x, (1, 0)), {}),
    "matrix_transpose": ((x,), {}),
    "moveaxis": ((x, 0, -1), {}),
    "swapaxes": ((x, 0, 1), {}),
    "squeeze": ((x[None],), {}),
    "expand_dims": ((x, (0, -1)), {}),
    "concatenate": (([x, x],), {"axis": None}),
    "stack": (([x, x],), {"axis": -1, "dtype": jnp.float32}),
    "take_along_axis": ((x, np.array([[2], [7]])), {"axis": 1, "mode": "clip"}),
    "conj": ((x + 1j,), {}),
    "copy": ((x,), {}),
    "astype": ((x, jnp.float16), {}),
    "mean": ((x,), {"axis": 0, "where": x > 1}),
    "sum": ((x, 1), {"initial": 5, "keepdims": True}),
    "std": ((x,), {"axis": 1, "ddof": 1}),
    "var": ((x, (0, 1)), {"dtype": jnp.float32}),
    "average": ((x,), {"axis": 0, "weights": np.array([1.0, 3.0])}),
    "matmul": ((x, x.T), {}),
}


def test_there_are_42() -> None:
    assert len(NAMES) == 42
    assert len(OPERATORS) == 24
    assert set(jax_functions.__all__) == {*NAMES, *HELPERS, "JaxOperand"}


@pytest.mark.parametrize("name", NAMES)
def test_wrapper(name: str) -> None:
    wrapper, plain = getattr(jax_functions, name), name.removeprefix("jax_")
    assert getattr(forwarded, name) is wrapper
    assert TABLE.natives[plain] is wrapper
    assert wrapper.__name__ == name
    assert all(section in wrapper.__doc__ for section in ("Parameters\n", "Returns\n", "Examples\n"))
    first = next(iter(inspect.signature(wrapper).parameters.values()))
    assert first.kind is first.POSITIONAL_ONLY
    unary = len(inspect.signature(wrapper).parameters) == 1
    args, kwargs = CALLS.get(plain, ((x,) if unary else (x, 2), {}))
    expected = getattr(jnp, plain)(*args, **kwargs)
    jax.tree.map(np.testing.assert_array_equal, wrapper(*args, **kwargs), expected)
    same = jax.tree.map(lambda a, b: a.dtype == b.dtype, wrapper(*args, **kwargs), expected)
    assert jax.tree.all(same)


def test_average_returns_weights() -> None:
    mean, total = jax_functions.jax_average(x, returned=True)
    assert (float(mean), float(total)) == (3.5, 6.0)


def test_transformations_of_native_calls() -> None:
    traces = []

    @jax.jit
    def f(a: jax.Array) -> jax.Array:
        traces.append(1)
        return jax_functions.jax_sum(jax_functions.jax_multiply(a, a))

    assert float(f(jnp.ones(3))) == float(f(jnp.ones(3))) == 3.0
    assert len(traces) == 1
    assert jax.grad(f)(jnp.ones(3)).tolist() == [2.0] * 3
    assert jax.vmap(f)(jnp.ones((2, 3))).tolist() == [3.0] * 2
