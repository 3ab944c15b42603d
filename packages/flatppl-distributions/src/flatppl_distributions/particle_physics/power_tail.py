"""Half of a Crystal Ball: a standard normal shape whose tail beyond ``a`` is the power law that continues it smoothly.

The shape at t is ``exp(-t^2/2)`` for t <= a and ``exp(-a^2/2) (1 + a (t - a)/n)^-n`` beyond; it is one at t = 0.
Source: J. E. Gaiser, SLAC-R-255 (1982), appendix F.
"""

from __future__ import annotations

import math

from flatppl.tensor.ops import exp, expm1, log, log1p, minimum, ndtr, ndtri, select, square
from flatppl_distributions.numerics import Number

__all__ = ["beyond", "log_shape", "reach"]

_SQRT_2PI = math.sqrt(2.0 * math.pi)


def log_shape(t: Number, a: Number, n: Number) -> Number:
    """Logarithm of the shape."""
    tail = t > a
    return select(tail, -0.5 * square(a) - n * _log_ratio(t, a, n), -0.5 * square(select(tail, 0.0, t)))


def _log_ratio(t: Number, a: Number, n: Number) -> Number:
    """``log(1 + a (t - a)/n)`` in the tail, otherwise zero."""
    return log1p(a * (select(t > a, t, a) - a) / n)


def _tail(a: Number, n: Number) -> Number:
    """Integral of the shape beyond a."""
    return n / (a * (n - 1.0)) * exp(-0.5 * square(a))


def beyond(t: Number, a: Number, n: Number) -> Number:
    """Integral of the shape beyond t, of either sign."""
    core = _tail(a, n) + _SQRT_2PI * (ndtr(-t) - ndtr(-a))
    return select(t > a, _tail(a, n) * exp((1.0 - n) * _log_ratio(t, a, n)), core)


def reach(mass: Number, a: Number, n: Number) -> Number:
    """The t beyond which the integral of the shape is ``mass``."""
    tail = _tail(a, n)
    outer = mass < tail
    far = a + n / a * expm1(log(tail / minimum(mass, tail)) / (n - 1.0))
    return select(outer, far, -ndtri(ndtr(-a) + (select(outer, tail, mass) - tail) / _SQRT_2PI))
