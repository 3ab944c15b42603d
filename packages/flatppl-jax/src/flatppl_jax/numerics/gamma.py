"""Gamma and beta functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from jax import lax

__all__ = ["gamma", "lbeta", "stirling"]

#: From here on the Stirling series with eight terms is exact to float64.
LARGE = 10.0

#: B(2n) / (2n (2n - 1)) for n = 8 .. 1.
_STIRLING = (
    -3617.0 / 122400.0,
    1.0 / 156.0,
    -691.0 / 360360.0,
    1.0 / 1188.0,
    -1.0 / 1680.0,
    1.0 / 1260.0,
    -1.0 / 360.0,
    1.0 / 12.0,
)


def stirling(x: Any) -> Any:
    """``lgamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2)`` for ``x >= LARGE``."""
    inverse = 1.0 / x
    square = inverse * inverse
    total = lax.full_like(x, 0.0)
    for coefficient in _STIRLING:
        total = total * square + coefficient
    return total * inverse


def gamma(x: Any) -> Any:
    """Gamma function; NaN at negative integers and -inf, +inf at 0."""
    below = lax.lt(x, lax.full_like(x, 0.0))
    floor = lax.floor(x)
    odd = lax.ne(floor * 0.5, lax.floor(floor * 0.5))
    size = lax.exp(lax.lgamma(x))
    signed = lax.select(lax.bitwise_and(below, odd), -size, size)
    pole = lax.bitwise_and(below, lax.eq(floor, x))
    return lax.select(pole, lax.full_like(x, np.nan), signed)


def lbeta(a: Any, b: Any) -> Any:
    """``log B(a, b)`` without cancellation where one argument or both are large.

    Each regime is evaluated at arguments that suit it, so that unused branches have finite derivatives.
    Source: DiDonato and Morris, Algorithm 708 (1992).
    """
    # Not min and max: those share the derivative between equal arguments.
    swap = lax.gt(a, b)
    small, large = lax.select(swap, b, a), lax.select(swap, a, b)
    limit = lax.full_like(a, LARGE)
    both, one = lax.ge(small, limit), lax.ge(large, limit)
    big_small = lax.select(both, small, limit)
    big = lax.select(one, large, limit)
    little = lax.select(one, lax.full_like(a, 1.0), large)
    ratio = small / big
    tail = stirling(big) - stirling(small + big)
    direct = lax.lgamma(small) + lax.lgamma(little) - lax.lgamma(small + little)
    mixed = lax.lgamma(small) + tail + small - small * lax.log(big) - (small + big - 0.5) * lax.log1p(ratio)
    wide = _both_large(big_small, lax.select(both, large, limit))
    return lax.select(both, wide, lax.select(one, mixed, direct))


def _both_large(a: Any, b: Any) -> Any:
    ratio = a / b
    first = (a - 0.5) * (lax.log1p(ratio) - lax.log(ratio))
    second = b * lax.log1p(ratio)
    correction = stirling(a) + stirling(b) - stirling(a + b)
    return 0.5 * math.log(2.0 * math.pi) - 0.5 * lax.log(b) - first - second + correction
