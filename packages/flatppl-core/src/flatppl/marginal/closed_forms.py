"""Integrals over one leaf in closed form, from the expansion of the log density."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from flatppl.marginal.expansion import LOG, LOG1M, Expansion, expand
from flatppl.tensor.intervals import Interval
from flatppl.tensor.ops import (
    abs_,
    broadcast,
    equal,
    exp,
    expm1,
    lbeta,
    lgamma,
    log,
    log1p,
    log_ndtr,
    maximum,
    minimum,
    select,
    sqrt,
    sum_,
)
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.ranges import range_of
from flatppl.tensor.substitute import substitute

__all__ = ["bounded_integral", "integral"]

ZERO, ONE, TWO, INVERSE = Fraction(0), Fraction(1), Fraction(2), Fraction(-1)
HALF_LOG_PI = 0.5 * math.log(math.pi)


def integral(total: Node, leaf: Node, domain: Interval) -> Node | None:
    """Log of the integral of ``exp(total)`` over a leaf's whole support, or None without a closed form.

    Parameters
    ----------
    total : Node
        Scalar log density.
    leaf : Node
        Real scalar, or a vector whose entries are integrated independently.
    domain : Interval
        The support: the reals, the positive reals, or the unit interval.
    """
    positive, unit = domain.lo == 0 and domain.hi in (1, math.inf), domain.lo == 0 and domain.hi == 1
    if not positive and domain != Interval():
        return None
    expansion = expand(total, leaf, positive, unit)
    if expansion is None:
        return None
    rules = (_beta,) if unit else (_gamma, _inverse_gamma, _generalized_inverse_gaussian) if positive else (_gaussian,)
    for rule in rules:
        found = rule(expansion, total, leaf)
        if found is not None:
            return found
    return None


def bounded_integral(total: Node, leaf: Node, lo: Node, hi: Node) -> Node | None:
    """Log of the integral of ``exp(total)`` over [lo, hi]: exponentials of at most quadratic programs, polynomials."""
    expansion = expand(total, leaf, False, False)
    if expansion is not None and _has(expansion, ONE, TWO):
        if TWO in expansion.terms:
            return _truncated_gaussian(expansion, total, leaf, lo, hi)
        return _exponential(expansion, leaf, lo, hi)
    return _polynomial(total, leaf, lo, hi)


def _truncated_gaussian(expansion: Expansion, total: Node, leaf: Node, lo: Node, hi: Node) -> Node | None:
    curvature, slope = _coefficient(expansion, TWO, leaf), _coefficient(expansion, ONE, leaf)
    if not range_of(curvature).inside(Interval(hi=0.0)):
        return None
    centre, scale = slope / (-2.0 * curvature), sqrt(-0.5 / curvature)
    peak = substitute(leaf.builder, [total], {leaf: centre})[0]
    a, b = (lo - centre) / scale, (hi - centre) / scale
    flip = a > 0.0
    left, right = select(flip, -b, a), select(flip, -a, b)
    upper, lower = log_ndtr(right), log_ndtr(left)
    gap = select(equal(lower, -math.inf), -math.inf, minimum(lower - select(equal(upper, -math.inf), 0.0, upper), 0.0))
    return peak + HALF_LOG_PI + 0.5 * math.log(2.0) + log(scale) + upper + log1p(-exp(gap))


def _exponential(expansion: Expansion, leaf: Node, lo: Node, hi: Node) -> Node:
    """``b z``: the exponential integral, stable where the slope vanishes."""
    slope = _coefficient(expansion, ONE, leaf)
    width = hi - lo
    t = abs_(slope * width)
    tiny = t < 1e-4
    safe = select(tiny, 1.0, t)
    log_mean = select(tiny, -0.5 * t + t * t / 24.0, log(-expm1(-safe)) - log(safe))
    top = maximum(slope * lo, slope * hi)
    return _constant(expansion, leaf) + top + log(width) + log_mean


def _polynomial(total: Node, leaf: Node, lo: Node, hi: Node) -> Node | None:
    """``log p(z)`` of a polynomial, piecewise between fixed breakpoints: differences of the antiderivative."""
    factors = _factors(total, leaf)
    if factors is None:
        return None
    weights, rest = factors
    product: Any = leaf.builder.constant(1.0)
    for weight in weights:
        product = product * weight
    pieces = _pieces(product, leaf)
    if pieces is None:
        return None
    mass: Any = 0.0
    for start, stop, piece in pieces:
        expansion = expand(piece, leaf, False, False)
        if expansion is None or any(
            not isinstance(key, Fraction) or key < 0 or key.denominator != 1 for key in expansion.terms
        ):
            return None
        a, b = maximum(lo, start), minimum(hi, stop)
        b = maximum(a, b)
        mass = mass + _antiderivative(expansion, b) - _antiderivative(expansion, a)
    return log(mass) + rest


def _antiderivative(expansion: Expansion, x: Any) -> Any:
    degree = max((int(key) for key in expansion.terms), default=0)
    total: Any = 0.0
    for power_ in range(degree, -1, -1):
        total = total * x + expansion.terms.get(Fraction(power_), 0.0) / (power_ + 1.0)
    return total * x


def _factors(total: Node, leaf: Node) -> tuple[list[Node], Any] | None:
    """(arguments of the logarithms that depend on the leaf, the free part) of a sum."""
    weights: list[Node] = []
    rest: Any = total.builder.constant(0.0)
    waiting = [total]
    while waiting:
        node = waiting.pop()
        if not any(x is leaf for x in ancestors([node])):
            rest = rest + node
        elif node.primitive.name == "add":
            waiting.extend(node.operands)
        elif node.primitive.name == "guard":
            waiting.append(node.operands[0])
        elif node.primitive.name == "log":
            weights.append(node.operands[0])
        else:
            return None
    return weights, rest


def _pieces(product: Node, leaf: Node) -> list[tuple[float, float, Node]] | None:
    """The program between the fixed points where its comparisons with the leaf change."""
    comparisons = [
        node
        for node in ancestors([product])
        if node.primitive.name in ("lt", "le") and any(x is leaf for x in ancestors([node]))
    ]
    edges: set[float] = set()
    for node in comparisons:
        for one, other in (node.operands, node.operands[::-1]):
            if one is leaf and other.constant is not None:
                edges.update(float(value) for value in other.constant.ravel())
    bounds = [-math.inf, *sorted(edges), math.inf]
    pieces = []
    for start, stop in pairwise(bounds):
        piece = _between(product, leaf, comparisons, start, stop)
        if piece is None:
            return None
        pieces.append((start, stop, piece))
    return pieces


def _between(product: Node, leaf: Node, comparisons: list[Node], start: float, stop: float) -> Node | None:
    mapping = {}
    middle = np.asarray(_middle(start, stop))
    for node in comparisons:
        operands = [middle if operand is leaf else operand.constant for operand in node.operands]
        if any(operand is None for operand in operands):
            return None
        mapping[node] = leaf.builder.constant(node.primitive.evaluate(*operands))
    return substitute(leaf.builder, [product], mapping)[0]


def _middle(start: float, stop: float) -> float:
    if math.isinf(start):
        return stop - 1.0 if math.isfinite(stop) else 0.0
    return start + 1.0 if math.isinf(stop) else 0.5 * (start + stop)


def _has(expansion: Expansion, *allowed: Any) -> bool:
    return set(expansion.terms) <= {ZERO, *allowed}


def _coefficient(expansion: Expansion, key: Any, leaf: Node) -> Node:
    """A coefficient in the leaf's shape."""
    builder = leaf.builder
    node = builder.convert(builder.lift(expansion.terms.get(key, 0.0)), "real")
    return node if node.shape == leaf.shape or key == ZERO else broadcast(node, leaf.shape, ())


