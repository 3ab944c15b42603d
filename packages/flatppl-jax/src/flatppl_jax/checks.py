"""Runtime checks: NaN results, or errors through checkify."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import checkify

from flatppl_jax.context import as_jax

__all__ = ["apply_checks", "needs_checkify"]

Flags = Sequence[tuple[str, str]]


def _reports(category: str, mode: str) -> bool:
    return category != "parameter" or mode == "raise"


def needs_checkify(flags: Flags, mode: str) -> bool:
    """Whether any check is reported as an error."""
    return any(_reports(category, mode) for _, category in flags)


def apply_checks(results: Sequence[Any], flags: Flags, mode: str) -> tuple[Any, ...]:
    """Outputs of a program whose last results are (ok, silent) pairs, one per flag.

    A violated check makes the floating outputs, and their derivatives, NaN. Checks that are reported call
    ``checkify.check``.
    """
    count = len(results) - 2 * len(flags)
    outputs, pairs = results[:count], results[count:]
    fine = None
    for (message, category), ok, silent in zip(flags, pairs[::2], pairs[1::2], strict=True):
        if _reports(category, mode):
            checkify.check(as_jax(silent), message.replace("{", "{{").replace("}", "}}"))
        fine = ok if fine is None else lax.bitwise_and(fine, ok)
    return tuple(outputs) if fine is None else tuple(_poison(output, fine) for output in outputs)


def _poison(x: Any, fine: Any) -> Any:
    """X times 1 or NaN: the factor reaches the derivatives, which a selected constant would not."""
    x = as_jax(x)
    if jnp.issubdtype(x.dtype, np.complexfloating):
        return lax.complex(_poison(lax.real(x), fine), _poison(lax.imag(x), fine))
    if not jnp.issubdtype(x.dtype, np.floating):
        return x
    one = np.ones((), x.dtype)
    factor = lax.select(fine, one, np.full_like(one, np.nan))
    return lax.mul(x, lax.broadcast(factor, x.shape))
