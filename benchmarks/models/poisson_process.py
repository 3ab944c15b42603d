"""Unbinned extended likelihood: a peak over an exponential background, 100,000 events."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from case import Case, Position
from jax.scipy.stats import norm

TEMPLATE = """
events = external(cartpow(reals, {events}))
position = elementof(cartprod(
    log_signal = reals, log_background = reals, mass = reals, log_width = reals, log_slope = reals))

window = interval(100.0, 160.0)
peak = normalize(truncate(Normal(position.mass, exp(position.log_width)), window))
fall = normalize(truncate(Exponential(exp(position.log_slope)), window))
intensity = superpose(weighted(exp(position.log_signal), peak), weighted(exp(position.log_background), fall))

inputs = (position, events)
outputs = logdensityof(PoissonProcess(intensity), events)
"""


def by_hand(position: Position, events: jax.Array) -> jax.Array:
    log_signal, log_background = position["log_signal"], position["log_background"]
    mass, width = position["mass"], jnp.exp(position["log_width"])
    rate = jnp.exp(position["log_slope"])
    peak = norm.logpdf(events, mass, width) - jnp.log(norm.cdf(160.0, mass, width) - norm.cdf(100.0, mass, width))
    fall = jnp.log(rate) - rate * (events - 100.0) - jnp.log1p(-jnp.exp(-rate * 60.0))
    inside = (events >= 100.0) & (events <= 160.0)
    density = jnp.where(inside, jnp.logaddexp(log_signal + peak, log_background + fall), -jnp.inf)
    return density.sum() - jnp.exp(log_signal) - jnp.exp(log_background)


def case(count: int = 100_000) -> Case:
    rng = np.random.default_rng(6)
    peak = rng.normal(125.0, 2.0, size=count // 20)
    fall = 100.0 - np.log1p(-rng.uniform(size=count - count // 20) * -np.expm1(-60.0 / 25.0)) * 25.0
    return Case(
        title=f"Poisson process, {count:,} events",
        source=TEMPLATE.format(events=count),
        position={
            "log_signal": jnp.float32(8.4),
            "log_background": jnp.float32(11.4),
            "mass": jnp.float32(124.5),
            "log_width": jnp.float32(0.8),
            "log_slope": jnp.float32(-3.2),
        },
        data=(jnp.asarray(rng.permutation(np.concatenate([peak, fall])), jnp.float32),),
        by_hand=by_hand,
    )
