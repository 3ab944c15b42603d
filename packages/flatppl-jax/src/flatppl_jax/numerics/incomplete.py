"""Incomplete gamma and beta functions and their inverses.

Derivatives of any order in every argument: JAX has none of second order in the parameter of the gamma functions and none
at all in those of the beta functions. The inverses differentiate by the implicit function theorem.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.custom_derivatives import SymbolicZero

from flatppl_jax.numerics.gamma import lbeta
from flatppl_jax.numerics.moments import beta_moments, beta_pdf, beta_tail, gamma_moments, gamma_pdf, inside
from flatppl_jax.numerics.normal import ndtri

__all__ = [
    "betainc", "betaincc", "betainccinv", "betaincinv", "gammainc", "gammaincc", "gammainccinv", "gammaincinv",
]  # fmt: skip

#: Steps of the safeguarded Newton iteration; bisection alone would need 12 to come within 1 of a root.
_STEPS = 40


def _times(tangent: Any, factor: Callable[[], Any], like: Any) -> Any:
    """``tangent * factor()``; nothing is computed for an operand that is not differentiated."""
    return lax.full_like(like, 0.0) if isinstance(tangent, SymbolicZero) else tangent * factor()


def _with_ends(x: Any, value: Any, at_zero: float, at_end: float, end: float) -> Any:
    """The value for x inside (0, end), what it is at both ends, and NaN elsewhere."""
    value = lax.select(inside(x, end), value, lax.full_like(x, np.nan))
    value = lax.select(lax.eq(x, lax.full_like(x, 0.0)), lax.full_like(x, at_zero), value)
    return lax.select(lax.eq(x, lax.full_like(x, end)), lax.full_like(x, at_end), value)


def _masses(tail: Any, beyond: Any) -> tuple[Any, Any]:
    """Lower and upper mass from that of one tail, which is negative for the upper one.

    Each is accurate where it is the smaller one. Where the tail underflows, ``beyond`` says whether it is the upper one.
    """
    zero = lax.full_like(tail, 0.0)
    above = lax.bitwise_or(lax.lt(tail, zero), lax.bitwise_and(lax.eq(tail, zero), beyond))
    return lax.select(above, 1.0 + tail, tail), lax.select(above, -tail, 1.0 - tail)


def _gamma_masses(a: Any, x: Any) -> tuple[Any, Any]:
    """Of Gamma(a, 1) below and above x.

    JAX's own multiply by ``exp(a log x - x - lgamma(a))``, which cancels for large ``a``, where their loops end early too.
    """
    return _masses(gamma_moments(0, a, x)[0], lax.gt(x, a))


def _beta_masses(a: Any, b: Any, x: Any, rest: Any) -> tuple[Any, Any]:
    """Of Beta(a, b) below and above x = 1 - rest inside (0, 1); JAX's own is wrong for large parameters in float32."""
    return _masses(beta_tail(0, a, b, x, rest)[0], lax.ge(x * b, a * rest))


@jax.custom_jvp
def gammainc(a: Any, x: Any) -> Any:
    """Regularized lower incomplete gamma function."""
    return _with_ends(x, _gamma_masses(a, x)[0], 0.0, 1.0, np.inf)


@jax.custom_jvp
def gammaincc(a: Any, x: Any) -> Any:
    """Regularized upper incomplete gamma function."""
    return _with_ends(x, _gamma_masses(a, x)[1], 1.0, 0.0, np.inf)


def _gammainc_jvp(primals: Any, tangents: Any) -> Any:
    (a, x), (da, dx) = primals, tangents
    slope = _times(da, lambda: gamma_moments(1, a, x)[1], a) + _times(dx, lambda: gamma_pdf(a, x), x)
    return gammainc(a, x), slope


def _gammaincc_jvp(primals: Any, tangents: Any) -> Any:
    (a, x), (da, dx) = primals, tangents
    slope = _times(da, lambda: gamma_moments(1, a, x)[1], a) + _times(dx, lambda: gamma_pdf(a, x), x)
    return gammaincc(a, x), -slope


