"""Integrals over one leaf in closed form, from the expansion of the log density."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from flatppl.marginal.expansion import LOG, LOG1M, Expansion, expand
from flatppl.tensor.intervals import Interval
from flatppl.tensor.ops import broadcast, lbeta, lgamma, log, select, sqrt, sum_
from flatppl.tensor.program import Node
from flatppl.tensor.substitute import substitute

__all__ = ["integral"]

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
    """log K_v(x) for half-integer v (a finite sum in 1/x; Abramowitz and Stegun 10.2.15)."""
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


