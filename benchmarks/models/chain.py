"""2,000 bindings, each computed from the one before: what the compiler itself costs."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from case import Case, Position
from jax.scipy.stats import norm

LINKS = 2_000


def source() -> str:
    links = [f"x{i} = 0.999 * x{i - 1} + shift" for i in range(1, LINKS + 1)]
    return "\n".join(
        [
            "y = external(reals)",
            "position = elementof(cartprod(start = reals, shift = reals))",
            "shift = position.shift",
            "x0 = position.start",
            *links,
            "prior = joint(start = Normal(0.0, 1.0), shift = Normal(0.0, 1.0))",
            "inputs = (position, y)",
            f"outputs = logdensityof(prior, position) + logdensityof(Normal(x{LINKS}, 1.0), y)",
        ]
    )


def end(start: jax.Array, shift: jax.Array) -> jax.Array:
    x = start
    for _ in range(LINKS):
        x = 0.999 * x + shift
    return x


def by_hand(position: Position, y: jax.Array) -> jax.Array:
    start, shift = position["start"], position["shift"]
    return norm.logpdf(start) + norm.logpdf(shift) + norm.logpdf(y, end(start, shift))


def model(y: jax.Array) -> None:
    start = numpyro.sample("start", dist.Normal(0.0, 1.0))
    shift = numpyro.sample("shift", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.Normal(end(start, shift), 1.0), obs=y)


def case() -> Case:
    return Case(
        title="2,000 chained bindings",
        source=source(),
        position={"start": jnp.float32(0.5), "shift": jnp.float32(0.001)},
        data=(jnp.float32(1.2),),
        by_hand=by_hand,
        model=model,
    )
