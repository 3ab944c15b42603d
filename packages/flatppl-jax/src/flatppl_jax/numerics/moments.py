"""The incomplete gamma and beta functions and their parameter derivatives of any order, as moments of a tail.

With ``u = log t`` (gamma) or ``u = logit t`` (beta) both functions integrate a log-concave density ``w(u)`` of an
exponential family. A derivative in a parameter multiplies the integrand by the centred statistic of that parameter
(``log t - E log t``, ``log(1 - t) - E log(1 - t)``), so every derivative is a moment of one tail of ``w``:

    M[i] = integral of A^i w,   dM[i]/da = M[i + 1] + i (dA/da) M[i - 1],

and likewise with two statistics. The tail is the one in which the first moment has no cancellation; moments of the upper
tail are negated, since both tails of ``w`` add up to a constant. A tail is integrated from its edge, relative to the
density there, up to where log-concavity proves the rest negligible, by the double exponential rule (Takahasi and Mori
1974).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import lax

from flatppl_jax.numerics.gamma import LARGE, digamma_gap, lbeta, lgamma, stirling
from flatppl_jax.numerics.logarithms import xlog1py, xlogy

__all__ = ["beta_moments", "beta_pdf", "beta_tail", "gamma_moments", "gamma_pdf", "inside"]

#: A tail ends where the integrand has fallen by exp(-45), below the rounding of float64.
_FALL = 45.0
#: Below exp(-30) the lower tail is used even where the first moment changes sign: the upper one would have a flat part.
_FLAT = -30.0

_STEP = 0.0625
_ARGUMENTS = _STEP * np.arange(-50, 51)
_NODES = 1.0 / (1.0 + np.exp(-math.pi * np.sinh(_ARGUMENTS)))
_WEIGHTS = _STEP * math.pi * np.cosh(_ARGUMENTS) * _NODES * (1.0 - _NODES)

Fall = Callable[[Any], tuple[Any, Any]]


def _end(fall: Fall, start: Any) -> Any:
    """Where the convex function ``fall`` reaches :data:`_FALL`: Newton's method from above, which never undershoots."""

    def step(state: Any) -> Any:
        count, at = state
        value, slope = fall(at)
        return count + np.int32(1), at - (value - _FALL) / slope

    return lax.while_loop(lambda state: lax.lt(state[0], np.int32(24)), step, (np.int32(0), start))[1]


def _integrals(integrands: Callable[[Any], list[Any]], count: int, start: Any, end: Any) -> list[Any]:
    """Integrals from ``start`` to ``end``; one loop, so that neither program nor memory grows with the nodes."""
    nodes, weights = (jax.numpy.asarray(table, end.dtype) for table in (_NODES, _WEIGHTS))
    length = end - start

    def add(totals: list[Any], node: Any) -> Any:
        values = integrands(start + node[0] * length)
        return [total + node[1] * value for total, value in zip(totals, values, strict=True)], None

    totals, _ = lax.scan(add, [lax.full_like(end, 0.0)] * count, (nodes, weights))
    return [length * total for total in totals]


def _power(base: Any, exponent: int) -> Any:
    return lax.integer_pow(base, exponent) if exponent else lax.full_like(base, 1.0)


def inside(x: Any, end: float) -> Any:
    """Whether 0 < x < end."""
    return lax.bitwise_and(lax.gt(x, lax.full_like(x, 0.0)), lax.lt(x, lax.full_like(x, end)))


def _excess_exp(v: Any) -> Any:
    """``exp(v) - 1 - v`` without cancellation."""
    small = lax.lt(lax.abs(v), lax.full_like(v, 0.5))
    near = lax.select(small, v, lax.full_like(v, 0.0))
    series = lax.full_like(v, 0.0)
    for k in range(14, 2, -1):
        series = (series + 1.0) * near / k
    return lax.select(small, (series + 1.0) * near * near / 2, lax.expm1(v) - v)


