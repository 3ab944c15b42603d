"""What loops with a number of steps of their own share."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.custom_batching import custom_vmap

__all__ = ["any_lane", "log_total"]


@custom_vmap
def any_lane(flag: Any) -> Any:
    """The flag itself; under ``vmap`` one flag for all lanes, so that loops and branches stay such."""
    return flag


@any_lane.def_vmap
def any_lane_batched(size: int, batched: Any, flag: Any) -> tuple[Any, bool]:
    return any_lane(jnp.any(flag, axis=0)), False


def log_total(logs: Any) -> Any:
    """Log of a sum of exponentials."""
    top = jnp.max(logs)
    shift = jnp.where(jnp.isfinite(top), top, jnp.zeros_like(top))
    return jnp.log(jnp.sum(jnp.exp(logs - shift))) + shift
