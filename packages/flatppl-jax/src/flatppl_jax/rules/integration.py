"""Integrals by adaptive quadrature: a native loop searches the mesh, the mesh is evaluated again for derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap

from flatppl.tensor.program import Program
from flatppl.tensor.quadrature.maps import clamp, place
from flatppl.tensor.quadrature.mesh import Mesh, initial_panels, make_mesh, tolerance
from flatppl.tensor.quadrature.panels import WEIGHTS
from flatppl_jax.context import Context

__all__ = ["RULES"]

#: Panels that one step of the evaluation on a finished mesh takes.
CHUNK = 16
#: No mesh has more panels than this, whatever the budget: it bounds memory.
LARGEST = 1 << 12


@custom_vmap
def _any_lane(flag: Any) -> Any:
    """The flag itself; under ``vmap`` one flag for all lanes, so that loops and branches stay such."""
    return flag


@_any_lane.def_vmap
def _any_lane_batched(size: int, batched: Any, flag: Any) -> tuple[Any, bool]:
    return _any_lane(jnp.any(flag, axis=0)), False


class _Found(NamedTuple):
    """State of the search; the arrays have one row per panel, at most ``count`` of them in use.

    ``rows`` holds cell, start, size, then log of integrand times dt/dv at first edge, last edge and centre; ``alive``
    has one bit per node with a finite value; ``best`` is the largest such value met, ``where`` its t.
    """

    rows: Any
    integral: Any
    error: Any
    alive: Any
    flags: Any
    count: Any
    step: Any
    best: Any
    where: Any
    active: Any


@dataclass(frozen=True, slots=True, eq=False)
class _Integral:
    """One ``integrate`` node while it is traced."""

    context: Context
    body: Program
    points: int
    rtol: float
    atol: float
    limit: int
    domain: str

    @property
    def capacity(self) -> int:
        """Rows of the state, in whole chunks."""
        initial = initial_panels(self.points, self.limit) + self.points
        return -(-max(min(self.limit, LARGEST), initial) // CHUNK) * CHUNK

    def parts(self, operands: Sequence[Any]) -> tuple[Mesh, Callable[[Any], tuple[Any, Any]]]:
        """Mesh of cells and vectorized integrand."""
        lo, hi, captures = operands[0], operands[1], operands[2 + self.points :]
        points = operands[2 : 2 + self.points]
        mesh = make_mesh(jnp, self.domain, lo, hi, points, initial_panels(self.points, self.limit))

        def integrand(t: Any) -> tuple[Any, Any]:
            logs, *flags = jax.vmap(lambda x: self.context.run(self.body, (x,), captures))(t.reshape(-1))
            shape = (len(flags), *t.shape)
            return logs.reshape(t.shape), jnp.stack(flags).reshape(shape) if flags else jnp.ones(shape, bool)

        return mesh, integrand

    def search(self, operands: Sequence[Any]) -> _Found:
        """Split the worst panel of every lane until all lanes are done."""
        mesh, integrand = self.parts(operands)
        return lax.while_loop(
            lambda found: _any_lane(found.active),
            lambda found: self._split(mesh, integrand, found),
            self._start(mesh, integrand),
        )

    def _start(self, mesh: Mesh, integrand: Any) -> _Found:
        cells = mesh.span.shape[0]
        edges = mesh.edges()
        _, logs, slopes, _ = mesh.values(integrand, edges)
        start, dtype = jnp.zeros_like(mesh.span), mesh.span.dtype
        panels = (np.arange(cells), start, start + 1)
        rows, *columns, best, where = _measured(mesh, integrand, panels, logs + slopes)
        empty = [np.zeros((self.capacity, 6), dtype), *(np.full(self.capacity, -np.inf, dtype),) * 2]
        empty += [np.zeros(self.capacity, np.int32), np.ones((self.capacity, columns[-1].shape[1]), bool)]
        table = [jnp.asarray(e).at[:cells].set(x) for e, x in zip(empty, (rows, *columns), strict=True)]
        found = _Found(*table, jnp.int32(cells), jnp.int32(cells), best, where, jnp.bool_(True))
        return self._judged(found)

    def _judged(self, found: _Found) -> _Found:
        going = _total(found.error) > tolerance(jnp, _total(found.integral), self.rtol, self.atol)
        return found._replace(active=found.active & going & (found.count < min(self.limit, self.capacity)))

    def _split(self, mesh: Mesh, integrand: Any, found: _Found) -> _Found:
        """Half of the worst panel takes its place, half the next row; lanes that are done write what was there."""
        worst = jnp.argmax(found.error)
        cell, start, size, first, last, centre = jnp.moveaxis(found.rows[worst], -1, 0)
        half = size / 2
        panels = (jnp.stack((cell, cell)).astype(np.int32), jnp.stack((start, start + half)), jnp.stack((half, half)))
        ends = (jnp.stack((first, centre)), jnp.stack((centre, last)))
        *columns, best, where = _measured(mesh, integrand, panels, ends)
        table = []
        for old, new in zip(found[:5], columns, strict=True):
            kept = jnp.where(found.active, new, jnp.stack((old[worst], old[found.step])))
            table.append(old.at[worst].set(kept[0]).at[found.step].set(kept[1]))
        better = best > found.best
        best, where = jnp.where(better, best, found.best), jnp.where(better, where, found.where)
        count = found.count + found.active.astype(np.int32)
        return self._judged(_Found(*table, count, found.step + 1, best, where, found.active))

    def value(self, operands: Sequence[Any]) -> tuple[Any, ...]:
        """Results from the search alone."""
        return self.results(self.search(operands), 0.0)

    def results(self, found: _Found, correction: Any) -> tuple[Any, ...]:
        """Log integral, NaN unless the search succeeded, and flags."""
        total, error = _total(found.integral), _total(found.error)
        good = jnp.isfinite(total) & (error <= tolerance(jnp, total, self.rtol, self.atol))
        factor = jnp.where(good, jnp.ones_like(total), jnp.full_like(total, np.nan))
        used = np.arange(self.capacity) < found.count
        flags = jnp.all(found.flags | ~used[:, None], axis=0)
        return (total + correction) * factor, *flags

    def again(self, found: _Found, operands: Sequence[Any]) -> tuple[Any, ...]:
        """The same results as differentiable functions of the operands, on the mesh found."""
        mesh, integrand = self.parts(operands)
        reference = _total(found.integral)
        reference = jnp.where(jnp.isfinite(reference), reference, jnp.zeros_like(reference))

        def chunk(rows: Any, alive: Any) -> Any:
            v, width = mesh.nodes(rows[:, 0].astype(np.int32), rows[:, 1], rows[:, 2])
            bits = (alive[:, None] >> np.arange(len(WEIGHTS), dtype=np.int32)) & 1 == 1
            t, slopes = place(jnp, self.domain, mesh.lo, mesh.hi, v)
            t = t + (clamp(jnp, self.domain, *map(lax.stop_gradient, (mesh.lo, mesh.hi, t))) - lax.stop_gradient(t))
            logs, _ = integrand(jnp.where(bits, t, found.where))
            inner = jnp.where(bits, logs + slopes - reference, jnp.full_like(logs, -np.inf))
            return jnp.sum(width * jnp.sum(jnp.exp(inner) * WEIGHTS.astype(v.dtype), axis=-1))

        def step(total: Any, xs: tuple[Any, ...]) -> tuple[Any, None]:
            index, rows, alive = xs
            wanted = _any_lane(index * CHUNK < found.count)
            return total + lax.cond(wanted, chunk, lambda rows, alive: jnp.zeros_like(total), rows, alive), None

        chunks = self.capacity // CHUNK
        xs = (np.arange(chunks, dtype=np.int32), found.rows.reshape(chunks, CHUNK, -1), found.alive.reshape(chunks, -1))
        total, _ = lax.scan(step, jnp.zeros_like(reference), xs)
        return self.results(found, jnp.log(total))


def _measured(mesh: Mesh, integrand: Any, panels: tuple[Any, Any, Any], ends: Any) -> tuple[Any, ...]:
    """Columns of the state for some panels, then the largest finite value at a node, and where it is."""
    integral, error, centre, flags, logs, t = mesh.measure(integrand, panels, ends)
    finite = jnp.isfinite(logs)
    alive = jnp.sum(finite.astype(np.int32) << np.arange(len(WEIGHTS), dtype=np.int32), axis=-1, dtype=np.int32)
    cell, start, size = panels
    rows = jnp.stack((jnp.asarray(cell, start.dtype), start, size, *ends, centre), axis=-1)
    logs, t = jnp.where(finite, logs, jnp.full_like(logs, -np.inf)).reshape(-1), t.reshape(-1)
    best = jnp.argmax(logs)
    return rows, integral, error, alive, flags.T, logs[best], t[best]


def _total(logs: Any) -> Any:
    """Log of a sum of exponentials."""
    top = jnp.max(logs)
    shift = jnp.where(jnp.isfinite(top), top, jnp.zeros_like(top))
    return jnp.log(jnp.sum(jnp.exp(logs - shift))) + shift


def _integrate(
    context: Context,
    *operands: Any,
    body: Program,
    points: int,
    rtol: float,
    atol: float,
    max_intervals: int,
    domain: str,
) -> tuple[Any, ...]:
    task = _Integral(context, body, points, rtol, atol, max_intervals, domain)

    @jax.custom_jvp
    def solve(*operands: Any) -> tuple[Any, ...]:
        return task.value(operands)

    @solve.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        found = task.search([lax.stop_gradient(x) for x in primals])
        return jax.jvp(lambda *xs: task.again(found, xs), primals, tangents)

    return solve(*(jnp.asarray(x) for x in operands))


RULES = {"integrate": _integrate}
