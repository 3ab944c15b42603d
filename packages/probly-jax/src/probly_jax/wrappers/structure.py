"""Wrappers of structural functions of one array; representations answer for their batch axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from probly_jax.protocol import JaxOperand, jax_function_dispatch

__all__ = [
    "jax_expand_dims",
    "jax_matrix_transpose",
    "jax_moveaxis",
    "jax_reshape",
    "jax_squeeze",
    "jax_swapaxes",
    "jax_take_along_axis",
    "jax_transpose",
]


@overload
def jax_reshape(
    a: ArrayLike, /, shape: int | Sequence[int], order: str = ..., *, copy: bool | None = ...
) -> jax.Array: ...
@overload
def jax_reshape(
    a: JaxOperand, /, shape: int | Sequence[int], order: str = ..., *, copy: bool | None = ...
) -> object: ...
@jax_function_dispatch("a")
def jax_reshape(a: Any, /, shape: int | Sequence[int], order: str = "C", *, copy: bool | None = None) -> Any:
    """Give an array another shape.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    shape : int or sequence of int
        New shape; one size may be -1.
    order : str
        Order of the elements; representations keep "C".
    copy : bool, optional
        Whether a copy is made.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.reshape`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_reshape(jnp.arange(6), (2, 3)).shape
    (2, 3)
    """
    return jnp.reshape(a, shape, order, copy=copy)


@overload
def jax_transpose(a: ArrayLike, /, axes: Sequence[int] | None = ...) -> jax.Array: ...
@overload
def jax_transpose(a: JaxOperand, /, axes: Sequence[int] | None = ...) -> object: ...
@jax_function_dispatch("a")
def jax_transpose(a: Any, /, axes: Sequence[int] | None = None) -> Any:
    """Permute the axes.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    axes : sequence of int, optional
        Permutation of the axes; reversed by default.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.transpose`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_transpose(jnp.ones((2, 3))).shape
    (3, 2)
    """
    return jnp.transpose(a, axes)


@overload
def jax_matrix_transpose(x: ArrayLike, /) -> jax.Array: ...
@overload
def jax_matrix_transpose(x: JaxOperand, /) -> object: ...
@jax_function_dispatch("x")
def jax_matrix_transpose(x: Any, /) -> Any:
    """Swap the last two axes.

    Parameters
    ----------
    x : array_like or SupportsJaxFunction
        Operand.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.matrix_transpose`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_matrix_transpose(jnp.ones((4, 2, 3))).shape
    (4, 3, 2)
    """
    return jnp.matrix_transpose(x)


@overload
def jax_moveaxis(a: ArrayLike, /, source: int | Sequence[int], destination: int | Sequence[int]) -> jax.Array: ...
@overload
def jax_moveaxis(a: JaxOperand, /, source: int | Sequence[int], destination: int | Sequence[int]) -> object: ...
@jax_function_dispatch("a")
def jax_moveaxis(a: Any, /, source: int | Sequence[int], destination: int | Sequence[int]) -> Any:
    """Move axes to other positions.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    source, destination : int or sequence of int
        Axes to move, and where to.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.moveaxis`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_moveaxis(jnp.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return jnp.moveaxis(a, source, destination)


@overload
def jax_swapaxes(a: ArrayLike, /, axis1: int, axis2: int) -> jax.Array: ...
@overload
def jax_swapaxes(a: JaxOperand, /, axis1: int, axis2: int) -> object: ...
@jax_function_dispatch("a")
def jax_swapaxes(a: Any, /, axis1: int, axis2: int) -> Any:
    """Swap two axes.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    axis1, axis2 : int
        Axes to swap.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.swapaxes`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_swapaxes(jnp.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    return jnp.swapaxes(a, axis1, axis2)


@overload
def jax_squeeze(a: ArrayLike, /, axis: int | Sequence[int] | None = ...) -> jax.Array: ...
@overload
def jax_squeeze(a: JaxOperand, /, axis: int | Sequence[int] | None = ...) -> object: ...
@jax_function_dispatch("a")
def jax_squeeze(a: Any, /, axis: int | Sequence[int] | None = None) -> Any:
    """Remove axes of size 1.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    axis : int or sequence of int, optional
        Axes of size 1; all of them by default.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.squeeze`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_squeeze(jnp.ones((1, 3, 1))).shape
    (3,)
    """
    return jnp.squeeze(a, axis)


@overload
def jax_expand_dims(a: ArrayLike, /, axis: int | Sequence[int]) -> jax.Array: ...
@overload
def jax_expand_dims(a: JaxOperand, /, axis: int | Sequence[int]) -> object: ...
@jax_function_dispatch("a")
def jax_expand_dims(a: Any, /, axis: int | Sequence[int]) -> Any:
    """Insert axes of size 1.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    axis : int or sequence of int
        Positions of the new axes in the result.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.expand_dims`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_expand_dims(jnp.ones(3), 0).shape
    (1, 3)
    """
    return jnp.expand_dims(a, axis)


@overload
def jax_take_along_axis(
    arr: ArrayLike,
    /,
    indices: ArrayLike,
    axis: int | None = ...,
    mode: str | None = ...,
    fill_value: float | None = ...,
) -> jax.Array: ...
@overload
def jax_take_along_axis(
    arr: JaxOperand,
    /,
    indices: JaxOperand,
    axis: int | None = ...,
    mode: str | None = ...,
    fill_value: float | None = ...,
) -> object: ...
@jax_function_dispatch("arr", "indices")
def jax_take_along_axis(
    arr: Any, /, indices: Any, axis: int | None = -1, mode: str | None = None, fill_value: float | None = None
) -> Any:
    """Take elements along an axis by one index per position.

    Parameters
    ----------
    arr : array_like or SupportsJaxFunction
        Operand.
    indices : array_like or SupportsJaxFunction
        Integers of the same rank.
    axis : int, optional
        Axis to take along; None flattens.
    mode : str, optional
        What indices out of bounds mean; fixed for representations.
    fill_value : number, optional
        Value for indices out of bounds; fixed for representations.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.take_along_axis`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> jax_take_along_axis(jnp.array([5, 6, 7]), jnp.array([2])).tolist()
    [7]
    """
    return jnp.take_along_axis(arr, indices, axis, mode=mode, fill_value=fill_value)
