"""Elementary functions of reals."""

from __future__ import annotations

from jax import lax

from flatppl_jax.numerics.logarithms import logaddexp
from flatppl_jax.rules.arithmetic import plain

__all__ = ["RULES"]

_NAMES = (
    "exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "logistic",
)  # fmt: skip

RULES = {name: plain(getattr(lax, name)) for name in _NAMES} | {
    "logaddexp": plain(logaddexp),
    "logit": plain(lambda p: lax.sub(lax.log(p), lax.log1p(lax.neg(p)))),
    "round": plain(lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)),
}
