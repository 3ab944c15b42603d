"""Eight schools, non-centred: the model of the example."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from case import Case, Position
from jax.scipy.stats import cauchy, norm

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "eight_schools"


def by_hand(position: Position, effects: jax.Array, errors: jax.Array) -> jax.Array:
    mu, log_tau, z = position["mu"], position["log_tau"], position["z"]
    tau = jnp.exp(log_tau)
    prior = norm.logpdf(mu, 0.0, 5.0) + cauchy.logpdf(tau, 0.0, 5.0) + jnp.log(2.0) + norm.logpdf(z).sum()
    return prior + norm.logpdf(effects, mu + tau * z, errors).sum() + log_tau


def model(effects: jax.Array, errors: jax.Array) -> None:
    mu = numpyro.sample("mu", dist.Normal(0.0, 5.0))
    tau = numpyro.sample("tau", dist.HalfCauchy(5.0))
    with numpyro.plate("schools", 8):
        z = numpyro.sample("z", dist.Normal(0.0, 1.0))
        numpyro.sample("effects", dist.Normal(mu + tau * z, errors), obs=effects)


def case() -> Case:
    table = np.genfromtxt(EXAMPLE / "data.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    return Case(
        title="eight schools, non-centred",
        source=(EXAMPLE / "model.flatppl").read_text(encoding="utf-8"),
        position={"mu": jnp.float32(4.0), "log_tau": jnp.float32(0.7), "z": jnp.linspace(-1.0, 1.0, 8)},
        data=(jnp.asarray(table["effect"], jnp.float32), jnp.asarray(table["standard_error"], jnp.float32)),
        by_hand=by_hand,
        model=model,
        sites={"log_tau": "tau"},
    )
