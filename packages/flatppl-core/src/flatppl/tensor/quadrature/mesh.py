"""The mesh of an adaptive quadrature: panels are parts of cells, cells lie between uniform edges and breakpoints."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flatppl.tensor.quadrature.maps import beyond, clamp, locate, place, settle, undefined_far_out
from flatppl.tensor.quadrature.panels import estimate, places

__all__ = ["Integrand", "Mesh", "budget", "halves", "make_mesh", "tolerance"]

#: Uniform cells at the start; even, since 0 deserves an edge. The search halves each at once.
CELLS = 4
#: No mesh has more panels, whatever the budget: it bounds memory.
LARGEST = 1 << 12

#: ``integrand(t) -> (log values, flags)``: both arrays like t, flags with a leading axis.
Integrand = Callable[[Any], tuple[Any, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Cells on v, differentiable in bounds and breakpoints; a panel is (cell, start, size) in units of its cell.

    Attributes
    ----------
    xp : module
        Array library.
    domain : str
        Change of variable (see ``maps``).
    lo, hi : array
        Bounds.
    base, span : array, (cells,)
        Edge of each cell that is nearer to v = 0, for the sake of precision, and signed distance of the other.
    """

    xp: Any
    domain: str
    lo: Any
    hi: Any
    base: Any
    span: Any

    def nodes(self, cell: Any, start: Any, size: Any, offsets: Any) -> tuple[Any, Any]:
        """Points v (panels, offsets) at some offsets in units of the widths of panels, and the widths in v."""
        span = self.span[cell]
        fraction = start[:, None] + size[:, None] * offsets[None, :]
        return self.base[cell][:, None] + span[:, None] * fraction, self.xp.abs(span) * size

    def measure(self, integrand: Integrand, cell: Any, start: Any, size: Any) -> tuple[Any, Any, Any, Any]:
        """Log integral, log error, flags and log integrand of panels, flags first axis, nodes last axis.

        Nodes without meaning (see ``undefined_far_out``) and those of empty panels have value 0 and no flag.
        """
        v, width = self.nodes(cell, start, size, places(self.span.dtype))
        t, slopes = place(self.xp, self.domain, self.lo, self.hi, v)
        t = clamp(self.xp, self.domain, self.lo, self.hi, t)
        logs, flags = integrand(t)
        empty = (width == 0)[:, None]
        silent = undefined_far_out(self.xp, self.domain, t, logs) | empty
        logs = self.xp.where(silent, self.xp.full_like(logs, -math.inf), logs)
        slopes = slopes * settle(self.xp, self.domain, self.lo, self.hi, v, t)
        slopes = self.xp.where(empty, self.xp.ones_like(slopes), slopes)
        lost = beyond(self.xp, self.domain, v)
        integral, error = estimate(self.xp, logs, slopes, t, v, width, lost)
        return integral, error, (flags | silent[None])[..., 1:-1], logs[..., 1:-1]


def budget(max_intervals: int) -> int:
    """Number of panels that a mesh may have."""
    return min(max_intervals, LARGEST)


def make_mesh(xp: Any, domain: str, lo: Any, hi: Any, points: Sequence[Any], limit: int) -> Mesh:
    """Cells of a range; breakpoints may come in any order, twice, or outside (then they have no effect)."""
    edges = xp.asarray(np.linspace(-0.5, 0.5, max(1, min(CELLS, limit // 2 - len(points))) + 1), lo.dtype)
    if points:
        t = xp.stack(list(points))
        inside = (t > lo) & (t < hi)
        middle = place(xp, domain, lo, hi, xp.zeros_like(lo))[0]
        v = locate(xp, domain, lo, hi, xp.where(inside, t, middle))
        near = 0.5 - float(xp.finfo(lo.dtype).eps)
        v = xp.where(inside, xp.maximum(xp.minimum(v, near), -near), xp.zeros_like(v))
        edges = xp.sort(xp.concatenate((edges, v)))
    left, right = edges[:-1], edges[1:]
    swap = xp.abs(right) < xp.abs(left)
    return Mesh(xp, domain, lo, hi, xp.where(swap, right, left), xp.where(swap, left - right, right - left))


def halves(xp: Any, start: Any, size: Any) -> tuple[Any, Any]:
    """Starts and sizes of the two halves of a panel."""
    half = size / 2
    return xp.stack((start, start + half)), xp.stack((half, half))


def tolerance(xp: Any, log_integral: Any, rtol: float, atol: float) -> Any:
    """Log of the error allowed for an integral."""
    relative = log_integral + math.log(rtol) if rtol > 0 else xp.full_like(log_integral, -math.inf)
    return xp.maximum(relative, math.log(atol)) if atol > 0 else relative
