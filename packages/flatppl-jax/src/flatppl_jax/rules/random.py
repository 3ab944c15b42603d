"""Counter-based random numbers: Threefry on (state, stream)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import jax
import numpy as np
from jax import lax

from flatppl_jax.context import Context

__all__ = ["RULES"]


def _key(state: Any, stream: int) -> Any:
    """JAX key of a ``uint64[2]`` state and a stream number."""
    low = lax.convert_element_type(state, np.uint32)
    high = lax.convert_element_type(lax.shift_right_logical(state, lax.full_like(state, 32)), np.uint32)
    first = lax.concatenate([lax.slice(high, (0,), (1,)), lax.slice(low, (0,), (1,))], 0)
    key = jax.random.wrap_key_data(first, impl="threefry2x32")
    for word in (high, low):
        key = jax.random.fold_in(key, lax.squeeze(lax.slice(word, (1,), (2,)), (0,)))
    return jax.random.fold_in(key, np.uint32(stream))


def _spread(x: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A parameter as reals of the drawn shape (its axes are the trailing ones)."""
    x = lax.convert_element_type(x, dtype)
    return lax.broadcast_in_dim(x, shape, tuple(range(len(shape) - x.ndim, len(shape))))


def _narrow(context: Context) -> AbstractContextManager[Any]:
    """JAX's samplers compute in part with default types: keep those out of a float32 program while x64 is on."""
    return jax.enable_x64(context.real == np.float64)


def _uniform(context: Context, state: Any, shape: tuple[int, ...], stream: int) -> Any:
    tiny, key = np.finfo(context.real).tiny, _key(state, stream)
    with _narrow(context):
        return jax.random.uniform(key, shape, context.real, minval=tiny)


def _normal(context: Context, state: Any, shape: tuple[int, ...], stream: int) -> Any:
    key = _key(state, stream)
    with _narrow(context):
        return jax.random.normal(key, shape, context.real)


def _loggamma(context: Context, state: Any, a: Any, shape: tuple[int, ...], stream: int) -> Any:
    key, shapes = _key(state, stream), _spread(a, shape, context.real)
    with _narrow(context):
        return jax.random.loggamma(key, shapes, shape, context.real)


def _poisson(context: Context, state: Any, rate: Any, shape: tuple[int, ...], stream: int) -> Any:
    key, rate = _key(state, stream), _spread(rate, shape, context.real)
    with _narrow(context):
        return jax.random.poisson(key, rate, shape, context.dtypes["integer"])


def _binomial(context: Context, state: Any, n: Any, p: Any, shape: tuple[int, ...], stream: int) -> Any:
    key, count, chance = _key(state, stream), _spread(n, shape, context.real), _spread(p, shape, context.real)
    with _narrow(context):
        draws = jax.random.binomial(key, count, chance, shape, context.real)
    return lax.convert_element_type(draws, context.dtypes["integer"])


def _advance(context: Context, state: Any, by: int) -> Any:
    """The same key with the counter moved on."""
    return lax.add(state, np.asarray([0, by], np.uint64))


def _split(context: Context, state: Any, axes: tuple[int, ...]) -> Any:
    """One independent state per cell: keys are random bits of this state."""
    count = int(np.prod(axes, dtype=np.int64))
    words = jax.random.bits(_key(state, 0), (count,), np.uint64)
    keys = lax.reshape(words, (count, 1))
    return lax.reshape(lax.concatenate([keys, lax.full_like(keys, 0)], 1), (*axes, 2))


def _seed(context: Context, seed: Any) -> Any:
    """FNV-1a of the bytes, then counter zero."""
    word = lax.convert_element_type(np.uint64(_FNV_OFFSET), np.uint64)
    for index in range(seed.shape[0]):
        byte = lax.convert_element_type(lax.index_in_dim(seed, index, keepdims=False), np.uint64)
        word = lax.mul(lax.bitwise_xor(word, byte), np.uint64(_FNV_PRIME))
    return lax.concatenate([lax.reshape(word, (1,)), np.zeros(1, np.uint64)], 0)


def _restore(context: Context, words: Any) -> Any:
    """Key and counter from eight bytes each, the least significant first."""
    parts = lax.convert_element_type(lax.reshape(words, (2, 8)), np.uint64)
    places = lax.broadcast_in_dim(np.arange(0, 64, 8, dtype=np.uint64), (2, 8), (1,))
    return lax.reduce_sum(lax.shift_left(parts, places), (1,))


_FNV_OFFSET, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3

RULES = {
    "random_advance": _advance,
    "random_split": _split,
    "random_seed": _seed,
    "random_restore": _restore,
    "random_uniform": _uniform,
    "random_normal": _normal,
    "random_loggamma": _loggamma,
    "random_poisson": _poisson,
    "random_binomial": _binomial,
}