# ---------------------------------------------------------------- gamma


def gamma_pdf(a: Any, x: Any) -> Any:
    """Density of Gamma(a, 1); for large ``a`` in a form that does not cancel (Loader 2000)."""
    safe = lax.select(inside(x, np.inf), x, lax.full_like(x, 1.0))
    interior = lax.exp(_log_gamma_weight(a, safe) - lax.log(safe))
    one = lax.full_like(a, 1.0)
    at_zero = lax.select(lax.lt(a, one), lax.full_like(a, np.inf), lax.full_like(a, 0.0))
    at_zero = lax.select(lax.eq(a, one), one, at_zero)
    edge = lax.select(lax.eq(x, lax.full_like(x, 0.0)), at_zero, lax.full_like(x, 0.0))
    edge = lax.select(lax.ne(x, x), x, edge)
    return lax.select(inside(x, np.inf), interior, edge)


def _log_gamma_weight(a: Any, x: Any) -> Any:
    """Logarithm of the density of ``log t`` at ``t = x``."""
    large = lax.ge(a, lax.full_like(a, LARGE))
    shape = lax.select(large, lax.full_like(a, 1.0), a)
    direct = shape * lax.log(x) - x - lgamma(shape)
    big = lax.select(large, a, lax.full_like(a, LARGE))
    excess = (x - big) / big
    near = big * (excess - lax.log1p(excess)) + stirling(big)
    return lax.select(large, 0.5 * lax.log(big) - 0.5 * math.log(2.0 * math.pi) - near, direct)


def _gamma_statistic(a: Any, x: Any) -> Any:
    """``log x - digamma(a)``."""
    near = lax.lt(lax.abs(x - a), 0.5 * a)
    ratio = lax.select(near, (x - a) / a, lax.full_like(x, 0.0))
    return lax.select(near, lax.log1p(ratio), lax.log(x) - lax.log(a)) + digamma_gap(a)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def gamma_moments(order: int, a: Any, x: Any) -> list[Any]:
    """Moments 0 to ``order`` of ``log t - digamma(a)`` over one tail of Gamma(a, 1), cut at x; the first is dP/da."""
    interior = inside(x, np.inf)
    x = lax.select(interior, x, lax.full_like(x, 1.0))
    at_edge = _gamma_statistic(a, x)
    flat = lax.lt(lax.log(x), lax.full_like(x, _FLAT))
    lower = lax.bitwise_or(lax.lt(at_edge, lax.full_like(x, 0.0)), flat)
    sign = lax.select(lower, lax.full_like(x, -1.0), lax.full_like(x, 1.0))

    def fall(v: Any) -> tuple[Any, Any]:
        signed = sign * v
        return (x - a) * signed + x * _excess_exp(signed), sign * (x * lax.exp(signed) - a)

    def integrands(v: Any) -> list[Any]:
        density = lax.exp(-fall(v)[0])
        return [_power(at_edge + sign * v, k) * density for k in range(order + 1)]

    above = 2.4 + 2.0 * (lax.log(_FALL + x + a) - lax.log(x))
    for _ in range(2):
        above = lax.log(_FALL + x + a * above) - lax.log(x)
    zero = lax.full_like(x, 0.0)
    end = _end(fall, lax.select(lower, (_FALL + x) / a, above))
    weight = -sign * lax.exp(_log_gamma_weight(a, x))
    return [lax.select(interior, weight * tail, zero) for tail in _integrals(integrands, order + 1, zero, end)]


@gamma_moments.defjvp
def _(order: int, primals: Any, tangents: Any) -> Any:
    (a, x), (da, dx) = primals, tangents
    moments = gamma_moments(order + 1, a, x)
    spread = lax.polygamma(lax.full_like(a, 1.0), a)
    interior = inside(x, np.inf)
    safe = lax.select(interior, x, lax.full_like(x, 1.0))
    pdf = lax.select(interior, gamma_pdf(a, safe), lax.full_like(x, 0.0))
    slopes = []
    for k in range(order + 1):
        in_a = moments[k + 1] - (k * spread * moments[k - 1] if k else 0.0)
        slopes.append(in_a * da + _power(_gamma_statistic(a, safe), k) * pdf * dx)
    return moments[:-1], slopes


