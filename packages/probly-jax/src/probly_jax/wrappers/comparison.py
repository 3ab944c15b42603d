"""Wrappers of the comparison operators."""

from __future__ import annotations

from typing import Any, overload

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from probly_jax.protocol import JaxOperand, jax_function_dispatch

__all__ = [
    "jax_equal",
    "jax_greater",
    "jax_greater_equal",
    "jax_less",
    "jax_less_equal",
    "jax_not_equal",
]


@overload
def jax_equal(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_equal(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_equal(x1: Any, x2: Any, /) -> Any:
    """Whether ``x1 == x2``, elementwise.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.equal`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> bool(jax_equal(1, 1.0))
    True
    """
    return jnp.equal(x1, x2)


@overload
def jax_not_equal(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_not_equal(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_not_equal(x1: Any, x2: Any, /) -> Any:
    """Whether ``x1 != x2``, elementwise.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.not_equal`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> bool(jax_not_equal(1, 1.0))
    False
    """
    return jnp.not_equal(x1, x2)


@overload
def jax_less(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_less(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_less(x1: Any, x2: Any, /) -> Any:
    """Whether ``x1 < x2``, elementwise.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.less`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> bool(jax_less(1, 2))
    True
    """
    return jnp.less(x1, x2)


@overload
def jax_less_equal(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_less_equal(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_less_equal(x1: Any, x2: Any, /) -> Any:
    """Whether ``x1 <= x2``, elementwise.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.less_equal`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> bool(jax_less_equal(2, 2))
    True
    """
    return jnp.less_equal(x1, x2)


@overload
def jax_greater(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_greater(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_greater(x1: Any, x2: Any, /) -> Any:
    """Whether ``x1 > x2``, elementwise.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.greater`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> bool(jax_greater(1, 2))
    False
    """
    return jnp.greater(x1, x2)


@overload
def jax_greater_equal(x1: ArrayLike, x2: ArrayLike, /) -> jax.Array: ...
@overload
def jax_greater_equal(x1: JaxOperand, x2: JaxOperand, /) -> object: ...
@jax_function_dispatch("x1", "x2")
def jax_greater_equal(x1: Any, x2: Any, /) -> Any:
    """Whether ``x1 >= x2``, elementwise.

    Parameters
    ----------
    x1, x2 : array_like or SupportsJaxFunction
        Operands, broadcast against each other.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.greater_equal`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> bool(jax_greater_equal(2, 2))
    True
    """
    return jnp.greater_equal(x1, x2)