def _constant(expansion: Expansion, leaf: Node) -> Node:
    return _coefficient(expansion, ZERO, leaf)


def _gaussian(expansion: Expansion, total: Node, leaf: Node) -> Node | None:
    """At most quadratic: the value at the stationary point, and the width there; no cancellation."""
    if not _has(expansion, ONE, TWO) or TWO not in expansion.terms:
        return None
    curvature, slope = _coefficient(expansion, TWO, leaf), _coefficient(expansion, ONE, leaf)
    proper = curvature < 0.0
    safe = select(proper, curvature, -1.0)
    peak = substitute(leaf.builder, [total], {leaf: slope / (-2.0 * safe)})[0]
    width = select(proper, HALF_LOG_PI - 0.5 * log(-safe), math.inf)
    return peak + sum_(width)


def _gamma(expansion: Expansion, total: Node, leaf: Node) -> Node | None:
    """``a log z + b z`` with b < 0: the gamma integral."""
    if not _has(expansion, LOG, ONE) or ONE not in expansion.terms:
        return None
    shape, rate = _coefficient(expansion, LOG, leaf) + 1.0, -_coefficient(expansion, ONE, leaf)
    return _constant(expansion, leaf) + sum_(lgamma(shape) - shape * log(rate))


def _inverse_gamma(expansion: Expansion, total: Node, leaf: Node) -> Node | None:
    """``a log z - b / z`` with a < -1: the same integral in 1/z."""
    if not _has(expansion, LOG, INVERSE) or INVERSE not in expansion.terms:
        return None
    shape, scale = -_coefficient(expansion, LOG, leaf) - 1.0, -_coefficient(expansion, INVERSE, leaf)
    return _constant(expansion, leaf) + sum_(lgamma(shape) - shape * log(scale))


def _generalized_inverse_gaussian(expansion: Expansion, total: Node, leaf: Node) -> Node | None:
    """``(v - 1) log z - a z - b / z`` with half an odd number v: an elementary Bessel function K_v."""
    if not _has(expansion, LOG, ONE, INVERSE) or leaf.shape:
        return None
    order = _coefficient(expansion, LOG, leaf).constant
    if order is None or (2 * float(order)) % 2 != 1:
        return None
    v = float(order) + 1.0
    a, b = -_coefficient(expansion, ONE, leaf), -_coefficient(expansion, INVERSE, leaf)
    argument = 2.0 * sqrt(a * b)
    return _constant(expansion, leaf) + math.log(2.0) + 0.5 * v * (log(b) - log(a)) + _log_bessel_k(abs(v), argument)


def _log_bessel_k(v: float, x: Node) -> Node:
    """Log K_v(x) for half-integer v (a finite sum in 1/x; Abramowitz and Stegun 10.2.15)."""
    n = round(v - 0.5)
    series: Any = 0.0
    for k in range(n, -1, -1):
        weight = math.factorial(n + k) / (math.factorial(k) * math.factorial(n - k) * 2.0**k)
        series = series / x + weight if k < n else weight
    return HALF_LOG_PI - 0.5 * math.log(2.0) - 0.5 * log(x) - x + log(series)


def _beta(expansion: Expansion, total: Node, leaf: Node) -> Node | None:
    """``a log z + b log1p(-z)``: the beta integral."""
    if not _has(expansion, LOG, LOG1M):
        return None
    a, b = _coefficient(expansion, LOG, leaf) + 1.0, _coefficient(expansion, LOG1M, leaf) + 1.0
    return _constant(expansion, leaf) + sum_(lbeta(a, b))
