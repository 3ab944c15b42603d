"""The standard normal distribution, accurate in both tails, with derivatives of any order."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
from jax import lax

__all__ = ["log_ndtr", "ndtr", "ndtri"]

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


def ndtr(x: Any) -> Any:
    """Distribution function."""
    return 0.5 * lax.erfc(-math.sqrt(0.5) * x)


def _tail_start(x: Any) -> float:
    return -15.0 if x.dtype == np.float64 else -7.0


def _series(x: Any) -> Any:
    """``ndtr(x) * -x / pdf(x)`` for ``x`` far below zero: 1 - 1/x^2 + 3/x^4 - 15/x^6 ..."""
    inverse = 1.0 / (x * x)
    total = lax.full_like(x, 1.0)
    for n in range(10, 0, -1):
        total = 1.0 - (2 * n - 1) * inverse * total
    return total


def _regimes(x: Any) -> tuple[Any, Any, Any]:
    """Whether x lies far below zero; x there and x elsewhere, each held at the border otherwise."""
    start = lax.full_like(x, _tail_start(x))
    low = lax.lt(x, start)
    return low, lax.select(low, x, start), lax.select(low, start, x)


@jax.custom_jvp
def log_ndtr(x: Any) -> Any:
    """Logarithm of the distribution function."""
    low, far, near = _regimes(x)
    tail = -0.5 * far * far - lax.log(-far) - _HALF_LOG_2PI + lax.log(_series(far))
    smaller = ndtr(-lax.abs(near))
    positive = lax.gt(x, lax.full_like(x, 0.0))
    return lax.select(low, tail, lax.select(positive, lax.log1p(-smaller), lax.log(smaller)))


@log_ndtr.defjvp
def _log_ndtr_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (tangent,) = primals, tangents
    return log_ndtr(x), tangent * _hazard(x)


def _hazard(x: Any) -> Any:
    """``pdf(x) / ndtr(x)``; differentiable in each regime."""
    low, far, near = _regimes(x)
    return lax.select(low, -far / _series(far), _ratio(near))


@jax.custom_jvp
def _ratio(x: Any) -> Any:
    """The same where nothing underflows."""
    smaller = ndtr(-lax.abs(x))
    mass = lax.select(lax.gt(x, lax.full_like(x, 0.0)), 1.0 - smaller, smaller)
    return lax.exp(-0.5 * x * x - _HALF_LOG_2PI) / mass


@_ratio.defjvp
def _ratio_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (tangent,) = primals, tangents
    ratio = _ratio(x)
    return ratio, -tangent * ratio * (x + ratio)


# Wichura, Algorithm AS 241 (1988), PPND16: numerators and denominators, highest power first.
_CENTRAL = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)  # fmt: skip
_MIDDLE = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
)  # fmt: skip
_FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
     0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
     0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
)  # fmt: skip


def _rational(x: Any, coefficients: tuple[tuple[float, ...], tuple[float, ...]]) -> Any:
    parts = []
    for row in coefficients:
        total = lax.full_like(x, row[0])
        for coefficient in row[1:]:
            total = total * x + coefficient
        parts.append(total)
    return parts[0] / parts[1]


@jax.custom_jvp
def ndtri(p: Any) -> Any:
    """Quantile; -inf at 0, +inf at 1, NaN outside."""
    centred = p - 0.5
    central = centred * _rational(0.180625 - centred * centred, _CENTRAL)
    below = lax.lt(centred, lax.full_like(p, 0.0))
    nearest = lax.select(below, p, 1.0 - p)
    depth = lax.sqrt(-lax.log(nearest))
    middle = _rational(depth - 1.6, _MIDDLE)
    far = _rational(depth - 5.0, _FAR)
    tail = lax.select(lax.le(depth, lax.full_like(p, 5.0)), middle, far)
    tail = lax.select(lax.eq(nearest, lax.full_like(p, 0.0)), lax.full_like(p, np.inf), tail)
    signed = lax.select(below, -tail, tail)
    return lax.select(lax.le(lax.abs(centred), lax.full_like(p, 0.425)), central, signed)


@ndtri.defjvp
def _ndtri_jvp(primals: Any, tangents: Any) -> Any:
    (p,), (tangent,) = primals, tangents
    x = ndtri(p)
    return x, tangent * lax.exp(0.5 * x * x + _HALF_LOG_2PI)