gammainc.defjvp(_gammainc_jvp, symbolic_zeros=True)
gammaincc.defjvp(_gammaincc_jvp, symbolic_zeros=True)


@jax.custom_jvp
def betainc(a: Any, b: Any, x: Any) -> Any:
    """Regularized incomplete beta function."""
    return _with_ends(x, _cut_beta_masses(a, b, x)[0], 0.0, 1.0, 1.0)


@jax.custom_jvp
def betaincc(a: Any, b: Any, x: Any) -> Any:
    """Complement of :func:`betainc`."""
    return _with_ends(x, _cut_beta_masses(a, b, x)[1], 1.0, 0.0, 1.0)


def _cut_beta_masses(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    """As :func:`_beta_masses` for any x; of no meaning outside (0, 1)."""
    return _masses(beta_moments(0, a, b, x)[0], lax.ge(x * b, a * (1.0 - x)))


def _beta_parameters(a: Any, b: Any, x: Any, da: Any, db: Any) -> Any:
    """Derivative in the parameters."""
    if isinstance(da, SymbolicZero) and isinstance(db, SymbolicZero):
        return lax.full_like(x, 0.0)
    _, in_a, in_b = beta_moments(1, a, b, x)
    return _times(da, lambda: in_a, a) + _times(db, lambda: in_b, b)


def _betainc_jvp(primals: Any, tangents: Any) -> Any:
    (a, b, x), (da, db, dx) = primals, tangents
    slope = _beta_parameters(a, b, x, da, db) + _times(dx, lambda: beta_pdf(a, b, x), x)
    return betainc(a, b, x), slope


def _betaincc_jvp(primals: Any, tangents: Any) -> Any:
    (a, b, x), (da, db, dx) = primals, tangents
    slope = _beta_parameters(a, b, x, da, db) + _times(dx, lambda: beta_pdf(a, b, x), x)
    return betaincc(a, b, x), -slope


betainc.defjvp(_betainc_jvp, symbolic_zeros=True)
betaincc.defjvp(_betaincc_jvp, symbolic_zeros=True)


def _root(residual: Callable[[Any], tuple[Any, Any]], start: Any) -> Any:
    """Root of an increasing function by Newton's method, by bisection where that leaves the bracket.

    The functions here are logarithms of log-concave distribution functions: Newton's method converges from
    anywhere on one side of the root, quadratically in the end.
    """
    bound = math.log(np.finfo(start.dtype).max) - 1.0

    def step(state: Any) -> Any:
        count, at, low, high = state
        value, slope = residual(at)
        below = lax.lt(value, lax.full_like(at, 0.0))
        low, high = lax.select(below, at, low), lax.select(below, high, at)
        newton = at - value / slope
        bracketed = lax.bitwise_and(lax.ge(newton, low), lax.le(newton, high))
        return count + np.int32(1), lax.select(bracketed, newton, 0.5 * low + 0.5 * high), low, high

    at = lax.clamp(start.dtype.type(-0.9 * bound), start, start.dtype.type(0.9 * bound))
    at = lax.select(lax.is_finite(at), at, lax.full_like(at, 0.0))
    ends = (at * 0.0 - bound, at * 0.0 + bound)
    state = (np.int32(0), at, *ends)
    return lax.while_loop(lambda state: lax.lt(state[0], np.int32(_STEPS)), step, state)[1]


def _tails(value: Any, other: Any) -> tuple[Any, Any]:
    """Whether the lower tail ``value`` is the smaller one, and the logarithm of the smaller."""
    lower = lax.le(value, other)
    return lower, lax.log(lax.select(lower, value, other))


def _inverse_gamma(a: Any, p: Any, q: Any) -> Any:
    lower, target = _tails(p, q)

    def residual(u: Any) -> tuple[Any, Any]:
        x = lax.exp(u)
        tail = lax.select(lower, *_gamma_masses(a, x))
        gap = lax.log(tail) - target
        return lax.select(lower, gap, -gap), x * gamma_pdf(a, x) / tail

    spread = lax.sqrt(lax.polygamma(lax.full_like(a, 1.0), a))
    x = lax.exp(_root(residual, lax.digamma(a) + spread * ndtri(p)))
    zero = lax.full_like(x, 0.0)
    x = lax.select(lax.eq(p, zero), zero, x)
    x = lax.select(lax.eq(q, zero), lax.full_like(x, np.inf), x)
    valid = lax.bitwise_and(lax.ge(p, zero), lax.ge(q, zero))
    return lax.select(valid, x, lax.full_like(x, np.nan))


@jax.custom_jvp
def gammaincinv(a: Any, p: Any) -> Any:
    """Inverse of :func:`gammainc` in x."""
    return _inverse_gamma(a, p, 1.0 - p)


@jax.custom_jvp
def gammainccinv(a: Any, q: Any) -> Any:
    """Inverse of :func:`gammaincc` in x."""
    return _inverse_gamma(a, 1.0 - q, q)


def _gammaincinv_jvp(primals: Any, tangents: Any) -> Any:
    (a, p), (da, dp) = primals, tangents
    x = gammaincinv(a, p)
    change = _times(dp, lambda: lax.full_like(p, 1.0), p) - _times(da, lambda: gamma_moments(1, a, x)[1], a)
    return x, change / gamma_pdf(a, x)


def _gammainccinv_jvp(primals: Any, tangents: Any) -> Any:
    (a, q), (da, dq) = primals, tangents
    x = gammainccinv(a, q)
    change = _times(dq, lambda: lax.full_like(q, -1.0), q) - _times(da, lambda: gamma_moments(1, a, x)[1], a)
    return x, change / gamma_pdf(a, x)


gammaincinv.defjvp(_gammaincinv_jvp, symbolic_zeros=True)
gammainccinv.defjvp(_gammainccinv_jvp, symbolic_zeros=True)


def _inverse_beta(a: Any, b: Any, p: Any, q: Any) -> Any:
    """Inverse for 0 < p = 1 - q < 1."""
    lower, target = _tails(p, q)
    scale = lbeta(a, b)

    def residual(u: Any) -> tuple[Any, Any]:
        x, rest = lax.logistic(u), lax.logistic(-u)
        tail = lax.select(lower, *_beta_masses(a, b, x, rest))
        gap = lax.log(tail) - target
        return lax.select(lower, gap, -gap), lax.exp(a * lax.log(x) + b * lax.log(rest) - scale) / tail

    one = lax.full_like(a, 1.0)
    spread = lax.sqrt(lax.polygamma(one, a) + lax.polygamma(one, b))
    return lax.logistic(_root(residual, lax.digamma(a) - lax.digamma(b) + spread * ndtri(p)))


@jax.custom_jvp
def betaincinv(a: Any, b: Any, p: Any) -> Any:
    """Inverse of :func:`betainc` in x."""
    return _with_ends(p, _inverse_beta(a, b, p, 1.0 - p), 0.0, 1.0, 1.0)


@jax.custom_jvp
def betainccinv(a: Any, b: Any, q: Any) -> Any:
    """Inverse of :func:`betaincc` in x."""
    return _with_ends(q, _inverse_beta(a, b, 1.0 - q, q), 1.0, 0.0, 1.0)


def _betaincinv_jvp(primals: Any, tangents: Any) -> Any:
    (a, b, p), (da, db, dp) = primals, tangents
    x = betaincinv(a, b, p)
    change = _times(dp, lambda: lax.full_like(p, 1.0), p) - _beta_parameters(a, b, x, da, db)
    return x, change / beta_pdf(a, b, x)


def _betainccinv_jvp(primals: Any, tangents: Any) -> Any:
    (a, b, q), (da, db, dq) = primals, tangents
    x = betainccinv(a, b, q)
    change = _times(dq, lambda: lax.full_like(q, -1.0), q) - _beta_parameters(a, b, x, da, db)
    return x, change / beta_pdf(a, b, x)


betaincinv.defjvp(_betaincinv_jvp, symbolic_zeros=True)
betainccinv.defjvp(_betainccinv_jvp, symbolic_zeros=True)
