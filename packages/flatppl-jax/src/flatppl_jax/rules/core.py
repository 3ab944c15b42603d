"""Conversions between kinds, guards, precision."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from flatppl_jax.context import Context

__all__ = ["RULES"]


def _to_integer(context: Context, x: Any) -> Any:
    """Round half to even; NaN becomes 0, the rest saturates (conversion out of range differs between devices)."""
    target = context.dtypes["integer"]
    dtype = x.dtype
    bound = 2.0 ** (np.iinfo(target).bits - 1 if target.itemsize < 8 else 62)
    largest = np.nextafter(dtype.type(bound), dtype.type(0))
    x = lax.select(lax.ne(x, x), lax.full_like(x, 0.0), x)
    x = lax.clamp(dtype.type(-bound), x, largest)
    return lax.convert_element_type(lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), target)


def convert(context: Context, x: Any, kind: str) -> Any:
    """Upwards exact; downwards as the primitive says."""
    if jnp.issubdtype(x.dtype, np.complexfloating) and kind in ("real", "integer"):
        x = lax.real(x)
    if kind == "boolean":
        return lax.ne(x, lax.full_like(x, 0))
    if kind == "integer" and jnp.issubdtype(x.dtype, np.floating):
        return _to_integer(context, x)
    return lax.convert_element_type(x, context.dtypes[kind])


def guard(context: Context, value: Any, ok: Any, excused: Any, message: str, category: str) -> Any:
    """The value; checks were taken out of the program before."""
    return value


def epsilon(context: Context) -> Any:
    """Spacing of reals at one."""
    return np.asarray(np.finfo(context.real).eps, context.real)


def annotated(context: Context, y: Any, x: Any, inverse: Any) -> Any:
    """The value; its inverse mattered before."""
    return y


RULES = {"convert": convert, "guard": guard, "annotated": annotated, "epsilon": epsilon}
