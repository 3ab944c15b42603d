"""Integrals by adaptive quadrature: a native loop searches the mesh, the mesh is evaluated again for derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from flatppl.tensor.program import Program
from flatppl.tensor.quadrature.maps import beyond, clamp, place
from flatppl.tensor.quadrature.mesh import Integrand, Mesh, budget, halves, make_mesh, tolerance
from flatppl.tensor.quadrature.panels import OFFSETS, WEIGHTS
from flatppl_jax.context import Context
from flatppl_jax.rules.lanes import any_lane, log_total

__all__ = ["RULES"]

#: Panels that one step of the evaluation on a finished mesh takes; steps that no lane needs are left out.
CHUNK = 8
#: Numbers of the nodes of a panel.
NUMBERS = np.arange(len(WEIGHTS), dtype=np.int32)


class _Found(NamedTuple):
    """State of the search: one row per panel, at most ``count`` of them in use, then scalars.

    Attributes
    ----------
    rows : array, (capacity, 3)
        Cell, start and size of each panel.
    integral, error : array, (capacity,)
        Logarithms; the error of a cell that waits for its first halving is infinite.
    alive : integer array, (capacity,)
        One bit per node with a finite log integrand.
    flags : boolean array, (capacity, flags)
        Flags of the body, true throughout the panel.
    count : integer
        Number of panels of the lane.
    step : integer
        Row of the next panel, the same for all lanes.
    total : array
        Log integral.
    active, good : boolean
        Whether the search goes on; whether the tolerance is met.
    """

    rows: Any
    integral: Any
    error: Any
    alive: Any
    flags: Any
    count: Any
    step: Any
    total: Any
    active: Any
    good: Any


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

    def parts(self, operands: Sequence[Any]) -> tuple[Mesh, Integrand]:
        """Mesh of cells and vectorized integrand."""
        lo, hi, captures = operands[0], operands[1], operands[2 + self.points :]

        def integrand(t: Any) -> tuple[Any, Any]:
            logs, *flags = jax.vmap(lambda x: self.context.run(self.body, (x,), captures))(t.reshape(-1))
            shape = (len(flags), *t.shape)
            return logs.reshape(t.shape), jnp.stack(flags).reshape(shape) if flags else jnp.ones(shape, bool)

        return make_mesh(jnp, self.domain, lo, hi, operands[2 : 2 + self.points], self.limit), integrand

    def search(self, operands: Sequence[Any]) -> _Found:
        """Halve the worst panel of every lane until all lanes are done."""
        mesh, integrand = self.parts(operands)
        return lax.while_loop(
            lambda found: any_lane(found.active),
            lambda found: self._split(mesh, integrand, found),
            self._start(mesh),
        )

    def _start(self, mesh: Mesh) -> _Found:
        cells, dtype = mesh.span.shape[0], mesh.span.dtype
        capacity = -(-max(self.limit, cells) // CHUNK) * CHUNK
        number = np.arange(capacity)
        rows = np.stack((number, np.zeros(capacity), np.ones(capacity)), axis=-1).astype(dtype)
        nothing = np.full(capacity, -np.inf, dtype)
        error = np.where(number < cells, np.inf, nothing).astype(dtype)
        flags = np.ones((capacity, len(self.body.results) - 1), bool)
        arrays = (rows, nothing, error, np.zeros(capacity, np.int32), flags, np.int32(cells), np.int32(cells))
        active = np.bool_(cells < self.limit)
        return _Found(*map(jnp.asarray, (*arrays, dtype.type(-np.inf), active, np.bool_(False))))

    def _split(self, mesh: Mesh, integrand: Integrand, found: _Found) -> _Found:
        """One half of the worst panel takes its place, one the next row; idle lanes write what was there."""
        worst = jnp.argmax(found.error)
        cell, start, size = jnp.moveaxis(found.rows[worst], -1, 0)
        start, size = halves(jnp, start, size)
        cells = jnp.stack((cell, cell))
        *new, flags, logs = mesh.measure(integrand, cells.astype(np.int32), start, size)
        bits = jnp.isfinite(logs).astype(np.int32) << NUMBERS[None]
        new = [jnp.stack((cells, start, size), axis=-1), *new, jnp.sum(bits, axis=-1, dtype=np.int32)]
        table = []
        for old, both in zip(found[:5], (*new, jnp.all(flags, axis=-1).T), strict=True):
            kept = jnp.where(found.active, both, jnp.stack((old[worst], old[found.step])))
            table.append(old.at[worst].set(kept[0]).at[found.step].set(kept[1]))
        total, excess = log_total(table[1]), log_total(table[2])
        going = excess > tolerance(jnp, total, self.rtol, self.atol)
        good = (excess <= tolerance(jnp, total, self.rtol, self.atol)) & jnp.isfinite(total)
        count = found.count + found.active.astype(np.int32)
        active = found.active & going & (count < self.limit)
        rows, integral, error, alive, flags = table
        return _Found(rows, integral, error, alive, flags, count, found.step + 1, total, active, good)

    def again(self, found: _Found, operands: Sequence[Any]) -> tuple[Any, ...]:
        """The same results as differentiable functions of the operands, on the mesh found."""
        mesh, integrand = self.parts(operands)
        safe, _ = place(jnp, self.domain, mesh.lo, mesh.hi, self._alive_node(mesh, found))
        safe, ends = lax.stop_gradient(safe), [lax.stop_gradient(x) for x in (mesh.lo, mesh.hi)]

        def chunk(rows: Any, alive: Any) -> Any:
            cell, start, size = jnp.moveaxis(rows, -1, 0)
            v, width = mesh.nodes(cell.astype(np.int32), start, size, OFFSETS.astype(rows.dtype))
            bits = ~beyond(jnp, self.domain, v) & ((alive[:, None] >> NUMBERS[None]) & 1 == 1)
            t, slopes = place(jnp, self.domain, mesh.lo, mesh.hi, v)
            fixed = lax.stop_gradient(t)
            moved = clamp(jnp, self.domain, ends[0], ends[1], fixed) - fixed
            logs, _ = integrand(jnp.where(bits, t + moved, safe))
            inner = jnp.where(bits, logs + jnp.log(slopes) - found.total, jnp.full_like(logs, -np.inf))
            return jnp.sum(width * jnp.sum(jnp.exp(inner) * WEIGHTS.astype(v.dtype)[None], axis=-1))

        def step(total: Any, xs: tuple[Any, ...]) -> tuple[Any, None]:
            index, rows, alive = xs
            wanted = any_lane(index * CHUNK < found.count)
            return total + lax.cond(wanted, chunk, lambda rows, alive: jnp.zeros_like(total), rows, alive), None

        chunks = found.rows.shape[0] // CHUNK
        xs = (np.arange(chunks, dtype=np.int32), found.rows.reshape(chunks, CHUNK, -1), found.alive.reshape(chunks, -1))
        total, _ = lax.scan(jax.checkpoint(step, prevent_cse=False), jnp.zeros_like(found.total), xs)
        change = jnp.log(total)
        return _results(found, change - lax.stop_gradient(change))

    def _alive_node(self, mesh: Mesh, found: _Found) -> Any:
        """A node v with a finite log integrand, where there is one."""
        heaviest = jnp.argmax(found.integral)
        cell, start, size = found.rows[heaviest][:, None]
        v, _ = mesh.nodes(cell.astype(np.int32), start, size, OFFSETS.astype(found.rows.dtype))
        return v[0, jnp.argmax((found.alive[heaviest] >> NUMBERS) & 1)]


def _results(found: _Found, correction: Any) -> tuple[Any, ...]:
    """Log integral (a correction that is zero carries its derivatives), NaN unless the search succeeded; flags."""
    factor = jnp.where(found.good, jnp.ones_like(found.total), jnp.full_like(found.total, np.nan))
    return (found.total + correction) * factor, *jnp.all(found.flags, axis=0)


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
    task = _Integral(context, body, points, rtol, atol, budget(max_intervals), domain)

    @jax.custom_jvp
    def solve(*operands: Any) -> tuple[Any, ...]:
        return _results(task.search(operands), 0.0)

    @solve.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        found = task.search([lax.stop_gradient(x) for x in primals])
        return jax.jvp(lambda *xs: task.again(found, xs), primals, tangents)

    return solve(*(jnp.asarray(x) for x in operands))


RULES = {"integrate": _integrate}
