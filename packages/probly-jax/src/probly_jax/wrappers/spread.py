"""Wrappers of standard deviation and variance; representations permit them one by one and reduce batch axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike, DTypeLike

from probly_jax.protocol import JaxOperand, jax_function_dispatch

__all__ = [
    "jax_std",
    "jax_var",
]


@overload
def jax_std(
    a: ArrayLike,
    /,
    axis: int | Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    ddof: int = ...,
    keepdims: bool = ...,
    *,
    where: ArrayLike | None = ...,
) -> jax.Array: ...
@overload
def jax_std(
    a: JaxOperand,
    /,
    axis: int | Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    ddof: int = ...,
    keepdims: bool = ...,
    *,
    where: JaxOperand | None = ...,
) -> object: ...
@jax_function_dispatch("a", "where")
def jax_std(
    a: Any,
    /,
    axis: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: Any = None,
) -> Any:
    """Standard deviation over axes.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    axis : int or sequence of int, optional
        Axes to reduce; all of them, for representations all batch axes, by default.
    dtype : dtype-like, optional
        Dtype of the result.
    out : None
        Not supported.
    ddof : int
        The divisor is the number of elements less this.
    keepdims : bool
        Keep reduced axes with size 1.
    where : boolean array_like or SupportsJaxFunction, optional
        Elements to include; for representations of the batch shape.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.std`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_std(jnp.array([1.0, 3.0])))
    1.0
    """
    return jnp.std(a, axis, dtype, out, ddof, keepdims, where=where)


@overload
def jax_var(
    a: ArrayLike,
    /,
    axis: int | Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    ddof: int = ...,
    keepdims: bool = ...,
    *,
    where: ArrayLike | None = ...,
) -> jax.Array: ...
@overload
def jax_var(
    a: JaxOperand,
    /,
    axis: int | Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    ddof: int = ...,
    keepdims: bool = ...,
    *,
    where: JaxOperand | None = ...,
) -> object: ...
@jax_function_dispatch("a", "where")
def jax_var(
    a: Any,
    /,
    axis: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: Any = None,
) -> Any:
    """Variance over axes.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    axis : int or sequence of int, optional
        Axes to reduce; all of them, for representations all batch axes, by default.
    dtype : dtype-like, optional
        Dtype of the result.
    out : None
        Not supported.
    ddof : int
        The divisor is the number of elements less this.
    keepdims : bool
        Keep reduced axes with size 1.
    where : boolean array_like or SupportsJaxFunction, optional
        Elements to include; for representations of the batch shape.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.var`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_var(jnp.array([1.0, 3.0])))
    1.0
    """
    return jnp.var(a, axis, dtype, out, ddof, keepdims, where=where)
