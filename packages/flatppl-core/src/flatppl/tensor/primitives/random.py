"""Counter-based random numbers: a pure function of a state, a stream number and parameters.

Each backend has its own generator; equal arguments give equal numbers on one backend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Primitive

__all__ = ["PRIMITIVES"]


def _generator(state: Any, stream: int) -> np.random.Generator:
    key, counter = (int(word) for word in state)
    return np.random.Generator(np.random.Philox(key=[key, stream], counter=[0, 0, counter, 0]))


def _sampler(name: str, kind: str, draw: Callable[..., Any]) -> Primitive:
    def abstract(state: Aval, *parameters: Aval, shape: tuple[int, ...], stream: int) -> Aval:
        if state.kind != "rngstate":
            refuse("kind", f"{name} needs a random state, got {state.kind}")
        return Aval(kind, shape)

    def evaluate(state: Any, *parameters: Any, shape: tuple[int, ...], stream: int) -> Any:
        return np.asarray(draw(_generator(state, stream), shape, *parameters))

    return Primitive(name, abstract, evaluate)


def _state(state: Aval, **_: Any) -> Aval:
    if state.kind != "rngstate" or state.shape:
        refuse("kind", f"expected a random state, got {state}")
    return state


def _split_aval(state: Aval, axes: tuple[int, ...]) -> Aval:
    return Aval(_state(state).kind, axes)


def _split(state: Any, axes: tuple[int, ...]) -> Any:
    count = int(np.prod(axes, dtype=np.int64))
    keys = _generator(state, 0).integers(0, 2**64, count, np.uint64)
    return np.stack([keys, np.zeros(count, np.uint64)], -1).reshape((*axes, 2))


def _seed_aval(seed: Aval) -> Aval:
    if seed.kind != "integer" or len(seed.shape) != 1 or not seed.shape[0]:
        refuse("kind", f"a seed is a non-empty vector of bytes, got {seed}")
    return Aval("rngstate")


def _seed(seed: Any) -> Any:
    word = 0xCBF29CE484222325
    for byte in seed:
        word = (word ^ int(byte)) * 0x100000001B3 % 2**64
    return np.asarray([word, 0], np.uint64)


def _restore_aval(words: Aval) -> Aval:
    if words.kind != "integer" or words.shape != (16,):
        refuse("kind", f"a random state is made of 16 bytes, got {words}")
    return Aval("rngstate")


def _restore(words: Any) -> Any:
    return np.frombuffer(words.astype(np.uint8).tobytes(), "<u8").astype(np.uint64)


PRIMITIVES = (
    # random_advance(state, by): the same key with the counter moved on.
    Primitive("random_advance", _state, lambda state, by: state + np.asarray([0, by], np.uint64)),
    # random_split(state, axes): one independent state per cell.
    Primitive("random_split", _split_aval, _split),
    # random_seed(bytes): FNV-1a of the bytes as key, counter zero; equal bytes give equal states.
    Primitive("random_seed", _seed_aval, _seed),
    # random_restore(bytes): key and counter, eight bytes each, the least significant first.
    Primitive("random_restore", _restore_aval, _restore),
    # Uniform on the open unit interval.
    _sampler("random_uniform", "real", lambda g, shape: g.uniform(np.finfo(np.float64).tiny, 1.0, shape)),
    _sampler("random_normal", "real", lambda g, shape: g.standard_normal(shape)),
    # Gamma(a, 1); the logarithm stays finite where the value underflows.
    _sampler(
        "random_loggamma",
        "real",
        lambda g, shape, a: np.log(g.standard_gamma(a + 1.0, shape)) + np.log(g.uniform(1e-300, 1.0, shape)) / a,
    ),
    _sampler("random_poisson", "integer", lambda g, shape, rate: g.poisson(rate, shape)),
    _sampler("random_binomial", "integer", lambda g, shape, n, p: g.binomial(np.rint(n).astype(np.int64), p, shape)),
)
