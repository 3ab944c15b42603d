"""Parameter derivatives of the incomplete gamma and beta functions, of any order.

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

__all__ = ["beta_moment", "beta_pdf", "gamma_moment", "gamma_pdf"]

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


def _integral(integrand: Callable[[Any], Any], start: Any, end: Any) -> Any:
    """Integral from ``start`` to ``end``; one loop, so that neither program nor memory grows with the nodes."""
    nodes, weights = (jax.numpy.asarray(table, end.dtype) for table in (_NODES, _WEIGHTS))
    length = end - start

    def add(total: Any, node: Any) -> Any:
        return total + node[1] * integrand(start + node[0] * length), None

    return length * lax.scan(add, lax.full_like(end, 0.0), (nodes, weights))[0]


def _power(base: Any, exponent: int) -> Any:
    return lax.integer_pow(base, exponent) if exponent else lax.full_like(base, 1.0)


def _inside(x: Any, end: float) -> Any:
    return lax.bitwise_and(lax.gt(x, lax.full_like(x, 0.0)), lax.lt(x, lax.full_like(x, end)))


def _excess_exp(v: Any) -> Any:
    """``exp(v) - 1 - v`` without cancellation."""
    small = lax.lt(lax.abs(v), lax.full_like(v, 0.5))
    near = lax.select(small, v, lax.full_like(v, 0.0))
    series = lax.full_like(v, 0.0)
    for k in range(14, 1, -1):
        series = (series + 1.0) * near / k if k > 2 else (series + 1.0) * near * near / 2
    return lax.select(small, series, lax.expm1(v) - v)


# ---------------------------------------------------------------- gamma


def gamma_pdf(a: Any, x: Any) -> Any:
    """Density of Gamma(a, 1); for large ``a`` in a form that does not cancel (Loader 2000)."""
    safe = lax.select(_inside(x, np.inf), x, lax.full_like(x, 1.0))
    interior = lax.exp(_log_gamma_weight(a, safe) - lax.log(safe))
    one = lax.full_like(a, 1.0)
    at_zero = lax.select(lax.lt(a, one), lax.full_like(a, np.inf), lax.full_like(a, 0.0))
    at_zero = lax.select(lax.eq(a, one), one, at_zero)
    edge = lax.select(lax.eq(x, lax.full_like(x, 0.0)), at_zero, lax.full_like(x, 0.0))
    edge = lax.select(lax.ne(x, x), x, edge)
    return lax.select(_inside(x, np.inf), interior, edge)


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


def _gamma_tail(a: Any, x: Any) -> tuple[Any, Any]:
    """The statistic at the edge, and whether the lower tail is used."""
    at_edge = _gamma_statistic(a, x)
    flat = lax.lt(lax.log(x), lax.full_like(x, _FLAT))
    return at_edge, lax.bitwise_or(lax.lt(at_edge, lax.full_like(x, 0.0)), flat)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def gamma_moment(order: int, a: Any, x: Any) -> Any:
    """Moment of ``log t - digamma(a)`` over one tail of Gamma(a, 1), cut at x; the first is dP(a, x)/da."""
    inside = _inside(x, np.inf)
    x = lax.select(inside, x, lax.full_like(x, 1.0))
    at_edge, lower = _gamma_tail(a, x)
    sign = lax.select(lower, lax.full_like(x, -1.0), lax.full_like(x, 1.0))

    def fall(v: Any) -> tuple[Any, Any]:
        signed = sign * v
        return (x - a) * signed + x * _excess_exp(signed), sign * (x * lax.exp(signed) - a)

    above = 2.4 + 2.0 * (lax.log(_FALL + x + a) - lax.log(x))
    for _ in range(2):
        above = lax.log(_FALL + x + a * above) - lax.log(x)
    end = _end(fall, lax.select(lower, (_FALL + x) / a, above))
    tail = _integral(lambda v: _power(at_edge + sign * v, order) * lax.exp(-fall(v)[0]), lax.full_like(x, 0.0), end)
    moment = -sign * tail * lax.exp(_log_gamma_weight(a, x))
    return lax.select(inside, moment, lax.full_like(x, 0.0))


@gamma_moment.defjvp
def _(order: int, primals: Any, tangents: Any) -> Any:
    (a, x), (da, dx) = primals, tangents
    in_a = gamma_moment(order + 1, a, x)
    if order:
        in_a = in_a - order * lax.polygamma(lax.full_like(a, 1.0), a) * gamma_moment(order - 1, a, x)
    inside = _inside(x, np.inf)
    safe = lax.select(inside, x, lax.full_like(x, 1.0))
    in_x = _power(_gamma_statistic(a, safe), order) * gamma_pdf(a, safe)
    in_x = lax.select(inside, in_x, lax.full_like(x, 0.0))
    return gamma_moment(order, a, x), in_a * da + in_x * dx


# ---------------------------------------------------------------- beta


def beta_pdf(a: Any, b: Any, x: Any) -> Any:
    """Density of Beta(a, b)."""
    return lax.exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - lbeta(a, b))


def _log_mix(s: Any, r: Any, w: Any) -> Any:
    """``log(r + s exp(-w))`` for r = 1 - s."""
    drop = -s * lax.expm1(-w)
    small = lax.lt(drop, lax.full_like(s, 0.5))
    return lax.select(small, lax.log1p(-lax.select(small, drop, lax.full_like(s, 0.0))), lax.log(r + s * lax.exp(-w)))


def _beta_statistics(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    """``log x - E log t`` and ``log(1 - x) - E log(1 - t)``."""
    whole = digamma_gap(a + b)

    def statistic(a: Any, b: Any, x: Any, rest: Any) -> Any:
        excess = x * b / a - rest
        near = lax.lt(lax.abs(excess), lax.full_like(x, 0.5))
        far = lax.log(x) + lax.log1p(b / a)
        return (
            lax.select(near, lax.log1p(lax.select(near, excess, lax.full_like(x, 0.0))), far) + digamma_gap(a) - whole
        )

    return statistic(a, b, x, 1.0 - x), statistic(b, a, 1.0 - x, x)


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def beta_moment(i: int, j: int, a: Any, b: Any, x: Any) -> Any:
    """Moment of the two statistics over one tail of Beta(a, b), cut at x; (1, 0) is the derivative of I in a."""
    inside = _inside(x, 1.0)
    x = lax.select(inside, x, lax.full_like(x, 0.5))
    y = 1.0 - x
    lower = lax.lt(x * b, a * y)
    if i == j == 0:
        return lax.select(lower, lax.betainc(a, b, x), -lax.betainc(b, a, y))
    sign = lax.select(lower, lax.full_like(x, 1.0), lax.full_like(x, -1.0))
    p, q, s, r = (lax.select(lower, *pair) for pair in ((a, b), (b, a), (x, y), (y, x)))
    statistics = _beta_statistics(a, b, x)
    own, other = (lax.select(lower, *pair) for pair in (statistics, statistics[::-1]))

    def fall(w: Any) -> tuple[Any, Any]:
        left = s * lax.exp(-w)
        return p * w + (p + q) * _log_mix(s, r, w), p - (p + q) * left / (r + left)

    def integrand(w: Any) -> Any:
        mix = _log_mix(s, r, w)
        here, there = own - w - mix, other - mix
        first, second = (lax.select(lower, *pair) for pair in ((here, there), (there, here)))
        return _power(first, i) * _power(second, j) * lax.exp(-p * w - (p + q) * mix)

    small = lax.lt(s, lax.full_like(s, 0.5))
    log_r = lax.select(small, lax.log1p(-lax.select(small, s, lax.full_like(s, 0.0))), lax.log(r))
    end = _end(fall, (_FALL - (p + q) * log_r) / p)
    weight = lax.exp(p * lax.log(s) + q * log_r - lbeta(a, b))
    # Singular at u = +-i pi: a panel that passes zero would converge slowly.
    zero = lax.full_like(x, 0.0)
    middle = lax.clamp(zero, lax.log(s) - lax.log(r), end)
    tail = _integral(integrand, zero, middle) + _integral(integrand, middle, end)
    return lax.select(inside, sign * weight * tail, zero)


@beta_moment.defjvp
def _(i: int, j: int, primals: Any, tangents: Any) -> Any:
    (a, b, x), (da, db, dx) = primals, tangents
    one = lax.full_like(a, 1.0)
    whole = lax.polygamma(one, a + b)
    in_a, in_b = beta_moment(i + 1, j, a, b, x), beta_moment(i, j + 1, a, b, x)
    if i:
        less = i * beta_moment(i - 1, j, a, b, x)
        in_a, in_b = in_a - (lax.polygamma(one, a) - whole) * less, in_b + whole * less
    if j:
        less = j * beta_moment(i, j - 1, a, b, x)
        in_a, in_b = in_a + whole * less, in_b - (lax.polygamma(one, b) - whole) * less
    inside = _inside(x, 1.0)
    safe = lax.select(inside, x, lax.full_like(x, 0.5))
    first, second = _beta_statistics(a, b, safe)
    in_x = lax.select(inside, _power(first, i) * _power(second, j) * beta_pdf(a, b, safe), lax.full_like(x, 0.0))
    return beta_moment(i, j, a, b, x), in_a * da + in_b * db + in_x * dx
