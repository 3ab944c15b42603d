"""Runtime checks: NaN results, or errors through checkify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    if not jnp.issubdtype(x.dtype, np.inexact):
        return x
    # The product carries NaN into the derivatives, which a constant would not.
    undefined = lax.mul(x, lax.full_like(x, np.nan))
    return lax.select(fine, x, undefined)
