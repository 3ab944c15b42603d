"""JAX's primitives for :class:`probly.array_ops.ArrayOps`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
from jax.experimental import checkify

from probly.array_ops import ArrayOps, from_namespace
from probly.errors import InvalidValueError

__all__ = ["JAX"]

Array = Any

_KINDS = {"bool": jnp.bool_, "integer": jnp.integer, "floating": jnp.floating, "complex": jnp.complexfloating}
_finfo: Any = jnp.finfo  # has no type


def kind(a: Array) -> str:
    """Kind of dtype; the small floats and integers of ml_dtypes included, keys are "other"."""
    dtype = jnp.result_type(a) if not hasattr(a, "dtype") else a.dtype
    return next((name for name, family in _KINDS.items() if jnp.issubdtype(dtype, family)), "other")


def is_concrete(a: Array) -> bool:
    """Whether the numbers of an array, and of what is computed from it, can be read now.

    Inside ``jit`` an array from outside is no tracer, but whatever is computed from it is one.
    """
    return not isinstance(a, jax.core.Tracer) and not isinstance(jnp.positive(np.int32(0)), jax.core.Tracer)


def check(predicate: Array, message: str) -> None:
    """Raise unless all of a predicate holds; functionalized by ``checkify`` in compiled code (V-1)."""
    checkify.check(jnp.all(predicate), message)


def to_numpy(a: Array) -> np.ndarray:
    """Return the numbers on the host; TypeError inside ``jit`` and ``vmap``, where there are none."""
    return np.asarray(jax.lax.stop_gradient(a) if isinstance(a, jax.Array) else a)


def to_floating(a: Array) -> Array:
    """Integers and booleans in the default floating dtype."""
    a = jnp.asarray(a)
    return a.astype(jnp.result_type(float)) if kind(a) in ("bool", "integer") else a


def smallest_normal(a: Array) -> float:
    """Smallest positive normal number of a floating dtype."""
    return float(_finfo(a.dtype).smallest_normal)


def full(shape: tuple[int, ...], value: float, like: Array) -> Array:
    """An array of one number in the dtype of ``like``."""
    return jnp.full(shape, value, dtype=like.dtype)


def index(a: Array, key: Any) -> Array:
    """``a[key]``."""
    return jnp.asarray(a)[key]


def assign(a: Array, key: Any, value: Array) -> None:
    """Refuse: JAX arrays are immutable."""
    raise TypeError("JAX arrays are immutable: x.at[index].set(value) gives a new object")


@jax.jit
def vecdot(x1: Array, x2: Array) -> Array:
    """Sum of products over the last axis; compiled, so that the products are not stored.

    The choice, which only NaN could decide otherwise, keeps XLA's processor backend from taking the sum for a matrix
    product: with a broadcast first operand and an operation on the result it computes that wrongly (jaxlib 0.10.2).
    """
    return jnp.sum(jnp.where(x1 == x1, x1 * x2, jnp.nan), axis=-1)


@functools.cache
def _compiled(kernel: Callable[..., Array]) -> Callable[..., Array]:
    return jax.jit(kernel, static_argnums=0)


def generators(rng: object, count: int, like: Array) -> tuple[Array, ...]:
    """Independent keys from a key, or from the operating system (V-11)."""
    if rng is None:
        if not is_concrete(like):
            raise InvalidValueError("sampling needs a key while tracing: one drawn now would be frozen into the code")
        seed, more = np.frombuffer(os.urandom(8), dtype=np.uint32)
        rng = jax.random.fold_in(jax.random.key(int(seed)), more)
    key = _one_key(rng)
    return tuple(jax.random.split(key, count)) if count > 1 else (key,)


def uniform(generator: Array, shape: tuple[int, ...], like: Array) -> Array:
    """Draws from [0, 1) in the dtype of ``like``."""
    return jax.random.uniform(generator, shape, like.dtype)


def normal(generator: Array, shape: tuple[int, ...], like: Array) -> Array:
    """Standard normal draws in the dtype of ``like``."""
    return jax.random.normal(generator, shape, like.dtype)


def gamma(generator: Array, shape: tuple[int, ...], alphas: Array) -> Array:
    """Gamma draws of rate 1 in the dtype of ``alphas``."""
    return jax.random.gamma(generator, alphas, shape, alphas.dtype)


def categorical(generator: Array, num: int, logits: Array) -> Array:
    """Class ids by the Gumbel trick, in float32 or wider; a logit of -inf never wins."""
    wide = logits.astype(jnp.promote_types(logits.dtype, jnp.float32))
    return jax.random.categorical(generator, wide, axis=-1, shape=(num, *logits.shape[:-1]))


def _one_key(value: object) -> jax.Array:
    """Return a key, typed or in raw words, if it is one."""
    if isinstance(value, jax.Array):
        typed = jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
        if (typed and value.ndim == 0) or (value.ndim == 1 and value.dtype == jnp.uint32):
            return value
    raise TypeError(f"rng is {type(value).__name__}; give one JAX key, as from jax.random.key(seed)")


JAX: ArrayOps = from_namespace(
    "jax",
    jnp,
    is_array=lambda value: isinstance(value, jax.Array),
    kind=kind,
    is_concrete=is_concrete,
    check=check,
    to_numpy=to_numpy,
    device=lambda a: getattr(a, "device", None),  # a tracer has none
    to_floating=to_floating,
    smallest_normal=smallest_normal,
    full=full,
    arange=lambda n, like: jnp.arange(n),
    astype=lambda a, dtype: jnp.asarray(a).astype(dtype),
    detach=jax.lax.stop_gradient,
    index=index,
    assign=assign,
    digamma=jax.scipy.special.digamma,
    gammaln=jax.scipy.special.gammaln,
    ndtri=jax.scipy.special.ndtri,
    vecdot=vecdot,
    rowwise=lambda kernel, ops, *arrays: _compiled(kernel)(ops, *arrays),
    generators=generators,
    uniform=uniform,
    normal=normal,
    gamma=gamma,
    categorical=categorical,
)
