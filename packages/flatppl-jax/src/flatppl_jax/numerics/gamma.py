"""Gamma and beta functions."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
from jax import lax

__all__ = ["digamma_gap", "gamma", "lbeta", "lgamma", "stirling"]

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


#: Lanczos' series for g = 7: the constant, then the coefficients of 1 / (x + k).
_LANCZOS = (
    0.99999999999980993227684700473478,
    676.520368121885098567009190444019,
    -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,
    -176.61502916214059906584551354,
    12.507343278686904814458936853,
    -0.13857109526572011689554707,
    9.984369578019570859563e-6,
    1.50563273514931155834e-7,
)


@jax.custom_jvp
def lgamma(x: Any) -> Any:
    """Logarithm of the absolute gamma function; +inf at its poles.

    Lanczos' approximation with Euler's reflection. JAX's own has hundreds of operations from JAX 0.12 on, and default
    types among them.
    """
    reflect = lax.lt(x, lax.full_like(x, 0.5))
    z = lax.select(reflect, -x, x - 1.0)
    total = lax.full_like(x, _LANCZOS[0])
    for k, coefficient in enumerate(_LANCZOS[1:], 1):
        total = total + coefficient / (z + float(k))
    log_t = math.log(7.5) + lax.log1p(z / 7.5)
    direct = (z + 0.5 - (z + 7.5) / log_t) * log_t + 0.5 * math.log(2.0 * math.pi) + lax.log(total)
    size = lax.abs(x)
    rest = size - lax.floor(size)
    near = lax.min(rest, 1.0 - rest)
    sine = lax.log(lax.sin(math.pi * near))
    reflected = lax.select(lax.is_finite(sine), math.log(math.pi) - sine - direct, -sine)
    value = lax.select(reflect, reflected, direct)
    return lax.select(lax.eq(size, lax.full_like(x, np.inf)), size, value)


@lgamma.defjvp
def _lgamma_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (tangent,) = primals, tangents
    return lgamma(x), tangent * lax.digamma(x)


def stirling(x: Any) -> Any:
    """``lgamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2)`` for ``x >= LARGE``."""
    inverse = 1.0 / x
    square = inverse * inverse
    total = lax.full_like(x, 0.0)
    for coefficient in _STIRLING:
        total = total * square + coefficient
    return total * inverse


def digamma_gap(x: Any) -> Any:
    """``log x - digamma(x)``, from its asymptotic series where the two would cancel."""
    large = lax.ge(x, lax.full_like(x, LARGE))
    square = 1.0 / (x * x)
    total = lax.full_like(x, 0.0)
    for k, coefficient in zip(range(8, 0, -1), _STIRLING, strict=True):
        total = (total + (2 * k - 1) * coefficient) * square
    return 0.5 / x + lax.select(large, total, lax.log(x) - lax.digamma(x) - 0.5 / x)


def gamma(x: Any) -> Any:
    """Gamma function; NaN at negative integers and -inf, +inf at 0."""
    below = lax.lt(x, lax.full_like(x, 0.0))
    floor = lax.floor(x)
    odd = lax.ne(floor * 0.5, lax.floor(floor * 0.5))
    size = lax.exp(lgamma(x))
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
    direct = lgamma(small) + lgamma(little) - lgamma(small + little)
    mixed = lgamma(small) + tail + small - small * lax.log(big) - (small + big - 0.5) * lax.log1p(ratio)
    wide = _both_large(big_small, lax.select(both, large, limit))
    return lax.select(both, wide, lax.select(one, mixed, direct))


def _both_large(a: Any, b: Any) -> Any:
    ratio = a / b
    first = (a - 0.5) * (lax.log1p(ratio) - lax.log(ratio))
    second = b * lax.log1p(ratio)
    correction = stirling(a) + stirling(b) - stirling(a + b)
    return 0.5 * math.log(2.0 * math.pi) - 0.5 * lax.log(b) - first - second + correction
