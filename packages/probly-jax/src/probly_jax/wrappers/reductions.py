"""Wrappers of reductions; representations permit them one by one and reduce batch axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike, DTypeLike

from probly_jax.protocol import JaxOperand, jax_function_dispatch

__all__ = [
    "jax_average",
    "jax_mean",
    "jax_sum",
]


@overload
def jax_mean(
    a: ArrayLike,
    /,
    axis: int | Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: bool = ...,
    *,
    where: ArrayLike | None = ...,
) -> jax.Array: ...
@overload
def jax_mean(
    a: JaxOperand,
    /,
    axis: int | Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: bool = ...,
    *,
    where: JaxOperand | None = ...,
) -> object: ...
@jax_function_dispatch("a", "where")
def jax_mean(
    a: Any,
    /,
    axis: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: Any = None,
) -> Any:
    """Mean over axes.

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
    keepdims : bool
        Keep reduced axes with size 1.
    where : boolean array_like or SupportsJaxFunction, optional
        Elements to include; for representations of the batch shape.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.mean`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_mean(jnp.array([1.0, 3.0])))
    2.0
    """
    return jnp.mean(a, axis, dtype, out, keepdims, where=where)


@overload
def jax_sum(
    a: ArrayLike,
    /,
    axis: int | Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: bool = ...,
    initial: ArrayLike | None = ...,
    where: ArrayLike | None = ...,
) -> jax.Array: ...
@overload
def jax_sum(
    a: JaxOperand,
    /,
    axis: int | Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: bool = ...,
    initial: JaxOperand | None = ...,
    where: JaxOperand | None = ...,
) -> object: ...
@jax_function_dispatch("a", "initial", "where")
def jax_sum(
    a: Any,
    /,
    axis: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """Sum over axes.

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
    keepdims : bool
        Keep reduced axes with size 1.
    initial : number, array_like or SupportsJaxFunction, optional
        Start of the sum.
    where : boolean array_like or SupportsJaxFunction, optional
        Elements to include; for representations of the batch shape.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.sum`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_sum(jnp.array([1.0, 3.0])))
    4.0
    """
    return jnp.sum(a, axis, dtype, out, keepdims, initial, where)


@overload
def jax_average(
    a: ArrayLike,
    /,
    axis: int | Sequence[int] | None = ...,
    weights: ArrayLike | None = ...,
    returned: Literal[False] = ...,
    keepdims: bool = ...,
) -> jax.Array: ...
@overload
def jax_average(
    a: ArrayLike,
    /,
    axis: int | Sequence[int] | None = ...,
    weights: ArrayLike | None = ...,
    *,
    returned: Literal[True],
    keepdims: bool = ...,
) -> tuple[jax.Array, jax.Array]: ...
@overload
def jax_average(
    a: ArrayLike,
    /,
    axis: int | Sequence[int] | None,
    weights: ArrayLike | None,
    returned: Literal[True],
    keepdims: bool = ...,
) -> tuple[jax.Array, jax.Array]: ...
@overload
def jax_average(
    a: JaxOperand,
    /,
    axis: int | Sequence[int] | None = ...,
    weights: JaxOperand | None = ...,
    returned: bool = ...,
    keepdims: bool = ...,
) -> object: ...
@jax_function_dispatch("a", "weights")
def jax_average(
    a: Any,
    /,
    axis: int | Sequence[int] | None = None,
    weights: Any = None,
    returned: bool = False,
    keepdims: bool = False,
) -> Any:
    """Weighted average over axes.

    Parameters
    ----------
    a : array_like or SupportsJaxFunction
        Operand.
    axis : int or sequence of int, optional
        Axes to reduce; all of them, for representations all batch axes, by default.
    weights : array_like or SupportsJaxFunction, optional
        One per element, or per position along the axis.
    returned : bool
        Give the sum of weights too; refused by representations.
    keepdims : bool
        Keep reduced axes with size 1.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.average`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_average(jnp.array([1.0, 3.0]), weights=jnp.array([3.0, 1.0])))
    1.5
    """
    return jnp.average(a, axis, weights, returned, keepdims)
