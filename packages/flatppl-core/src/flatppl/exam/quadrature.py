"""Quadrature rules with double-exponential nodes, and cubatures in at most two dimensions."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from flatppl.exam.subject import Array
from flatppl.values.array_sets import Simplex
from flatppl.values.product_sets import Power

__all__ = ["grid", "panel"]


@cache
def _rule(count: int) -> tuple[Array, Array, Array]:
    """The tanh-sinh rule on (0, 1): distances of the nodes to both ends, and weights."""
    t = np.linspace(-4.1, 4.1, count)
    s = math.pi * np.sinh(t)
    low, high = 1.0 / (1.0 + np.exp(-s)), 1.0 / (1.0 + np.exp(s))
    return low, high, (t[1] - t[0]) * math.pi * np.cosh(t) * low * high


def panel(a: float, b: float) -> tuple[Array, Array]:
    """Nodes and weights on (a, b); either end may be infinite, or a place where the integrand is."""
    low, high, weight = _rule(201)
    if math.isinf(a) or math.isinf(b):
        start, sign = (a, 1.0) if math.isinf(b) else (b, -1.0)
        scale, ratio = max(abs(start) * 1e-3, 1e-9), low / high
        keep = (ratio > 1e-30) & (ratio < 1e150)
        return (start + sign * scale * ratio)[keep], (scale * weight / high**2)[keep]
    if a * b > 0.0 and max(a / b, b / a) > 100.0:
        width = math.log(b / a)
        nodes = np.where(low < 0.5, a * np.exp(width * low), b * np.exp(-width * high))
        return nodes, width * nodes * weight
    nodes = np.where(low < 0.5, a + (b - a) * low, b - (b - a) * high)
    return nodes, (b - a) * weight


def grid(support: Any, draws: Array) -> tuple[Array, Array] | None:
    """Points and weights of a cubature over a support of vectors, placed by draws; None above two dimensions."""
    if isinstance(support, Simplex) and support.n in (2, 3):
        if draws.std(0).max() < 0.02:
            free, weights = _lattice(draws[:, :-1], np.linspace(-8.0, 8.0, 81), np.full(81, 0.2))
            return np.concatenate([free, 1.0 - free.sum(1, keepdims=True)], 1), weights
        return _simplex(support.n)
    if isinstance(support, Power) and math.isinf(support.base.interval.lo) and math.prod(support.shape) <= 2:
        u = np.linspace(-3.2, 3.2, 81)
        return _lattice(draws, 1.5 * np.sinh(u), 1.5 * np.cosh(u) * (u[1] - u[0]))
    return None


def _lattice(draws: Array, steps: Array, widths: Array) -> tuple[Array, Array]:
    """Trapezoidal rule about the mean, in units of the standard deviation."""
    axes = [m + s * steps for m, s in zip(draws.mean(0), draws.std(0), strict=True)]
    sizes = np.meshgrid(*(s * widths for s in draws.std(0)), indexing="ij")
    points = np.stack([x.ravel() for x in np.meshgrid(*axes, indexing="ij")], 1)
    return points, np.prod([size.ravel() for size in sizes], 0)


def _simplex(n: int) -> tuple[Array, Array]:
    low, high, weight = _rule(61)
    if n == 2:
        return np.stack([low, high], 1), weight
    s, t = (index.ravel() for index in np.indices((len(low), len(low))))
    points = np.stack([low[s], high[s] * low[t], high[s] * high[t]], 1)
    return points, weight[s] * weight[t] * high[s]
