"""Numbers, nested lists and arrays of other libraries as JAX arrays (S-9, P-17)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from probly.dispatch import backend_of
from probly.errors import InvalidValueError
from probly.numpy_backend.ops import to_array

__all__ = ["to_jax"]


def to_jax(value: object) -> jax.Array:
    """Return a value as a JAX array of the same kind of dtype.

    The result is not committed to a device, so that it follows the arrays that it meets. 64-bit numbers become 32-bit
    unless x64 is enabled.

    Raises
    ------
    TypeError
        If it has no numeric array form.
    InvalidValueError
        If an integer does not fit the narrower dtype.

    Examples
    --------
    >>> to_jax([0.25, 0.75])
    Array([0.25, 0.75], dtype=float32)
    """
    if isinstance(value, jax.Array):
        return value
    if isinstance(value, list | tuple):
        if any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(value)):
            return _stacked(value)
        return _from_numpy(to_array(value))
    found = backend_of(value)
    return _from_numpy(to_array(value if found.name == "numpy" else found.ops().to_numpy(value)))


def _stacked(value: object) -> jax.Array:
    """Nested lists that hold JAX arrays, tracers included."""
    if isinstance(value, list | tuple):
        return jnp.stack([_stacked(entry) for entry in value])
    return to_jax(value)


def _from_numpy(array: np.ndarray) -> jax.Array:
    if array.dtype.kind not in "biufcV":
        raise TypeError(f"dtype {array.dtype} has no JAX form")
    result = jnp.asarray(array)
    if result.dtype.itemsize < array.dtype.itemsize and array.dtype.kind in "iu":
        limits = np.iinfo(result.dtype)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise InvalidValueError(f"integers of dtype {array.dtype} do not fit {result.dtype}; enable x64")
    return result
