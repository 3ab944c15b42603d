"""Mixture of twenty bivariate normal components, 10,000 points."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from case import Case, Position
from jax.scipy.special import logsumexp
from jax.scipy.stats import multivariate_normal, norm

TEMPLATE = """
y = external(cartpow(cartpow(reals, 2), {points}))
position = elementof(cartprod(
    logits = cartpow(reals, 20), means = cartpow(reals, [20, 2]), log_scales = cartpow(reals, [20, 2]),
    slopes = cartpow(reals, 20)))

twenty(sigma) = iid(Normal(0.0, sigma), 20)
pairs(sigma) = iid(Normal(0.0, sigma), [20, 2])
prior = joint(logits = twenty(1.0), means = pairs(5.0), log_scales = pairs(1.0), slopes = twenty(1.0))

cov(s, t) = rowstack([[s[1] * s[1], t * s[1] * s[2]], [t * s[1] * s[2], s[2] * s[2]]])
part(m, s, t) = MvNormal(m, cov(exp.(s), tanh(t)))
mix = normalize(ksuperpose(part, softmax(position.logits))(
    m = position.means, s = position.log_scales, t = position.slopes))

inputs = (position, y)
outputs = logdensityof(prior, position) + logdensityof(iid(mix, {points}), y)
"""


def by_hand(position: Position, y: jax.Array) -> jax.Array:
    logits, means, log_scales, slopes = (position[k] for k in ("logits", "means", "log_scales", "slopes"))
    prior = norm.logpdf(logits).sum() + norm.logpdf(means, 0.0, 5.0).sum() + norm.logpdf(log_scales).sum()
    prior += norm.logpdf(slopes).sum()
    scales = jnp.exp(log_scales)
    off = jnp.tanh(slopes) * scales[:, 0] * scales[:, 1]
    cov = jnp.stack([jnp.stack([scales[:, 0] ** 2, off], -1), jnp.stack([off, scales[:, 1] ** 2], -1)], -2)
    parts = jax.vmap(multivariate_normal.logpdf, (None, 0, 0), 1)(y, means, cov)
    return prior + logsumexp(jax.nn.log_softmax(logits) + parts, axis=1).sum()


def case(points: int = 10_000) -> Case:
    rng = np.random.default_rng(5)
    centres = rng.normal(size=(20, 2)) * 5.0
    y = centres[rng.integers(20, size=points)] + rng.normal(size=(points, 2)) * [0.7, 1.1]
    return Case(
        title=f"20-component mixture in two dimensions, {points:,} points",
        source=TEMPLATE.format(points=points),
        position={
            "logits": jnp.asarray(0.3 * rng.normal(size=20), jnp.float32),
            "means": jnp.asarray(centres + 0.1, jnp.float32),
            "log_scales": jnp.asarray(0.2 * rng.normal(size=(20, 2)), jnp.float32),
            "slopes": jnp.asarray(0.3 * rng.normal(size=20), jnp.float32),
        },
        data=(jnp.asarray(y, jnp.float32),),
        by_hand=by_hand,
    )
