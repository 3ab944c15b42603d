"""Gaussian process regression with a squared-exponential kernel, 50 points."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from case import Case, Position
from jax.scipy.linalg import solve_triangular
from jax.scipy.stats import norm

SOURCE = """
x = external(cartpow(reals, 50))
y = external(cartpow(reals, 50))
position = elementof(cartprod(log_amplitude = reals, log_length = reals, log_noise = reals))

amplitude = exp(2.0 * position.log_amplitude)
length2 = exp(2.0 * position.log_length)
noise = exp(2.0 * position.log_noise)
distance = addaxes(x, 0, 1) .- addaxes(x, 1, 0)
covariance = (d -> amplitude * exp(-0.5 * d * d / length2)).(distance) + noise * eye(50)

prior = joint(log_amplitude = Normal(0.0, 1.0), log_length = Normal(0.0, 1.0), log_noise = Normal(-1.0, 1.0))
log_likelihood = logdensityof(MvNormal(zeros(50), covariance), y)

inputs = (position, x, y)
outputs = logdensityof(prior, position) + log_likelihood
"""


def covariance(log_amplitude: jax.Array, log_length: jax.Array, log_noise: jax.Array, x: jax.Array) -> jax.Array:
    distance = x[:, None] - x[None, :]
    smooth = jnp.exp(2.0 * log_amplitude - 0.5 * distance**2 * jnp.exp(-2.0 * log_length))
    return smooth + jnp.exp(2.0 * log_noise) * jnp.eye(50)


def by_hand(position: Position, x: jax.Array, y: jax.Array) -> jax.Array:
    log_amplitude, log_length, log_noise = (position[k] for k in ("log_amplitude", "log_length", "log_noise"))
    prior = norm.logpdf(log_amplitude) + norm.logpdf(log_length) + norm.logpdf(log_noise, -1.0)
    factor = jnp.linalg.cholesky(covariance(log_amplitude, log_length, log_noise, x))
    whitened = solve_triangular(factor, y, lower=True)
    log_norm = jnp.log(jnp.diagonal(factor)).sum() + 25.0 * jnp.log(2.0 * jnp.pi)
    return prior - 0.5 * whitened @ whitened - log_norm


def model(x: jax.Array, y: jax.Array) -> None:
    log_amplitude = numpyro.sample("log_amplitude", dist.Normal(0.0, 1.0))
    log_length = numpyro.sample("log_length", dist.Normal(0.0, 1.0))
    log_noise = numpyro.sample("log_noise", dist.Normal(-1.0, 1.0))
    matrix = covariance(log_amplitude, log_length, log_noise, x)
    numpyro.sample("y", dist.MultivariateNormal(jnp.zeros(50), covariance_matrix=matrix), obs=y)


def case() -> Case:
    rng = np.random.default_rng(4)
    x = np.sort(rng.uniform(-3.0, 3.0, size=50))
    y = np.sin(1.5 * x) + 0.2 * rng.normal(size=50)
    return Case(
        title="Gaussian process, 50 points",
        source=SOURCE,
        position={"log_amplitude": jnp.float32(0.1), "log_length": jnp.float32(-0.2), "log_noise": jnp.float32(-1.2)},
        data=(jnp.asarray(x, jnp.float32), jnp.asarray(y, jnp.float32)),
        by_hand=by_hand,
        model=model,
    )
