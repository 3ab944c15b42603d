"""The protected-axis base class over JAX arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from probly.array_ops import ArrayOps
from probly.errors import NotPermittedError
from probly.representation._protected_axis.spelling import FunctionTable
from probly_jax.array_like import JaxLikeImplementation
from probly_jax.functions import TABLE
from probly_jax.operators import JaxOperatorsMixin
from probly_jax.ops import JAX

__all__ = ["JaxAxisProtected", "JaxLikeImplementation", "JaxOperatorsMixin"]

T = TypeVar("T")

#: Options of wrappers that have no meaning for representations.
_REFUSED = ("device", "fill_value", "mode")


class JaxAxisProtected(JaxLikeImplementation, Generic[T]):
    """A representation whose fields are JAX arrays, tracers included.

    Operators and the wrappers of ``probly.representation.jax_functions`` answer through ``__jax_function__``;
    ``jax.numpy`` itself refuses representations. List the wrappers that may run in ``permitted_functions``.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import jax
    >>> import jax.numpy as jnp
    >>> from probly_jax.representation.jax_functions import jax_add, jax_multiply
    >>> @dataclass(frozen=True, eq=False)
    ... class Vectors(JaxAxisProtected[jax.Array]):
    ...     array: jax.Array
    ...     protected_axes = {"array": 1}
    ...     permitted_functions = {jax_add, jax_multiply}
    >>> x = Vectors(jnp.ones((2, 3)))
    >>> y = jax.jit(lambda x: 2 * x + x)(x)
    >>> y.shape, y.protected_shape
    ((2,), (3,))
    """

    _ops: ClassVar[ArrayOps] = JAX
    _functions: ClassVar[FunctionTable] = TABLE

    @classmethod
    def __jax_function__(
        cls,
        func: Callable[..., Any],
        types: tuple[type[Any], ...],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        for option in _REFUSED:
            if kwargs and kwargs.get(option) is not None:
                raise NotPermittedError(f"{func.__name__} of {cls.__name__} takes no {option}")
        return cls._functions.call(func, args, kwargs)
