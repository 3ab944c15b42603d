"""Hidden Markov model (scaled forward recursion) with four states and normal emissions, 2,000 steps."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from case import Case, Position
from jax.scipy.stats import norm

TEMPLATE = """
y = external(cartpow(reals, {steps}))
position = elementof(cartprod(transitions = cartpow(reals, [4, 4]), means = cartpow(reals, 4), log_scale = reals))

move = transpose(rowstack([softmax(position.transitions[1, :]), softmax(position.transitions[2, :]),
                           softmax(position.transitions[3, :]), softmax(position.transitions[4, :])]))
emitted(v) = ((m, x) -> logdensityof(Normal(m, exp(position.log_scale)), x)).(position.means, v)
scaled(s, w) = record(p = w ./ sum(w), total = s.total + log(sum(w)))
step(s, v) = scaled(s, (move * s.p) .* exp.(emitted(v)))
states = scan(step, record(p = fill(0.25, 4), total = 0.0), y)

prior = joint(transitions = iid(Normal(0.0, 1.0), [4, 4]), means = iid(Normal(0.0, 5.0), 4), log_scale = Normal(0.0, 1.0))
inputs = (position, y)
outputs = logdensityof(prior, position) + states.total[{steps}]
"""


def by_hand(position: Position, y: jax.Array) -> jax.Array:
    transitions, means, log_scale = position["transitions"], position["means"], position["log_scale"]
    prior = norm.logpdf(transitions).sum() + norm.logpdf(means, 0.0, 5.0).sum() + norm.logpdf(log_scale)
    move, scale = jax.nn.softmax(transitions, axis=1).T, jnp.exp(log_scale)

    def step(state: tuple[jax.Array, jax.Array], v: jax.Array) -> tuple[tuple[jax.Array, jax.Array], None]:
        p, total = state
        weights = (move @ p) * jnp.exp(norm.logpdf(v, means, scale))
        whole = weights.sum()
        return (weights / whole, total + jnp.log(whole)), None

    (_, total), _ = jax.lax.scan(step, (jnp.full(4, 0.25), jnp.float32(0.0)), y)
    return prior + total


def case(steps: int = 2_000) -> Case:
    rng = np.random.default_rng(7)
    states = np.repeat(rng.integers(4, size=steps // 10), 10)
    y = np.array([-3.0, -1.0, 1.0, 3.0])[states] + 0.8 * rng.normal(size=steps)
    return Case(
        title=f"hidden Markov model, {steps:,} steps",
        source=TEMPLATE.format(steps=steps),
        position={
            "transitions": jnp.asarray(rng.normal(size=(4, 4)) + 2.0 * np.eye(4), jnp.float32),
            "means": jnp.asarray([-2.5, -1.2, 0.8, 2.9], jnp.float32),
            "log_scale": jnp.float32(-0.1),
        },
        data=(jnp.asarray(y, jnp.float32),),
        by_hand=by_hand,
    )
