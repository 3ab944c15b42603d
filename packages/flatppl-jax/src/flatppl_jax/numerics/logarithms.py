"""Products with a logarithm that vanish where the factor does; sums of exponentials."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax

__all__ = ["logaddexp", "xlog1py", "xlogy"]


def xlogy(x: Any, y: Any) -> Any:
    """``x log y``, zero where x is zero; its derivatives are zero where x is zero and the logarithm is not finite."""
    zero = lax.full_like(y, 0.0)
    regular = lax.bitwise_and(lax.gt(y, zero), lax.lt(y, lax.full_like(y, np.inf)))
    unclear = lax.bitwise_not(lax.bitwise_or(regular, lax.ne(y, y)))
    skipped = lax.bitwise_and(lax.eq(x, lax.full_like(x, 0.0)), unclear)
    return x * lax.log(lax.select(skipped, lax.full_like(y, 1.0), y))


def xlog1py(x: Any, y: Any) -> Any:
    """``x log1p y``, zero where x is zero; as :func:`xlogy`."""
    regular = lax.bitwise_and(lax.gt(y, lax.full_like(y, -1.0)), lax.lt(y, lax.full_like(y, np.inf)))
    unclear = lax.bitwise_not(lax.bitwise_or(regular, lax.ne(y, y)))
    skipped = lax.bitwise_and(lax.eq(x, lax.full_like(x, 0.0)), unclear)
    return x * lax.log1p(lax.select(skipped, lax.full_like(y, 0.0), y))


@jax.custom_jvp
def logaddexp(x: Any, y: Any) -> Any:
    """``log(exp(x) + exp(y))``; two equal infinities count half each in the derivative."""
    return lax.max(x, y) + lax.log1p(lax.exp(-lax.abs(_gap(x, y))))


def _gap(x: Any, y: Any) -> Any:
    """``x - y``, zero where the larger is infinite."""
    return lax.select(lax.is_finite(lax.max(x, y)), x - y, lax.full_like(x, 0.0))


@logaddexp.defjvp
def _logaddexp_jvp(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    share = lax.logistic(_gap(x, y))
    return logaddexp(x, y), dy + share * (dx - dy)