# ---------------------------------------------------------------- beta


def beta_pdf(a: Any, b: Any, x: Any) -> Any:
    """Density of Beta(a, b)."""
    interior = inside(x, 1.0)
    safe = lax.select(interior, x, lax.full_like(x, 0.5))
    rest = 1.0 - safe
    logs = _log_of(safe, rest) + _log_of(rest, safe)
    density = lax.exp(_log_beta_weight(a, b, safe, rest) - logs)
    edge = lax.exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - lbeta(a, b))
    return lax.select(interior, density, edge)


def _log_of(s: Any, r: Any) -> Any:
    """``log s`` for s = 1 - r."""
    near = lax.lt(r, lax.full_like(r, 0.5))
    return lax.select(near, lax.log1p(-lax.select(near, r, lax.full_like(r, 0.0))), lax.log(s))


def _log_beta_weight(p: Any, q: Any, s: Any, r: Any) -> Any:
    """Logarithm of the density of ``logit t`` at ``t = s = 1 - r``; for large parameters in a form that does not cancel."""
    limit = lax.full_like(p, LARGE)
    large = lax.bitwise_and(lax.ge(p, limit), lax.ge(q, limit))
    direct = p * _log_of(s, r) + q * _log_of(r, s) - lbeta(p, q)
    big_p, big_q = lax.select(large, p, limit), lax.select(large, q, limit)
    excess = s * big_q - r * big_p
    # The linear terms add up to zero: each logarithm is that much smaller without its own.
    above, below = excess / big_p, -excess / big_q
    far = big_p * (above - _log_ratio(above, big_p, big_q, s)) + big_q * (below - _log_ratio(below, big_q, big_p, r))
    scale = 0.5 * (lax.log(big_p) - lax.log1p(big_p / big_q) - math.log(2.0 * math.pi))
    saddle = scale - far - stirling(big_p) - stirling(big_q) + stirling(big_p + big_q)
    return lax.select(large, saddle, direct)


def _log_ratio(excess: Any, a: Any, b: Any, x: Any) -> Any:
    """``log(x (a + b) / a)``, whose argument is ``1 + excess``."""
    near = lax.lt(lax.abs(excess), lax.full_like(x, 0.5))
    far = lax.log(x) + lax.log1p(b / a)
    return lax.select(near, lax.log1p(lax.select(near, excess, lax.full_like(x, 0.0))), far)


def _changes(s: Any, r: Any, w: Any) -> tuple[Any, Any]:
    """Changes of ``log t`` and ``log(1 - t)`` when ``logit t`` falls by w from ``t = s = 1 - r``; accurate for small w."""
    bound = lax.full_like(w, 60.0)
    high = lax.bitwise_and(lax.ge(s, lax.full_like(s, 0.5)), lax.lt(w, bound))
    lift = lax.log1p(r * lax.expm1(lax.min(w, bound)))
    drop = -s * lax.expm1(-w)
    small = lax.lt(drop, lax.full_like(s, 0.5))
    mix = lax.log1p(-lax.select(small, drop, lax.full_like(s, 0.0)))
    mix = lax.select(small, mix, lax.log(r + s * lax.exp(-w)))
    return lax.select(high, -lift, -w - mix), lax.select(high, w - lift, -mix)


