"""Arithmetic, comparison, logic and selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import lax

from flatppl_jax.context import Context, Rule

__all__ = ["RULES", "plain"]


def plain(operation: Callable[..., Any]) -> Rule:
    """Rule of an operation that needs neither the context nor params."""

    def rule(context: Context, *operands: Any) -> Any:
        return operation(*operands)

    return rule


def _integer_pow(context: Context, x: Any, exponent: int) -> Any:
    return lax.integer_pow(x, exponent)


def _floordiv(x: Any, y: Any) -> Any:
    """Quotient rounded down; 0 where the divisor is 0, as NumPy."""
    zero = lax.full_like(x, 0)
    none = lax.eq(y, zero)
    divisor = lax.select(none, lax.full_like(y, 1), y)
    quotient, rest = lax.div(x, divisor), lax.rem(x, divisor)
    below = lax.bitwise_and(lax.ne(rest, zero), lax.ne(lax.lt(rest, zero), lax.lt(divisor, zero)))
    floored = lax.select(below, lax.sub(quotient, lax.full_like(x, 1)), quotient)
    return lax.select(none, zero, floored)


def _mod(x: Any, y: Any) -> Any:
    """Rest with the sign of the divisor; 0 where the divisor is 0, as NumPy."""
    zero = lax.full_like(x, 0)
    none = lax.eq(y, zero)
    divisor = lax.select(none, lax.full_like(y, 1), y)
    rest = lax.rem(x, divisor)
    other = lax.bitwise_and(lax.ne(rest, zero), lax.ne(lax.lt(rest, zero), lax.lt(divisor, zero)))
    return lax.select(none, zero, lax.select(other, lax.add(rest, divisor), rest))


RULES = {
    "add": plain(lax.add),
    "sub": plain(lax.sub),
    "mul": plain(lax.mul),
    "div": plain(lax.div),
    "neg": plain(lax.neg),
    "pow": plain(lax.pow),
    "integer_pow": _integer_pow,
    "floordiv": plain(_floordiv),
    "mod": plain(_mod),
    "maximum": plain(lax.max),
    "minimum": plain(lax.min),
    "abs": plain(lax.abs),
    "sign": plain(lax.sign),
    "lt": plain(lax.lt),
    "le": plain(lax.le),
    "eq": plain(lax.eq),
    "and": plain(lax.bitwise_and),
    "or": plain(lax.bitwise_or),
    "xor": plain(lax.bitwise_xor),
    "not": plain(lax.bitwise_not),
    "isnan": plain(lambda x: lax.ne(x, x)),
    "isfinite": plain(lax.is_finite),
    "select": plain(lax.select),
}
