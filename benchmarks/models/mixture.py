"""Mixture of five normal components, 10,000 points."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from case import Case, Position
from jax.scipy.special import logsumexp
from jax.scipy.stats import norm

SOURCE = """
y = external(cartpow(reals, 10000))
position = elementof(cartprod(logits = cartpow(reals, 5), means = cartpow(reals, 5), log_scales = cartpow(reals, 5)))

five(sigma) = iid(Normal(0.0, sigma), 5)
prior = joint(logits = five(1.0), means = five(5.0), log_scales = five(1.0))
part(w, m, s, k) = weighted(w[k], Normal(m[k], s[k]))
mix(w, m, s) = superpose(part(w, m, s, 1), part(w, m, s, 2), part(w, m, s, 3), part(w, m, s, 4), part(w, m, s, 5))
observe(logits, means, log_scales) = iid(normalize(mix(softmax(logits), means, exp.(log_scales))), 10000)
posterior = bayesupdate(likelihoodof(observe, y), prior)

inputs = (position, y)
outputs = logdensityof(posterior, position)
"""


def by_hand(position: Position, y: jax.Array) -> jax.Array:
    logits, means, log_scales = position["logits"], position["means"], position["log_scales"]
    prior = norm.logpdf(logits).sum() + norm.logpdf(means, 0.0, 5.0).sum() + norm.logpdf(log_scales).sum()
    parts = jax.nn.log_softmax(logits) + norm.logpdf(y[:, None], means, jnp.exp(log_scales))
    return prior + logsumexp(parts, axis=1).sum()


def model(y: jax.Array) -> None:
    logits = numpyro.sample("logits", dist.Normal(0.0, 1.0).expand([5]).to_event(1))
    means = numpyro.sample("means", dist.Normal(0.0, 5.0).expand([5]).to_event(1))
    log_scales = numpyro.sample("log_scales", dist.Normal(0.0, 1.0).expand([5]).to_event(1))
    parts = dist.Normal(means, jnp.exp(log_scales))
    with numpyro.plate("points", 10_000):
        numpyro.sample("y", dist.MixtureSameFamily(dist.Categorical(logits=logits), parts), obs=y)


def case() -> Case:
    rng = np.random.default_rng(2)
    centres = np.array([-4.0, -1.5, 0.0, 2.0, 5.0])
    which = rng.choice(5, size=10_000, p=[0.1, 0.2, 0.3, 0.25, 0.15])
    y = centres[which] + rng.normal(size=10_000) * np.array([0.5, 0.7, 0.4, 0.6, 1.0])[which]
    return Case(
        title="five-component mixture, 10,000 points",
        source=SOURCE,
        position={
            "logits": jnp.asarray([-0.4, 0.1, 0.5, 0.3, -0.2], jnp.float32),
            "means": jnp.asarray(centres + 0.1, jnp.float32),
            "log_scales": jnp.asarray([-0.6, -0.4, -0.8, -0.5, 0.1], jnp.float32),
        },
        data=(jnp.asarray(y, jnp.float32),),
        by_hand=by_hand,
        model=model,
    )
