"""Wrappers of the unary operators."""

from __future__ import annotations

from typing import Any, overload

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from probly_jax.protocol import JaxOperand, jax_function_dispatch

__all__ = [
    "jax_absolute",
    "jax_invert",
    "jax_negative",
    "jax_positive",
]


@overload
def jax_positive(x: ArrayLike, /) -> jax.Array: ...
@overload
def jax_positive(x: JaxOperand, /) -> object: ...
@jax_function_dispatch("x")
def jax_positive(x: Any, /) -> Any:
    """The operand, ``+x``.

    Parameters
    ----------
    x : array_like or SupportsJaxFunction
        Operand.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.positive`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_positive(2.0))
    2.0
    """
    return jnp.positive(x)


@overload
def jax_negative(x: ArrayLike, /) -> jax.Array: ...
@overload
def jax_negative(x: JaxOperand, /) -> object: ...
@jax_function_dispatch("x")
def jax_negative(x: Any, /) -> Any:
    """Negation ``-x``.

    Parameters
    ----------
    x : array_like or SupportsJaxFunction
        Operand.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.negative`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_negative(2.0))
    -2.0
    """
    return jnp.negative(x)


@overload
def jax_absolute(x: ArrayLike, /) -> jax.Array: ...
@overload
def jax_absolute(x: JaxOperand, /) -> object: ...
@jax_function_dispatch("x")
def jax_absolute(x: Any, /) -> Any:
    """Absolute value ``abs(x)``.

    Parameters
    ----------
    x : array_like or SupportsJaxFunction
        Operand.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.absolute`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> float(jax_absolute(-2.0))
    2.0
    """
    return jnp.absolute(x)


@overload
def jax_invert(x: ArrayLike, /) -> jax.Array: ...
@overload
def jax_invert(x: JaxOperand, /) -> object: ...
@jax_function_dispatch("x")
def jax_invert(x: Any, /) -> Any:
    """Bits inverted, ``~x``; negation of a boolean.

    Parameters
    ----------
    x : array_like or SupportsJaxFunction
        Operand.

    Returns
    -------
    jax.Array or object
        What ``jax.numpy.invert`` gives; what the implementation of a custom operand returns.

    Examples
    --------
    >>> int(jax_invert(5))
    -6
    """
    return jnp.invert(x)
