"""Python's operators for types that follow the JAX function protocol (O-1)."""

from __future__ import annotations

from typing import Any

from probly.representation._protected_axis.operators import OperatorsMixin
from probly_jax.functions import OPERATORS
from probly_jax.protocol import try_jax_function

__all__ = ["JaxOperatorsMixin"]


class JaxOperatorsMixin(OperatorsMixin):
    """All Python operators over ``__jax_function__``, keyed by the wrappers: ``x + y`` is ``jax_add(x, y)``.

    If every implementation declines, a binary operator returns ``NotImplemented`` to Python, a unary one raises
    TypeError. Augmented assignment rebinds an out-of-place result; ``pow`` with a modulus is unsupported. NumPy's
    ufuncs refuse the type, so that they cannot bypass its permissions; other NumPy functions coerce it by
    ``__array__``, as ``numpy.asarray`` does.

    Use ``@dataclass(eq=False)``: with ``eq=True`` the dataclass replaces ``==``.

    Examples
    --------
    >>> class Celsius(JaxOperatorsMixin):
    ...     @classmethod
    ...     def __jax_function__(cls, func, types, args=(), kwargs=None):
    ...         return func.__name__
    >>> 2.0 * Celsius(), -Celsius()
    ('jax_multiply', 'jax_negative')
    """

    __slots__ = ()
    __array_ufunc__ = None
    __array_priority__ = 10_000

    def _operate(self, name: str, operands: tuple[Any, ...]) -> Any:
        return try_jax_function(OPERATORS[name], operands, *operands)
