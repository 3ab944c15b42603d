"""The real part of the Faddeeva function w(z) = exp(-z^2) erfc(-i z) in the upper half plane: the Voigt profile."""

from __future__ import annotations

import math

import numpy as np

from flatppl.tensor.ops import abs_, cos, exp, log, log1p, maximum, minimum, select, square
from flatppl_distributions.numerics import Number

__all__ = ["log_voigt"]

#: From this modulus on the asymptotic series is exact to 1e-13.
_FAR = 6.5
#: Below this imaginary part a Taylor series off the real axis keeps the real part's relative accuracy.
_FLAT = 0.02


def _weideman(terms: int) -> tuple[float, tuple[float, ...]]:
    """Length and coefficients, highest power first, of Weideman's rational series (SIAM J. Numer. Anal. 31, 1994)."""
    length = math.sqrt(terms / math.sqrt(2.0))
    angle = np.arange(-2 * terms + 1, 2 * terms) * (math.pi / (2 * terms))
    t = length * np.tan(0.5 * angle)
    values = np.exp(-(t**2)) * (length**2 + t**2)
    orders = np.arange(terms, 0, -1)[:, None]
    return length, tuple((values * np.cos(orders * angle)).sum(axis=1) / (4 * terms))


_LENGTH, _COEFFICIENTS = _weideman(40)


def log_voigt(x: Number, y: Number) -> Number:
    """``log Re w(x + i y)`` for y > 0, to about 1e-11 of Re w or better."""
    size = abs_(x)
    vast = (size > 1e10) & (size > 1e10 * y)
    far = (size > _FAR) | (y > _FAR) | (square(minimum(size, _FAR)) + square(minimum(y, _FAR)) > _FAR**2)
    near = _log_near(select(far, 1.0, x), select(far, 1.0, y))
    inner = far & ~vast
    tail = _log_far(select(inner, x, _FAR), select(inner, y, 1.0))
    # Where y is tiny, the normal's tail may still exceed the algebraic one.
    flat = inner & (y < _FLAT)
    bump = log1p(exp(select(flat, -square(select(flat, x, 0.0)) - tail, -math.inf)))
    end = log(y) - 2.0 * log(select(vast, size, 1.0)) - 0.5 * math.log(math.pi)
    return select(vast, end, select(far, tail + bump, near))


def _log_near(x: Number, y: Number) -> Number:
    flat = y < _FLAT
    value, dawson = _near(x, select(flat, 0.0, y))
    series = _off_axis(x, select(flat, y, 0.0), 0.5 * math.sqrt(math.pi) * dawson)
    return log(select(flat, series, value))


def _near(x: Number, y: Number) -> tuple[Number, Number]:
    """Real and imaginary part of w(z) = 2 p(Z)/(L - i z)^2 + 1/(sqrt(pi) (L - i z)), Z = (L + i z)/(L - i z)."""
    base = _LENGTH + y
    size = square(base) + square(x)
    u, v = base / size, x / size
    re, im = 2.0 * _LENGTH * u - 1.0, 2.0 * _LENGTH * v
    p, q = _COEFFICIENTS[0], 0.0 * x
    for coefficient in _COEFFICIENTS[1:]:
        p, q = p * re - q * im + coefficient, p * im + q * re
    p, q = 2.0 * (p * u - q * v) + 1.0 / math.sqrt(math.pi), 2.0 * (p * v + q * u)
    return p * u - q * v, p * v + q * u


def _off_axis(x: Number, y: Number, dawson: Number) -> Number:
    """``Re w = Re exp(-z^2) - 2/sqrt(pi) Im D(z)``, with Dawson's function D by its Taylor series in i y."""
    before, now = dawson, 1.0 - 2.0 * x * dawson
    total, power = 0.0, y
    for n in range(1, 9):
        if n % 2:
            total = total + power * now
        before, now = now, -2.0 * x * now - 2.0 * n * before
        power = power * y / (n + 1.0) * (-1.0 if n % 2 else 1.0)
    return exp(square(y) - square(x)) * cos(2.0 * x * y) - 2.0 / math.sqrt(math.pi) * total


def _log_far(x: Number, y: Number) -> Number:
    """Logarithm of the real part of ``i/(sqrt(pi) z) sum_k (2k - 1)!! / (2 z^2)^k``.

    With 1/z = a - i b, a number c + i b d is kept as (c, d): the real part of the series has the factor b, which is
    y/(x^2 + y^2) and may underflow.
    """
    scale = maximum(abs_(x), y)
    s, t = x / scale, y / scale
    size = square(s) + square(t)
    a, b = s / size / scale, t / size / scale
    square_re, square_im = square(a) - square(b), -2.0 * a
    re, im = 1.0, 0.0
    for k in range(16, 0, -1):
        factor = k - 0.5
        re, im = (
            1.0 + factor * (re * square_re - square(b) * im * square_im),
            factor * (re * square_im + im * square_re),
        )
    return log(y) - 2.0 * log(scale) - log(size) + log(re - a * im) - 0.5 * math.log(math.pi)
