"""The mesh of an adaptive quadrature: panels are parts of cells, cells lie between uniform edges and breakpoints."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flatppl.tensor.quadrature.maps import clamp, locate, place, undefined_far_out
from flatppl.tensor.quadrature.panels import CENTRE, OFFSETS, estimate

__all__ = ["INITIAL", "Mesh", "initial_panels", "make_mesh", "tolerance"]

#: Number of panels at the start, besides those that breakpoints add; even, since 0 deserves an edge.
INITIAL = 8

#: ``integrand(t) -> (log values, flags)``: both arrays like t, flags with a leading axis.
Integrand = Callable[[Any], tuple[Any, Any]]


def initial_panels(points: int, max_intervals: int) -> int:
    """Number of uniform cells at the start."""
    return max(1, min(INITIAL, max_intervals - points))


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
    jumps : pair of array, (cells,)
        Whether the edge at ``base`` and the other one may be a jump.
    """

    xp: Any
    domain: str
    lo: Any
    hi: Any
    base: Any
    span: Any
    jumps: tuple[Any, Any]

    def nodes(self, cell: Any, start: Any, size: Any) -> tuple[Any, Any]:
        """Kronrod nodes v of panels (...), and the widths of the panels in v."""
        span = self.span[cell]
        fraction = start[..., None] + size[..., None] * OFFSETS.astype(span.dtype)
        return self.base[cell][..., None] + span[..., None] * fraction, self.xp.abs(span) * size

    def edges(self) -> Any:
        """Points v (2, cells) at which the values at the edges of all cells are taken, next to a possible jump."""
        step = self.span * float(self.xp.finfo(self.span.dtype).eps) ** 0.75
        zero = self.xp.zeros_like(step)
        first = self.base + self.xp.where(self.jumps[0], step, zero)
        return self.xp.stack((first, self.base + self.span - self.xp.where(self.jumps[1], step, zero)))

    def values(self, integrand: Integrand, v: Any) -> tuple[Any, Any, Any, Any]:
        """Nodes t, log integrand, log dt/dv, and flags at v; nodes without meaning are 0 and unflagged."""
        t, slopes = place(self.xp, self.domain, self.lo, self.hi, v)
        t = clamp(self.xp, self.domain, self.lo, self.hi, t)
        logs, flags = integrand(t)
        silent = undefined_far_out(self.xp, self.domain, t, logs)
        return t, self.xp.where(silent, self.xp.full_like(logs, -math.inf), logs), slopes, flags | silent

    def measure(self, integrand: Integrand, panels: tuple[Any, Any, Any], ends: Any) -> tuple[Any, ...]:
        """What the search needs of panels.

        Returns
        -------
        tuple
            Log integral, log error, log of integrand times dt/dv at the centre, flags (all nodes of a panel
            together), then log integrand and t at the nodes.
        """
        v, width = self.nodes(*panels)
        t, logs, slopes, flags = self.values(integrand, v)
        integral, error = estimate(self.xp, logs, slopes, t, v, width, ends)
        return integral, error, (logs + slopes)[..., CENTRE], self.xp.all(flags, axis=-1), logs, t


def make_mesh(xp: Any, domain: str, lo: Any, hi: Any, points: Sequence[Any], initial: int) -> Mesh:
    """Cells of a range; breakpoints may come in any order, twice, or outside (then they have no effect)."""
    edges = xp.asarray(np.linspace(-0.5, 0.5, initial + 1), lo.dtype)
    jump = np.isin(np.arange(initial + 1), (0, initial))
    if points:
        t = xp.stack(list(points))
        inside = (t > lo) & (t < hi)
        middle = place(xp, domain, lo, hi, xp.zeros_like(lo))[0]
        v = xp.clip(locate(xp, domain, lo, hi, xp.where(inside, t, middle)), -0.5, 0.5)
        edges = xp.concatenate((edges, xp.where(inside, v, xp.full_like(v, 0.5))))
        order = xp.argsort(edges)
        edges, jump = edges[order], xp.asarray(np.append(jump, np.ones(len(points), bool)))[order]
    left, right = edges[:-1], edges[1:]
    swap = xp.abs(right) < xp.abs(left)
    base = xp.where(swap, right, left)
    span = xp.where(swap, left - right, right - left)
    jumps = (xp.where(swap, jump[1:], jump[:-1]), xp.where(swap, jump[:-1], jump[1:]))
    return Mesh(xp, domain, lo, hi, base, span, jumps)


def tolerance(xp: Any, log_integral: Any, rtol: float, atol: float) -> Any:
    """Log of the error allowed for an integral."""
    relative = log_integral + math.log(rtol) if rtol > 0 else xp.full_like(log_integral, -math.inf)
    return xp.maximum(relative, math.log(atol)) if atol > 0 else relative
