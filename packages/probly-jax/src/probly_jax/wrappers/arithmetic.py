"""Wrappers of the binary arithmetic operators."""

from __future__ import annotations

from typing import Any, overload

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from probly_jax.protocol import JaxOperand, jax_function_dispatch

__all__ = [
    "jax_add",
    "jax_divmod",
    "jax_floor_divide",
    "jax_matmul",
    "jax_multiply",
    "jax_power",
    "jax_remainder",
    "jax_subtract",
    "jax_true_divide",
]


@overload
def jax_add(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_add(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_add(x1: Any, x2: Any, /) -> Any:
    """Sum ``x1 + x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.add`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_add(1.0, 2.0))
    3.0
    """
    return jnp.add(x1, x2)


@overload
def jax_subtract(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_subtract(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_subtract(x1: Any, x2: Any, /) -> Any:
    """Difference ``x1 - x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.subtract`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_subtract(3.0, 1.0))
    2.0
    """
    return jnp.subtract(x1, x2)


@overload
def jax_multiply(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_multiply(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_multiply(x1: Any, x2: Any, /) -> Any:
    """Product ``x1 * x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.multiply`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_multiply(2.0, 3.0))
    6.0
    """
    return jnp.multiply(x1, x2)


@overload
def jax_true_divide(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_true_divide(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_true_divide(x1: Any, x2: Any, /) -> Any:
    """Quotient ``x1 / x2``, floating.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.true_divide`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_true_divide(1, 2))
    0.5
    """
    return jnp.true_divide(x1, x2)


@overload
def jax_floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_floor_divide(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_floor_divide(x1: Any, x2: Any, /) -> Any:
    """Quotient rounded down, ``x1 // x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.floor_divide`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_floor_divide(-7, 2))
    -4
    """
    return jnp.floor_divide(x1, x2)


@overload
def jax_remainder(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_remainder(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_remainder(x1: Any, x2: Any, /) -> Any:
    """Remainder ``x1 % x2``, with the sign of ``x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.remainder`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_remainder(-7, 2))
    1
    """
    return jnp.remainder(x1, x2)


@overload
def jax_power(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_power(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_power(x1: Any, x2: Any, /) -> Any:
    """Power ``x1 ** x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.power`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_power(2, 10))
    1024
    """
    return jnp.power(x1, x2)


@overload
def jax_divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[jax.Array, jax.Array]: ...
@overload
def jax_divmod(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_divmod(x1: Any, x2: Any, /) -> Any:
    """Quotient rounded down and remainder, ``divmod(x1, x2)``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    pair of jax.Array, or object
        What ``jax.numpy.divmod`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> [int(part) for part in jax_divmod(7, 2)]
    [3, 1]
    """
    return jnp.divmod(x1, x2)


@overload
def jax_matmul(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_matmul(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_matmul(x1: Any, x2: Any, /) -> Any:
    """Matrix product ``x1 @ x2``.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Vectors, matrices or stacks of them, by the rules of ``jax.numpy.matmul``.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.matmul`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_matmul(jnp.array([1, 2]), jnp.array([3, 4])))
    11
    """
    return jnp.matmul(x1, x2)