def _beta_statistics(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    """``log x - E log t`` and ``log(1 - x) - E log(1 - t)``."""
    whole = digamma_gap(a + b)

    def statistic(a: Any, b: Any, x: Any, rest: Any) -> Any:
        return _log_ratio(x * b / a - rest, a, b, x) + digamma_gap(a) - whole

    return statistic(a, b, x, 1.0 - x), statistic(b, a, 1.0 - x, x)


def _orders(order: int) -> list[tuple[int, int]]:
    return [(total - j, j) for total in range(order + 1) for j in range(total + 1)]


def beta_tail(order: int, a: Any, b: Any, x: Any, y: Any) -> list[Any]:
    """As :func:`beta_moments`, for 0 < x = 1 - y < 1; not to be differentiated."""
    lower = lax.lt(x * b, a * y)
    sign = lax.select(lower, lax.full_like(x, 1.0), lax.full_like(x, -1.0))
    p, q, s, r = (lax.select(lower, *pair) for pair in ((a, b), (b, a), (x, y), (y, x)))
    statistics = _beta_statistics(a, b, x)
    own, other = (lax.select(lower, *pair) for pair in (statistics, statistics[::-1]))

    def fall(w: Any) -> tuple[Any, Any]:
        left = s * lax.exp(-w)
        here, there = _changes(s, r, w)
        return -p * here - q * there, (p * r - q * left) / (r + left)

    def integrands(w: Any) -> list[Any]:
        here, there = _changes(s, r, w)
        density = lax.exp(p * here + q * there)
        here, there = own + here, other + there
        first, second = (lax.select(lower, *pair) for pair in ((here, there), (there, here)))
        return [_power(first, i) * _power(second, j) * density for i, j in _orders(order)]

    end = _end(fall, (_FALL - (p + q) * _log_of(r, s)) / p)
    weight = sign * lax.exp(_log_beta_weight(p, q, s, r))
    # Singular at u = +-i pi: a panel that passes zero would converge slowly.
    zero = lax.full_like(x, 0.0)
    middle = lax.clamp(zero, lax.log(s) - lax.log(r), end)
    count = len(_orders(order))
    panels = [_integrals(integrands, count, *ends) for ends in ((zero, middle), (middle, end))]
    return [weight * (near + far) for near, far in zip(*panels, strict=True)]


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def beta_moments(order: int, a: Any, b: Any, x: Any) -> list[Any]:
    """Moments of both statistics up to ``order`` over one tail of Beta(a, b), cut at x: 1, A, B, AA, AB, BB, ...

    The second and third are the derivatives of I in a and b.
    """
    interior = inside(x, 1.0)
    safe = lax.select(interior, x, lax.full_like(x, 0.5))
    moments = beta_tail(order, a, b, safe, 1.0 - safe)
    return [lax.select(interior, moment, lax.full_like(x, 0.0)) for moment in moments]


@beta_moments.defjvp
def _(order: int, primals: Any, tangents: Any) -> Any:
    (a, b, x), (da, db, dx) = primals, tangents
    one = lax.full_like(a, 1.0)
    whole = lax.polygamma(one, a + b)
    own_a, own_b = (whole - lax.polygamma(one, parameter) for parameter in (a, b))
    interior = inside(x, 1.0)
    safe = lax.select(interior, x, lax.full_like(x, 0.5))
    first, second = _beta_statistics(a, b, safe)
    pdf = lax.select(interior, beta_pdf(a, b, safe), lax.full_like(x, 0.0))
    moments = dict(zip(_orders(order + 1), beta_moments(order + 1, a, b, x), strict=True))
    slopes = []
    for i, j in _orders(order):
        in_a, in_b = moments[i + 1, j], moments[i, j + 1]
        if i:
            in_a, in_b = in_a + i * own_a * moments[i - 1, j], in_b + i * whole * moments[i - 1, j]
        if j:
            in_a, in_b = in_a + j * whole * moments[i, j - 1], in_b + j * own_b * moments[i, j - 1]
        slopes.append(in_a * da + in_b * db + _power(first, i) * _power(second, j) * pdf * dx)
    return [moments[place] for place in _orders(order)], slopes
