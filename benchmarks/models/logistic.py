"""Logistic regression, 10,000 rows and 20 columns."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from case import Case, Position
from jax.scipy.stats import norm

SOURCE = """
X = external(cartpow(reals, [10000, 20]))
y = external(cartpow(integers, 10000))
position = elementof(cartprod(alpha = reals, beta = cartpow(reals, 20)))

prior = joint(alpha = Normal(0.0, 5.0), beta = iid(Normal(0.0, 2.5), 20))
observe(alpha, beta) = Bernoulli.(invlogit.(alpha .+ X * beta))
posterior = bayesupdate(likelihoodof(observe, y), prior)

inputs = (position, X, y)
outputs = logdensityof(posterior, position)
"""


def by_hand(position: Position, x: jax.Array, y: jax.Array) -> jax.Array:
    alpha, beta = position["alpha"], position["beta"]
    prior = norm.logpdf(alpha, 0.0, 5.0) + norm.logpdf(beta, 0.0, 2.5).sum()
    eta = alpha + x @ beta
    return prior + jnp.sum(y * eta - jnp.logaddexp(0.0, eta))


def model(x: jax.Array, y: jax.Array) -> None:
    alpha = numpyro.sample("alpha", dist.Normal(0.0, 5.0))
    beta = numpyro.sample("beta", dist.Normal(0.0, 2.5).expand([20]).to_event(1))
    numpyro.sample("y", dist.Bernoulli(logits=alpha + x @ beta), obs=y)


def case() -> Case:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(10_000, 20))
    slopes = rng.normal(size=20) * 0.5
    y = rng.random(10_000) < 1.0 / (1.0 + np.exp(-0.3 - x @ slopes))
    return Case(
        title="logistic regression, 10,000 x 20",
        source=SOURCE,
        position={"alpha": jnp.float32(0.25), "beta": jnp.asarray(slopes * 0.9, jnp.float32)},
        data=(jnp.asarray(x, jnp.float32), jnp.asarray(y, jnp.int32)),
        by_hand=by_hand,
        model=model,
    )
