"""Elementary functions of reals; all elementwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from flatppl.tensor.intervals import Interval, increasing
from flatppl.tensor.primitives.rules import elementwise
from flatppl.tensor.program import Node, Primitive

_REAL = elementwise(("real",))


def _real(
    name: str, evaluate: Callable[..., Any], bounds: Callable[..., Interval] | None = None, simplify: Any = None
) -> Primitive:
    return Primitive(name, _REAL, evaluate, elementwise=True, range=bounds, simplify=simplify)


def _softplus(x: Node) -> Node:
    """``log(1 + exp(x))`` without overflow."""
    apply = x.builder.apply
    tail = apply("log1p", apply("exp", apply("neg", apply("abs", x))))
    return apply("add", apply("maximum", x, x.builder.constant(0.0)), tail)


def _log_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    """Of an exponential; of a logistic function or softmax, whose tail the function itself rounds away."""
    x = operands[0]
    if x.primitive.name == "exp":
        return x.operands[0]
    if x.primitive.name == "softmax":
        logits, axis = x.operands[0], x.params["axis"]
        total = x.builder.apply("logsumexp", logits, axes=(axis,))
        others = tuple(k for k in range(len(x.shape)) if k != axis)
        return x.builder.apply("sub", logits, x.builder.apply("broadcast", total, shape=x.shape, dims=others))
    if x.primitive.name != "logistic":
        return None
    return x.builder.apply("neg", _softplus(x.builder.apply("neg", x.operands[0])))


def _log1p_simple(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    x = operands[0]
    if x.primitive.name != "neg" or x.operands[0].primitive.name != "logistic":
        return None
    return x.builder.apply("neg", _softplus(x.operands[0].operands[0]))


def _fixed(lo: float, hi: float) -> Callable[..., Interval]:
    return lambda *_: Interval(lo, hi)


def _exp(a: Interval) -> Interval:
    lo = math.exp(a.lo) if a.lo < 709 else math.inf
    hi = math.exp(a.hi) if a.hi < 709 else math.inf
    # The exponential of a real is positive; only -inf itself gives 0, and no parameter set needs that point.
    return Interval(lo, hi, a.lo_open or lo == 0.0, a.hi_open)


def _logistic(x: Any) -> Any:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0 / (1.0 + e), e / (1.0 + e))


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def _log(x: float) -> float:
    return -math.inf if x == 0 else math.log(x)


def _integral(f: Callable[[float], float]) -> Callable[..., Interval]:
    """Range of a rounding: closed, since open ends round to reached values."""

    def rule(a: Interval) -> Interval:
        lo = f(a.lo) if math.isfinite(a.lo) else a.lo
        hi = f(a.hi) if math.isfinite(a.hi) else a.hi
        return Interval(lo, hi)

    return rule


def _cosh(a: Interval) -> Interval:
    return Interval(1.0, math.inf)


PRIMITIVES = (
    _real("exp", np.exp, _exp),
    _real("expm1", np.expm1, increasing(math.expm1, -1.0)),
    _real("log", np.log, increasing(_log), _log_simple),
    _real("log1p", np.log1p, increasing(lambda x: -math.inf if x == -1 else math.log1p(x)), _log1p_simple),
    _real("sqrt", np.sqrt, increasing(math.sqrt, 0.0)),
    _real("sin", np.sin, _fixed(-1.0, 1.0)),
    _real("cos", np.cos, _fixed(-1.0, 1.0)),
    _real("tan", np.tan),
    _real("asin", np.arcsin, _fixed(-math.pi / 2, math.pi / 2)),
    _real("acos", np.arccos, _fixed(0.0, math.pi)),
    _real("atan", np.arctan, increasing(math.atan)),
    _real("atan2", np.arctan2, _fixed(-math.pi, math.pi)),
    _real("sinh", np.sinh, increasing(math.sinh)),
    _real("cosh", np.cosh, _cosh),
    _real("tanh", np.tanh, increasing(math.tanh)),
    _real("asinh", np.arcsinh, increasing(math.asinh)),
    _real("acosh", np.arccosh, _fixed(0.0, math.inf)),
    _real("atanh", np.arctanh),
    _real("floor", np.floor, _integral(math.floor)),
    _real("ceil", np.ceil, _integral(math.ceil)),
    # Ties go to the even integer.
    _real("round", np.rint, _integral(round)),
    # log(exp(a) + exp(b)) without overflow.
    _real("logaddexp", np.logaddexp),
    # log(p / (1 - p)); -inf at 0, +inf at 1.
    _real("logit", lambda p: np.log(p) - np.log1p(-p)),
    # 1 / (1 + exp(-x)) without overflow.
    _real(
        "logistic",
        _logistic,
        lambda a: Interval(
            _sigmoid(a.lo), _sigmoid(a.hi), a.lo_open or a.lo == -math.inf, a.hi_open or a.hi == math.inf
        ),
    ),
)
