"""Integrals of scalar functions by adaptive quadrature."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from flatppl.errors import InternalError
from flatppl.tensor.avals import Aval
from flatppl.tensor.primitives.control import run
from flatppl.tensor.program import Node, Primitive, Program
from flatppl.tensor.quadrature.maps import domain_of
from flatppl.tensor.quadrature.mesh import Mesh, budget, halves, make_mesh, tolerance

__all__ = ["INTEGRATE", "PRIMITIVES"]


def _aval(*operands: Aval, body: Program, points: int, **_: Any) -> tuple[Aval, ...]:
    scalar, flag = Aval("real"), Aval("boolean")
    if [param.aval for param in body.params] != [scalar] or body.results[0].aval != scalar:
        raise InternalError("integrate: the body is not a real function of one real")
    if any(result.aval != flag for result in body.results[1:]):
        raise InternalError("integrate: further results of the body are scalar flags")
    if len(operands) != 2 + points + len(body.captures) or any(x != scalar for x in operands[: 2 + points]):
        raise InternalError("integrate: bounds and breakpoints are real scalars, followed by the captures")
    return tuple(result.aval for result in body.results)


def _simplify(operands: tuple[Node, ...], params: dict[str, Any]) -> Node | None:
    """The change of variable follows the bounds, also those that substitution brings."""
    ends = [None if node.constant is None else float(node.constant) for node in operands[:2]]
    domain = domain_of(*ends)
    if domain == params["domain"]:
        return None
    return operands[0].builder.build(INTEGRATE, operands, {**params, "domain": domain})


def _integrate(
    lo: Any, hi: Any, *rest: Any, body: Program, points: int, rtol: float, atol: float, max_intervals: int, domain: str
) -> tuple[Any, ...]:
    breakpoints, captures = rest[:points], rest[points:]
    count = len(body.results) - 1
    limit = budget(max_intervals)
    mesh = make_mesh(np, domain_of(lo, hi), lo, hi, breakpoints, limit)

    def integrand(t: Any) -> tuple[Any, Any]:
        cells = [run(body, (x,), captures) for x in np.reshape(t, (-1,))]
        flags = np.array([cell[1:] for cell in cells], bool).reshape(len(cells), count).T
        return np.array([cell[0] for cell in cells]).reshape(t.shape), flags.reshape(count, *t.shape)

    integral, flags = _search(mesh, integrand, rtol, atol, limit)
    return np.asarray(integral), *(np.asarray(flag) for flag in flags)


def _search(mesh: Mesh, integrand: Any, rtol: float, atol: float, limit: int) -> tuple[float, Any]:
    """Halve the worst panel until the error is small enough; NaN if it never is. Cells count as worst of all."""
    panels = [_Panel(cell, np.float64(0.0), np.float64(1.0)) for cell in range(len(mesh.span))]
    while True:
        integral = np.logaddexp.reduce([panel.integral for panel in panels])
        error = np.logaddexp.reduce([panel.error for panel in panels])
        done = error <= tolerance(np, integral, rtol, atol)
        if done or np.isnan(error) or len(panels) >= limit:
            break
        worst = panels.pop(int(np.argmax([panel.error for panel in panels])))
        starts, sizes = halves(np, worst.start, worst.size)
        integrals, errors, flags, _ = mesh.measure(integrand, np.full(2, worst.cell), starts, sizes)
        flags = np.all(flags, axis=-1).T
        panels += [_Panel(worst.cell, *row) for row in zip(starts, sizes, integrals, errors, flags, strict=True)]
    if not (done and math.isfinite(integral)):
        integral = math.nan
    return integral, np.all([panel.flags for panel in panels if panel.flags is not None], axis=0)


class _Panel(NamedTuple):
    """A panel; before it is measured its error is infinite."""

    cell: int
    start: np.float64
    size: np.float64
    integral: float = -math.inf
    error: float = math.inf
    flags: Any = None


#: integrate(lo, hi, breakpoints..., captures..., body, points, rtol, atol, max_intervals, domain): log of the
#: integral of exp(body(t)) over [lo, hi] by adaptive Gauss-Kronrod 7/15, with an error of at most
#: ``max(atol, rtol * integral)`` by its estimate. The body's further results are flags; each leaves the integral
#: as the conjunction over all nodes of the final mesh.
#:
#: An end may be infinite only as a constant. Breakpoints may come in any order, coincide, or lie outside. NaN where
#: the budget of ``max_intervals`` panels (4096 at most) is exhausted, the integrand is NaN or +inf at a node, the
#: mass is zero, or lo >= hi. The search starts from 4 cells between uniform edges and breakpoints in the variable of
#: ``quadrature.maps``, each halved at once; it finds a single narrow peak anywhere, but may miss one that stands on
#: a broad background between nodes.
INTEGRATE = Primitive("integrate", _aval, _integrate, simplify=_simplify)

PRIMITIVES = (INTEGRATE,)
