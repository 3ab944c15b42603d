"""Functions on nodes and numbers, the vocabulary of distribution files and function chapters.

Each takes nodes or Python numbers (numbers alone give a number) and promotes integers to reals.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flatppl.tensor.avals import join
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node

__all__ = [
    "abs_", "acos", "acosh", "all_", "any_", "asin", "asinh", "atan", "atan2", "atanh", "betainc", "betaincc", "betainccinv",
    "betaincinv", "broadcast", "builder_of", "ceil", "cholesky", "concat", "convert", "cos", "cosh", "cumsum", "cut", "diagonal", "digamma", "dot", "element", "equal", "erf", "erfc",
    "exp", "expm1", "floor", "gammainc", "gammaincc", "gammainccinv", "gammaincinv", "is_integral", "isfinite",
    "isnan", "lbeta", "lgamma", "log", "log1p", "log_i0e", "log_ndtr", "logical_not", "logistic", "logit", "logsumexp", "max_", "maximum",
    "min_", "minimum", "ndtr", "ndtri", "power", "prod", "reshape", "reverse", "round_", "select", "sign", "sin", "sinh", "softmax", "solve_lower",
    "sqrt", "square", "stack", "sum_", "take", "tan", "tanh", "transpose", "xlog1py", "xlogy",
]  # fmt: skip

Number = Any


def builder_of(*operands: Any) -> Builder | None:
    """Builder of the first node among the operands."""
    for operand in operands:
        if isinstance(operand, Node):
            return operand.builder
    return None


def _real(name: str, *operands: Number) -> Any:
    builder = builder_of(*operands)
    if builder is None:
        with np.errstate(all="ignore"):
            return float(CORE[name].evaluate(*(np.asarray(x, np.float64) for x in operands)))
    return builder.arithmetic(name, *operands, least="real")


def exp(x: Number) -> Any:
    """Exponential."""
    return _real("exp", x)


def expm1(x: Number) -> Any:
    """``exp(x) - 1``."""
    return _real("expm1", x)


def log(x: Number) -> Any:
    """Natural logarithm; -inf at 0."""
    return _real("log", x)


def log1p(x: Number) -> Any:
    """``log(1 + x)``."""
    return _real("log1p", x)


def sqrt(x: Number) -> Any:
    """Square root."""
    return _real("sqrt", x)


def square(x: Any) -> Any:
    """``x * x``."""
    return x.builder.apply("integer_pow", x, exponent=2) if isinstance(x, Node) else x * x


def sin(x: Number) -> Any:
    """Sine."""
    return _real("sin", x)


def cos(x: Number) -> Any:
    """Cosine."""
    return _real("cos", x)


def tan(x: Number) -> Any:
    """Tangent."""
    return _real("tan", x)


def asin(x: Number) -> Any:
    """Inverse sine."""
    return _real("asin", x)


def acos(x: Number) -> Any:
    """Inverse cosine."""
    return _real("acos", x)


def atan(x: Number) -> Any:
    """Inverse tangent."""
    return _real("atan", x)


def atan2(y: Number, x: Number) -> Any:
    """Angle of the point (x, y)."""
    return _real("atan2", y, x)


def sinh(x: Number) -> Any:
    """Hyperbolic sine."""
    return _real("sinh", x)


def cosh(x: Number) -> Any:
    """Hyperbolic cosine."""
    return _real("cosh", x)


def tanh(x: Number) -> Any:
    """Hyperbolic tangent."""
    return _real("tanh", x)


def asinh(x: Number) -> Any:
    """Inverse hyperbolic sine."""
    return _real("asinh", x)


def acosh(x: Number) -> Any:
    """Inverse hyperbolic cosine."""
    return _real("acosh", x)


def atanh(x: Number) -> Any:
    """Inverse hyperbolic tangent."""
    return _real("atanh", x)


def floor(x: Number) -> Any:
    """Largest integral real not above x."""
    return _real("floor", x)


def ceil(x: Number) -> Any:
    """Smallest integral real not below x."""
    return _real("ceil", x)


def round_(x: Number) -> Any:
    """Nearest integral real, ties to even."""
    return _real("round", x)


def logistic(x: Number) -> Any:
    """``1 / (1 + exp(-x))``."""
    return _real("logistic", x)


def logit(p: Number) -> Any:
    """``log(p / (1 - p))``."""
    return _real("logit", p)


def lgamma(x: Number) -> Any:
    """Logarithm of the gamma function."""
    return _real("lgamma", x)


def digamma(x: Number) -> Any:
    """Derivative of lgamma."""
    return _real("digamma", x)


def lbeta(a: Number, b: Number) -> Any:
    """Logarithm of the beta function."""
    return _real("lbeta", a, b)


def log_i0e(x: Number) -> Any:
    """``log(exp(-|x|) I_0(x))``."""
    return _real("log_i0e", x)


def erf(x: Number) -> Any:
    """Error function."""
    return _real("erf", x)


def erfc(x: Number) -> Any:
    """Complementary error function."""
    return _real("erfc", x)


def ndtr(x: Number) -> Any:
    """Standard normal distribution function."""
    return _real("ndtr", x)


def log_ndtr(x: Number) -> Any:
    """Logarithm of the standard normal distribution function."""
    return _real("log_ndtr", x)


def ndtri(p: Number) -> Any:
    """Standard normal quantile."""
    return _real("ndtri", p)


def xlogy(x: Number, y: Number) -> Any:
    """``x * log(y)``, zero where x is zero."""
    return _real("xlogy", x, y)


def xlog1py(x: Number, y: Number) -> Any:
    """``x * log1p(y)``, zero where x is zero."""
    return _real("xlog1py", x, y)


def gammainc(a: Number, x: Number) -> Any:
    """Regularized lower incomplete gamma function P(a, x)."""
    return _real("gammainc", a, x)


def gammaincc(a: Number, x: Number) -> Any:
    """Regularized upper incomplete gamma function Q(a, x)."""
    return _real("gammaincc", a, x)


def gammaincinv(a: Number, p: Number) -> Any:
    """Inverse of P(a, x) in x."""
    return _real("gammaincinv", a, p)


def gammainccinv(a: Number, q: Number) -> Any:
    """Inverse of Q(a, x) in x."""
    return _real("gammainccinv", a, q)


def betainc(a: Number, b: Number, x: Number) -> Any:
    """Regularized incomplete beta function I_x(a, b)."""
    return _real("betainc", a, b, x)


def betaincc(a: Number, b: Number, x: Number) -> Any:
    """Complement of I_x(a, b)."""
    return _real("betaincc", a, b, x)


def betaincinv(a: Number, b: Number, p: Number) -> Any:
    """Inverse of I_x(a, b) in x."""
    return _real("betaincinv", a, b, p)


def betainccinv(a: Number, b: Number, q: Number) -> Any:
    """Inverse of the complement of I_x(a, b) in x."""
    return _real("betainccinv", a, b, q)


def power(x: Number, y: Number) -> Any:
    """``x ** y`` of reals."""
    return _real("pow", x, y)


def isnan(x: Number) -> Any:
    """Whether x is NaN."""
    return _real("isnan", x) if isinstance(x, Node) else math.isnan(x)


def isfinite(x: Number) -> Any:
    """Whether x is neither infinite nor NaN."""
    return _real("isfinite", x) if isinstance(x, Node) else math.isfinite(x)


def is_integral(x: Node) -> Node:
    """Whether x is a finite whole number (always true of integer kinds)."""
    if x.kind != "real":
        return x.builder.constant(np.ones(x.shape, bool))
    return isfinite(x) & equal(floor(x), x)


def _same(name: str, *operands: Number, least: str = "integer") -> Any:
    builder = builder_of(*operands)
    if builder is None:
        return CORE[name].evaluate(*(np.asarray(x) for x in operands)).item()
    return builder.arithmetic(name, *operands, least=least)


def abs_(x: Number) -> Any:
    """Absolute value."""
    return _same("abs", x)


def sign(x: Number) -> Any:
    """-1, 0 or 1."""
    return _same("sign", x)


def maximum(a: Number, b: Number) -> Any:
    """Larger of two; NaN propagates."""
    return _same("maximum", a, b)


def minimum(a: Number, b: Number) -> Any:
    """Smaller of two; NaN propagates."""
    return _same("minimum", a, b)


def equal(a: Number, b: Number) -> Any:
    """Whether two tensors are equal, entry by entry."""
    return _same("eq", a, b, least="boolean")


def logical_not(a: Node) -> Node:
    """Negation of a boolean."""
    return ~a


def select(condition: Any, a: Number, b: Number) -> Any:
    """``a`` where the condition holds, otherwise ``b``; kinds are joined."""
    builder = builder_of(condition, a, b)
    if builder is None:
        return a if condition else b
    left, right = builder.lift(a), builder.lift(b)
    kind = left.kind if left.kind == right.kind else join(left.kind, right.kind)
    flag = builder.lift(condition)
    return builder.apply("select", flag, builder.convert(left, kind), builder.convert(right, kind))


def convert(x: Node, kind: str) -> Node:
    """X as another kind."""
    return x.builder.convert(x, kind)


def _axes(x: Node, axes: tuple[int, ...] | None) -> tuple[int, ...]:
    return tuple(range(len(x.shape))) if axes is None else axes


def _reduce(name: str, x: Node, axes: tuple[int, ...] | None) -> Node:
    chosen = _axes(x, axes)
    return x.builder.apply(name, x, axes=chosen) if chosen else x


def sum_(x: Node, axes: tuple[int, ...] | None = None) -> Node:
    """Sum over axes (all by default)."""
    return _reduce("sum", x, axes)


def prod(x: Node, axes: tuple[int, ...] | None = None) -> Node:
    """Product over axes."""
    return _reduce("prod", x, axes)


def max_(x: Node, axes: tuple[int, ...] | None = None) -> Node:
    """Maximum over axes."""
    return _reduce("max", x, axes)


def min_(x: Node, axes: tuple[int, ...] | None = None) -> Node:
    """Minimum over axes."""
    return _reduce("min", x, axes)


def all_(x: Node, axes: tuple[int, ...] | None = None) -> Node:
    """Whether all entries are true."""
    return _reduce("all", x, axes)


def any_(x: Node, axes: tuple[int, ...] | None = None) -> Node:
    """Whether any entry is true."""
    return _reduce("any", x, axes)


def logsumexp(x: Node, axes: tuple[int, ...] | None = None) -> Node:
    """``log(sum(exp(x)))`` over axes."""
    return _reduce("logsumexp", x, axes)


def softmax(x: Node, axis: int = 0) -> Node:
    """``exp(x)`` over its sum along an axis."""
    return x.builder.apply("softmax", x, axis=axis)


def cumsum(x: Node, axis: int = 0) -> Node:
    """Prefix sums along an axis."""
    return x.builder.apply("cumsum", x, axis=axis)


def reshape(x: Node, shape: tuple[int, ...]) -> Node:
    """Row-major reshape."""
    return x.builder.apply("reshape", x, shape=shape)


def transpose(x: Node, axes: tuple[int, ...] | None = None) -> Node:
    """Permute axes; reversed by default."""
    return x.builder.apply("transpose", x, axes=axes or tuple(reversed(range(len(x.shape)))))


def broadcast(x: Node, shape: tuple[int, ...], dims: tuple[int, ...] | None = None) -> Node:
    """Repeat x to a shape; its axes become the trailing ones unless ``dims`` places them."""
    lead = len(shape) - len(x.shape)
    return x.builder.apply("broadcast", x, shape=shape, dims=tuple(range(lead, len(shape))) if dims is None else dims)


def stack(*xs: Number) -> Node:
    """Equal-shaped tensors along a new first axis; kinds are joined."""
    builder = builder_of(*xs)
    assert builder is not None
    nodes = [builder.lift(x) for x in xs]
    kind = nodes[0].kind if len({node.kind for node in nodes}) == 1 else join(*(node.kind for node in nodes))
    return builder.apply("stack", *(builder.convert(node, kind) for node in nodes))


def concat(xs: list[Node], axis: int = 0) -> Node:
    """Tensors one after another along an axis; kinds are joined."""
    builder = xs[0].builder
    kind = join(*(x.kind for x in xs))
    return builder.apply("concat", *(builder.convert(x, kind) for x in xs), axis=axis)


def reverse(x: Node, axes: tuple[int, ...] = (0,)) -> Node:
    """Entries of the axes in reverse order."""
    return x.builder.apply("reverse", x, axes=axes)


def take(x: Node, indices: Any, axis: int = 0) -> Node:
    """Entries of an axis at zero-based integer indices (a node or numbers)."""
    return x.builder.apply("take", x, x.builder.lift(indices), axis=axis)


def element(node: Node, index: int) -> Node:
    """Entry (or sub-array) ``index`` of the first axis, counted from zero."""
    return reshape(cut(node, index, index + 1), node.shape[1:])


def cut(node: Node, start: int, stop: int) -> Node:
    """Places ``start`` to ``stop - 1`` of the first axis, counted from zero."""
    rest = node.shape[1:]
    first, last = (start, *(0 for _ in rest)), (stop, *rest)
    return node.builder.apply("slice", node, start=first, stop=last, step=(1,) * len(last))


def diagonal(x: Node, k: int = 0) -> Node:
    """Entries of a matrix whose column is ``k`` places right of their row."""
    m, n = x.shape
    length = min(m, n - k) if k >= 0 else min(m + k, n)
    return take(reshape(x, (m * n,)), (k if k >= 0 else -k * n) + np.arange(length) * (n + 1))


def dot(a: Node, b: Node) -> Node:
    """Contract the last axis of a with the first of b; kinds are joined."""
    return a.builder.arithmetic("dot", a, b)


def cholesky(x: Node) -> Node:
    """Lower Cholesky factor; NaN where the matrix is not positive definite."""
    return x.builder.apply("cholesky", x)


def solve_lower(a: Node, b: Node) -> Node:
    """Solve a lower triangular system."""
    return a.builder.apply("triangular_solve", a, b, lower=True, transposed=False)
