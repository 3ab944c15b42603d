"""Sums over integers without end: a native loop finds where to stop, the sum so far is evaluated again for derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from flatppl.tensor.program import Program
from flatppl.tensor.quadrature.mesh import tolerance
from flatppl_jax.context import Context, alike
from flatppl_jax.rules.lanes import any_lane, log_total

__all__ = ["RULES"]

#: Terms that one step of the loop takes.
CHUNK = 16


class _Found(NamedTuple):
    """State of the search, scalars but for the flags.

    Attributes
    ----------
    steps : integer
        Chunks taken.
    total, rest : array
        Log of the sum; log bound of what follows.
    top : array
        Largest log term.
    best : integer
        Where it is.
    flags : boolean array
    """

    steps: Any
    total: Any
    rest: Any
    top: Any
    best: Any
    flags: Any


@dataclass(frozen=True, slots=True, eq=False)
class _Series:
    """One ``series`` node while it is traced."""

    context: Context
    body: Program
    rtol: float
    atol: float
    limit: int

    def chunk(self, first: Any, step: Any) -> Any:
        """Numbers of the terms of one step."""
        return first + step * CHUNK + np.arange(CHUNK, dtype=first.dtype)

    def terms(self, numbers: Any, captures: Any) -> Any:
        """Log terms, log bounds of the rest, flags."""
        logs, rests, *flags = jax.vmap(lambda k: self.context.run(self.body, (k,), captures))(numbers)
        return logs, rests, jnp.stack(flags) if flags else jnp.ones((0, CHUNK), bool)

    def search(self, first: Any, captures: Any) -> _Found:
        """Chunk by chunk until the rest is small enough, or nothing can make it so."""
        least = -np.inf * jnp.ones((), self.context.real)
        flags = jnp.ones(len(self.body.results) - 2, bool)
        start = _Found(first * 0, least, -least, least, first, flags)
        return lax.while_loop(
            self._going, lambda found: self._taken(found, first, captures), _Found(*alike(start, (first, *captures)))
        )

    def done(self, found: _Found) -> Any:
        """Whether the tolerance is met."""
        return found.rest <= tolerance(jnp, found.total, self.rtol, self.atol)

    def _going(self, found: _Found) -> Any:
        return ~self.done(found) & ~jnp.isnan(found.total) & (found.steps * CHUNK < self.limit)

    def _taken(self, found: _Found, first: Any, captures: Any) -> _Found:
        numbers = self.chunk(first, found.steps)
        logs, rests, flags = self.terms(numbers, captures)
        top, best = jnp.max(logs), numbers[jnp.argmax(logs)]
        return _Found(
            found.steps + 1,
            log_total(jnp.append(logs, found.total)),
            rests[-1],
            jnp.maximum(top, found.top),
            jnp.where(top > found.top, best, found.best),
            found.flags & jnp.all(flags, axis=-1),
        )

    def again(self, found: _Found, first: Any, captures: Any) -> Any:
        """The sum found as a differentiable function of the captures."""
        fixed = lax.stop_gradient(captures)

        def chunk(step: Any) -> Any:
            numbers = self.chunk(first, step)
            alive = self.terms(numbers, fixed)[0] > -np.inf
            logs = self.terms(jnp.where(alive, numbers, found.best), captures)[0]
            return jnp.sum(jnp.where(alive, jnp.exp(logs - found.total), jnp.zeros_like(logs)))

        def step(total: Any, index: Any) -> tuple[Any, None]:
            wanted = any_lane(index < found.steps)
            part = lax.cond(wanted, chunk, lambda index: jnp.zeros_like(total), index)
            return total + jnp.where(index < found.steps, part, jnp.zeros_like(part)), None

        steps = np.arange(-(-self.limit // CHUNK), dtype=found.steps.dtype)
        total, _ = lax.scan(jax.checkpoint(step, prevent_cse=False), jnp.zeros_like(found.total), steps)
        return jnp.log(total)


def _series(
    context: Context, first: Any, *captures: Any, body: Program, rtol: float, atol: float, limit: int
) -> tuple[Any, ...]:
    task = _Series(context, body, rtol, atol, limit)

    def results(found: _Found, change: Any) -> tuple[Any, ...]:
        factor = jnp.where(task.done(found), jnp.ones_like(found.total), jnp.full_like(found.total, np.nan))
        return (found.total + change) * factor, lax.stop_gradient(found.rest), *found.flags

    @jax.custom_jvp
    def solve(first: Any, *captures: Any) -> tuple[Any, ...]:
        return results(task.search(first, captures), 0.0)

    @solve.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        first, *captures = primals
        found = task.search(first, lax.stop_gradient(captures))

        def value(*captures: Any) -> tuple[Any, ...]:
            change = task.again(found, first, captures)
            return results(found, change - lax.stop_gradient(change))

        return jax.jvp(value, tuple(captures), tuple(tangents[1:]))

    return solve(*(jnp.asarray(x) for x in (first, *captures)))


RULES = {"series": _series}
