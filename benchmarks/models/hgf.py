"""Binary hierarchical Gaussian filter (Mathys et al., 2011, 2014): a scan of 320 steps with a record state.

A binary input ``u`` updates the belief about its tendency (level 2), whose volatility is a belief of its own (level 3).
The responses ``y`` follow the prediction that the filter makes before each input, sharpened by the slope ``zeta``.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from case import Case, Position
from jax.scipy.stats import norm

STEPS = 320

TEMPLATE = """
u = external(cartpow(integers, {steps}))
y = external(cartpow(integers, {steps}))
position = elementof(cartprod(omega2 = reals, omega3 = reals, log_zeta = reals))

# Level 1: the prediction. Level 2: drift of the tendency, precision before and after the input, shift of the mean.
guess(mu2) = invlogit(mu2)
drift(mu3) = exp(mu3 + position.omega2)
before2(pi2, mu3) = 1.0 / (1.0 / pi2 + drift(mu3))
after2(s) = before2(s.pi2, s.mu3) + guess(s.mu2) * (1.0 - guess(s.mu2))
shift2(s, input) = (input - guess(s.mu2)) / after2(s = s)
# Level 3: weight and surprise of level 2's volatility.
weight(pi2, mu3) = drift(mu3) * before2(pi2, mu3)
surprise(s, input) = (1.0 / after2(s = s) + shift2(s, input) ^ 2) * before2(s.pi2, s.mu3) - 1.0
before3(pi3) = 1.0 / (1.0 / pi3 + exp(position.omega3))
gain(w, delta) = 0.5 * w * (w + (2.0 * w - 1.0) * delta)
after3(s, input) = before3(s.pi3) + gain(weight(s.pi2, s.mu3), surprise(s, input))
shift3(s, input) = 0.5 * weight(s.pi2, s.mu3) * surprise(s, input) / after3(s, input)

step(s, input) = record(
    mu2 = s.mu2 + shift2(s, input), pi2 = after2(s = s),
    mu3 = s.mu3 + shift3(s, input), pi3 = after3(s, input),
    guess = guess(s.mu2))
start = record(mu2 = 0, pi2 = 1, mu3 = 1, pi3 = 1, guess = 0.5)
path = scan(step, start, u)
respond(guess) = invlogit(exp(position.log_zeta) * logit(guess))

prior = joint(omega2 = Normal(-3.0, 2.0), omega3 = Normal(-6.0, 2.0), log_zeta = Normal(0.0, 1.0))
log_likelihood = logdensityof(Bernoulli.(respond.(path.guess)), y)

inputs = (position, u, y)
outputs = logdensityof(prior, position) + log_likelihood
"""


class Belief(NamedTuple):
    """State of the filter: means and precisions of levels 2 and 3, and the prediction made before the input."""

    mu2: jax.Array
    pi2: jax.Array
    mu3: jax.Array
    pi3: jax.Array
    guess: jax.Array


def update(omega2: jax.Array, omega3: jax.Array, s: Belief, u: jax.Array) -> Belief:
    v2 = jnp.exp(s.mu3 + omega2)
    p2 = 1.0 / (1.0 / s.pi2 + v2)
    p3 = 1.0 / (1.0 / s.pi3 + jnp.exp(omega3))
    w2 = v2 * p2
    guess = jax.nn.sigmoid(s.mu2)
    pi2 = p2 + guess * (1.0 - guess)
    shift = (u - guess) / pi2
    delta2 = (1.0 / pi2 + shift**2) * p2 - 1.0
    pi3 = p3 + 0.5 * w2 * (w2 + (2.0 * w2 - 1.0) * delta2)
    return Belief(s.mu2 + shift, pi2, s.mu3 + 0.5 * w2 * delta2 / pi3, pi3, guess)


def evidence(omega2: jax.Array, omega3: jax.Array, log_zeta: jax.Array, u: jax.Array) -> jax.Array:
    """Log odds of the responses."""

    def step(s: Belief, x: jax.Array) -> tuple[Belief, jax.Array]:
        new = update(omega2, omega3, s, x)
        return new, new.guess

    start = Belief(*(jnp.asarray(x, omega2.dtype) for x in (0.0, 1.0, 1.0, 1.0, 0.5)))
    guess = jax.lax.scan(step, start, u)[1]
    return jnp.exp(log_zeta) * jax.scipy.special.logit(guess)


def by_hand(position: Position, u: jax.Array, y: jax.Array) -> jax.Array:
    omega2, omega3, log_zeta = position["omega2"], position["omega3"], position["log_zeta"]
    prior = norm.logpdf(omega2, -3.0, 2.0) + norm.logpdf(omega3, -6.0, 2.0) + norm.logpdf(log_zeta)
    eta = evidence(omega2, omega3, log_zeta, u)
    return prior + jnp.sum(y * eta - jnp.logaddexp(0.0, eta))


def model(u: jax.Array, y: jax.Array) -> None:
    omega2 = numpyro.sample("omega2", dist.Normal(-3.0, 2.0))
    omega3 = numpyro.sample("omega3", dist.Normal(-6.0, 2.0))
    log_zeta = numpyro.sample("log_zeta", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.Bernoulli(logits=evidence(omega2, omega3, log_zeta, u)), obs=y)


def case(steps: int = STEPS) -> Case:
    rng = np.random.default_rng(3)
    chance = np.where(np.arange(steps) // 40 % 2 == 0, 0.8, 0.2)
    u, y = (rng.random(steps) < chance for _ in range(2))
    return Case(
        title=f"binary HGF, {steps} steps",
        source=TEMPLATE.format(steps=steps),
        position={"omega2": jnp.float32(-3.0), "omega3": jnp.float32(-6.0), "log_zeta": jnp.float32(0.2)},
        data=(jnp.asarray(u, jnp.int32), jnp.asarray(y, jnp.int32)),
        by_hand=by_hand,
        model=model,
    )
