"""Markov chain with normal steps, 10,000 of them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from case import Case, Position
from jax.scipy.stats import norm

TEMPLATE = """
path = external(cartpow(reals, {steps}))
position = elementof(cartprod(pull = reals, log_noise = reals, start = reals))

step(x) = Normal(x - 0.1 * tanh(position.pull * x), exp(position.log_noise))
prior = joint(pull = Normal(0.0, 1.0), log_noise = Normal(-1.0, 1.0), start = Normal(0.0, 5.0))

inputs = (position, path)
outputs = logdensityof(prior, position) + logdensityof(markovchain(step, position.start, {steps}), path)
"""


def by_hand(position: Position, path: jax.Array) -> jax.Array:
    pull, log_noise, start = position["pull"], position["log_noise"], position["start"]
    prior = norm.logpdf(pull) + norm.logpdf(log_noise, -1.0) + norm.logpdf(start, 0.0, 5.0)
    before = jnp.concatenate([start[None], path[:-1]])
    return prior + norm.logpdf(path, before - 0.1 * jnp.tanh(pull * before), jnp.exp(log_noise)).sum()


def case(steps: int = 10_000) -> Case:
    rng = np.random.default_rng(8)
    path = np.zeros(steps)
    for k, noise in enumerate(0.3 * rng.normal(size=steps)):
        before = path[k - 1] if k else 1.0
        path[k] = before - 0.1 * np.tanh(0.8 * before) + noise
    return Case(
        title=f"Markov chain, {steps:,} steps",
        source=TEMPLATE.format(steps=steps),
        position={"pull": jnp.float32(0.7), "log_noise": jnp.float32(-1.1), "start": jnp.float32(0.8)},
        data=(jnp.asarray(path, jnp.float32),),
        by_hand=by_hand,
    )
