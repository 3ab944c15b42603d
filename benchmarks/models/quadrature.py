"""Marginal of a Poisson count with a lognormal rate by quadrature, 1,000 lanes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import quadax
from case import Case, Position
from jax.scipy.special import gammaln

from flatppl import Integration

TEMPLATE = """
n = external(cartpow(nonnegintegers, {lanes}))
position = elementof(cartprod(means = cartpow(reals, {lanes}), log_scale = reals))

count(m, s) = kchain(Normal(m, s), z -> Poisson(exp(z)))

inputs = (position, n)
outputs = logdensityof(count.(position.means, exp(position.log_scale)), n)
"""


def by_hand(position: Position, n: jax.Array) -> jax.Array:
    means, scale = position["means"], jnp.exp(position["log_scale"])

    def lane(m: jax.Array, k: jax.Array) -> jax.Array:
        def density(z: jax.Array, m: jax.Array, scale: jax.Array) -> jax.Array:
            prior = -0.5 * ((z - m) / scale) ** 2 - jnp.log(scale) - 0.5 * jnp.log(2.0 * jnp.pi)
            return jnp.exp(prior + k * z - jnp.exp(z) - gammaln(k + 1.0))

        ends = jnp.array([-jnp.inf, jnp.inf])
        value, _ = quadax.quadgk(density, ends, (m, scale), epsrel=1e-5, epsabs=0.0, max_ninter=128, order=15)
        return jnp.log(value)

    return jax.vmap(lane)(means, n.astype(jnp.float32)).sum()


def case(lanes: int = 1_000) -> Case:
    rng = np.random.default_rng(9)
    means = rng.uniform(0.5, 2.5, size=lanes)
    n = rng.poisson(np.exp(means + 0.4 * rng.normal(size=lanes)))
    return Case(
        title=f"marginal by quadrature, {lanes:,} lanes",
        source=TEMPLATE.format(lanes=lanes),
        position={"means": jnp.asarray(means, jnp.float32), "log_scale": jnp.float32(-0.8)},
        data=(jnp.asarray(n, jnp.int32),),
        by_hand=by_hand,
        options={"integration": Integration()},
    )
