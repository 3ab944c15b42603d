"""Static types of the wrappers; ``test_typing`` runs mypy over this file. Nothing here is executed."""

from typing import assert_type

import jax
import numpy as np

from probly_jax.representation._protected_axis.jax import JaxAxisProtected
from probly_jax.representation.jax_functions import (
    SupportsJaxFunction,
    jax_add,
    jax_average,
    jax_divmod,
    jax_function_dispatch,
    jax_mean,
    jax_negative,
    jax_stack,
)


def check(array: jax.Array, rep: JaxAxisProtected[jax.Array], custom: SupportsJaxFunction) -> None:
    assert_type(jax_add(array, 1.0), jax.Array)
    assert_type(jax_add(np.ones(2), 1), jax.Array)
    assert_type(jax_add(rep, 1.0), object)
    assert_type(jax_add(array, custom), object)
    assert_type(jax_divmod(array, 2), tuple[jax.Array, jax.Array])
    assert_type(jax_divmod(2, rep), object)
    assert_type(jax_negative(array), jax.Array)
    assert_type(jax_negative(rep), object)
    assert_type(jax_mean(array, axis=0, where=array), jax.Array)
    assert_type(jax_mean(rep, axis=0), object)
    assert_type(jax_stack([array, array]), jax.Array)
    assert_type(jax_stack([rep, array]), object)
    assert_type(jax_average(array), jax.Array)
    assert_type(jax_average(array, returned=True), tuple[jax.Array, jax.Array])
    jax_add("text", 1.0)  # type: ignore[call-overload]
    jax_add(array)  # type: ignore[call-overload]
    jax_add(x1=array, x2=array)  # type: ignore[call-overload]
    jax_add(array, array, out=None)  # type: ignore[call-overload]


@jax_function_dispatch("a")
def wrapper(a: int, /, b: str = "") -> float:
    return float(a)


def check_decorated() -> None:
    assert_type(wrapper(1, b="x"), float)
    wrapper("x")  # type: ignore[arg-type]
