"""Special functions of reals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import lax

from flatppl_jax.context import Context, Rule, as_jax
from flatppl_jax.numerics.gamma import gamma, lbeta, lgamma
from flatppl_jax.numerics.incomplete import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
)
from flatppl_jax.numerics.logarithms import xlog1py, xlogy
from flatppl_jax.numerics.normal import log_ndtr, ndtr, ndtri

__all__ = ["RULES"]

_FUNCTIONS = (
    lgamma, lax.digamma, gamma, lax.erf, lax.erfc, ndtr, log_ndtr, ndtri, xlogy, xlog1py, gammainc, gammaincc,
    gammaincinv, gammainccinv, betainc, betaincc, betaincinv, betainccinv, lbeta,
)  # fmt: skip


def _rule(function: Callable[..., Any]) -> Rule:
    """Constant operands become JAX arrays, so that operators work on all of them."""

    def rule(context: Context, *operands: Any) -> Any:
        return function(*map(as_jax, operands))

    return rule


def _log_i0e(x: Any) -> Any:
    return lax.log(lax.bessel_i0e(x))


RULES = {"log_i0e": _rule(_log_i0e)} | {function.__name__: _rule(function) for function in _FUNCTIONS}
