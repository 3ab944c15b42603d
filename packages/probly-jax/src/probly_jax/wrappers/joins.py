"""Wrappers of joining, copying and casting; representations answer for their batch axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike, DTypeLike

from probly_jax.protocol import JaxOperand, jax_function_dispatch

__all__ = [
    "jax_astype",
    "jax_concatenate",
    "jax_conj",
    "jax_copy",
    "jax_stack",
]


@overload
def jax_concatenate(
    arrays: ArrayLike | Sequence[ArrayLike], /, axis: int | None = ..., dtype: DTypeLike | None = ...
) -> jax.Array: ...
@overload
def jax_concatenate(
    arrays: Sequence[JaxOperand], /, axis: int | None = ..., dtype: DTypeLike | None = ...
) -> object: ...
@jax_function_dispatch(unpack=("arrays",))
def jax_concatenate(arrays: Any, /, axis: int | None = 0, dtype: DTypeLike | None = None) -> Any:
    """Join along an existing axis.

    Parameters
    ----------
    arrays : sequence of array_like or SupportsJaxFunction
        Arrays to join; elements override the function.
    axis : int, optional
        Existing axis; None flattens the arrays first.
    dtype : dtype-like, optional
        Dtype of the result.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.concatenate`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_concatenate([jnp.ones(2), jnp.ones(3)]).shape
    (5,)
    """
    return jnp.concatenate(arrays, axis, dtype)


@overload
def jax_stack(
    arrays: ArrayLike | Sequence[ArrayLike], /, axis: int = ..., out: None = ..., dtype: DTypeLike | None = ...
) -> jax.Array: ...
@overload
def jax_stack(
    arrays: Sequence[JaxOperand], /, axis: int = ..., out: None = ..., dtype: DTypeLike | None = ...
) -> object: ...
@jax_function_dispatch(unpack=("arrays",))
def jax_stack(arrays: Any, /, axis: int = 0, out: None = None, dtype: DTypeLike | None = None) -> Any:
    """Join along a new axis.

    Parameters
    ----------
    arrays : sequence of array_like or SupportsJaxFunction
        Arrays to join; elements override the function.
    axis : int
        Position of the new axis in the result.
    out : None
        Not supported.
    dtype : dtype-like, optional
        Dtype of the result.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.stack`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_stack([jnp.ones(3), jnp.ones(3)]).shape
    (2, 3)
    """
    return jnp.stack(arrays, axis, out, dtype)


@overload
def jax_conj(x: ArrayLike, /) -> jax.Array: ...
@overload
def jax_conj(x: JaxOperand, /) -> object: ...
@jax_function_dispatch("x")
def jax_conj(x: Any, /) -> Any:
    """Complex conjugate.

    Parameters
    ----------
    x : array_like or SupportsJaxFunction
        Operand.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.conj`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> complex(jax_conj(1 + 2j))
    (1-2j)
    """
    return jnp.conj(x)


@overload
def jax_copy(a: ArrayLike, /, order: str | None = ...) -> jax.Array: ...
@overload
def jax_copy(a: JaxOperand, /, order: str | None = ...) -> object: ...
@jax_function_dispatch("a")
def jax_copy(a: Any, /, order: str | None = None) -> Any:
    """Copy an array.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    order : str, optional
        As in ``jax.numpy.copy``.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.copy`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_copy(jnp.arange(2)).tolist()
    [0, 1]
    """
    return jnp.copy(a, order)


@overload
def jax_astype(
    x: ArrayLike, /, dtype: DTypeLike, *, copy: bool = ..., device: jax.Device | jax.sharding.Sharding | None = ...
) -> jax.Array: ...
@overload
def jax_astype(
    x: JaxOperand, /, dtype: DTypeLike, *, copy: bool = ..., device: jax.Device | jax.sharding.Sharding | None = ...
) -> object: ...
@jax_function_dispatch("x")
def jax_astype(
    x: Any, /, dtype: DTypeLike, *, copy: bool = False, device: jax.Device | jax.sharding.Sharding | None = None
) -> Any:
    """Cast to another dtype.

    Parameters
    ----------
    x : array_like or SupportsJaxFunction
        Operand.
    dtype : dtype-like
        Dtype of the result.
    copy : bool
        Copy even if the dtype is the same.
    device : jax.Device or jax.sharding.Sharding, optional
        Where the result is; representations have ``to_device``.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.astype`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_astype(jnp.arange(2), jnp.float32).tolist()
    [0.0, 1.0]
    """
    return jnp.astype(x, dtype, copy=copy, device=device)
