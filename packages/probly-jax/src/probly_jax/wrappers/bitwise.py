"""Wrappers of the bitwise operators and shifts."""

from __future__ import annotations

from typing import Any, overload

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from probly_jax.protocol import JaxOperand, jax_function_dispatch

__all__ = [
    "jax_bitwise_and",
    "jax_bitwise_or",
    "jax_bitwise_xor",
    "jax_left_shift",
    "jax_right_shift",
]


@overload
def jax_bitwise_and(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_bitwise_and(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_bitwise_and(x1: Any, x2: Any, /) -> Any:
    """Bits that both operands have, ``x1 & x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Integer or boolean operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.bitwise_and`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_bitwise_and(6, 3))
    2
    """
    return jnp.bitwise_and(x1, x2)


@overload
def jax_bitwise_or(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_bitwise_or(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_bitwise_or(x1: Any, x2: Any, /) -> Any:
    """Bits that either operand has, ``x1 | x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Integer or boolean operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.bitwise_or`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_bitwise_or(6, 3))
    7
    """
    return jnp.bitwise_or(x1, x2)


@overload
def jax_bitwise_xor(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_bitwise_xor(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_bitwise_xor(x1: Any, x2: Any, /) -> Any:
    """Bits that one operand has, ``x1 ^ x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Integer or boolean operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.bitwise_xor`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_bitwise_xor(6, 3))
    5
    """
    return jnp.bitwise_xor(x1, x2)


@overload
def jax_left_shift(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_left_shift(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_left_shift(x1: Any, x2: Any, /) -> Any:
    """Bits of ``x1`` shifted up by ``x2`` places, ``x1 << x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Integer or boolean operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.left_shift`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_left_shift(1, 4))
    16
    """
    return jnp.left_shift(x1, x2)


@overload
def jax_right_shift(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_right_shift(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_right_shift(x1: Any, x2: Any, /) -> Any:
    """Bits of ``x1`` shifted down by ``x2`` places, ``x1 >> x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Integer or boolean operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.right_shift`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_right_shift(16, 3))
    2
    """
    return jnp.right_shift(x1, x2)
