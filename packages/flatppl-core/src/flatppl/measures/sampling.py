"""Sampling: ``rnginit``, ``rngstate``, ``rand``, ``builtin_sample``, and the stream that samplers draw from."""

from __future__ import annotations

from typing import Any

import numpy as np

from flatppl.distribution import Distribution
from flatppl.errors import refuse
from flatppl.measures.base import NORMALIZED, MeasureOperation, require_measure
from flatppl.measures.product import Iid
from flatppl.random_state import TAG
from flatppl.tensor.guards import guard_value
from flatppl.tensor.ops import all_, cut, equal, stack
from flatppl.tensor.program import Builder, Node
from flatppl.values.callables import fixed_integer
from flatppl.values.forms import Record, Tensor, Tuple, describe

__all__ = ["OPERATIONS", "Stream"]


class Stream:
    """A random state that hands out one state per draw node.

    Parameters
    ----------
    state : Node
        Scalar of kind ``rngstate``.
    """

    def __init__(self, state: Node) -> None:
        self._state = state
        self._count = 0

    @property
    def builder(self) -> Builder:
        """Builder of the program."""
        return self._state.builder

    def next(self) -> Node:
        """A state for one draw node."""
        state = self.rest()
        self._count += 1
        return state

    def rest(self) -> Node:
        """The state after all draws so far."""
        if not self._count:
            return self._state
        return self.builder.apply("random_advance", self._state, by=self._count)


def _state(value: Any) -> bool:
    return isinstance(value, Tensor) and value.kind == "rngstate"


def _rand(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 2:
        refuse("call", "rand(state, M) takes a random state and a measure by position")
    state, target = args if _state(args[0]) else args[::-1]
    if not _state(state):
        refuse("kind", f"rand needs a random state from rnginit(seed), got {describe(state)}")
    measure = require_measure(target, "rand")
    if measure.mass_class != NORMALIZED:
        refuse("mass", f"rand needs a probability measure; the mass is {measure.mass_class}; write normalize(...)")
    stream = Stream(state.node)
    value = yield evaluator.sample(measure, stream)
    return Tuple((value, Tensor(stream.rest())))


def _builtin_sample(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) < 3:
        refuse("call", "builtin_sample(state, kernel, input, n, ...) takes positional inputs")
    state, kernel, given, *sizes = args
    measure = yield applied_row(evaluator, kernel, given, "builtin_sample")
    axes = tuple(fixed_integer(size, "builtin_sample: size") for size in sizes)
    return (yield _rand(evaluator, (state, Iid(measure, axes) if axes else measure), {}))


def applied_row(evaluator: Any, kernel: Any, given: Any, name: str) -> Any:
    """Task: a constructor applied to its input record (or to the single value of a one-parameter kernel)."""
    if not isinstance(kernel, (Distribution, MeasureOperation)):
        refuse("kind", f"{name} needs a constructor such as Normal, got {describe(kernel)}")
    if isinstance(given, Record):
        measure = yield evaluator.apply(kernel, [], given.fields)
    else:
        measure = yield evaluator.apply(kernel, [given], {})
    return require_measure(measure, name)


def _rnginit(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Tensor:
    values = [*args, *keywords.values()]
    if len(values) != 1 or set(keywords) - {"rngseed"}:
        refuse("call", "rnginit(rngseed) takes one seed")
    (seed,) = values
    if not isinstance(seed, Tensor) or seed.kind != "integer" or seed.levels not in ((), (1,)):
        refuse("kind", f"a seed is a non-negative integer or a vector of bytes, got {describe(seed)}")
    node = _bytes_of(seed.node) if not seed.levels else _checked_bytes(seed.node)
    return Tensor(evaluator.builder.apply("random_seed", node))


def _rngstate(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Tensor:
    values = [*args, *keywords.values()]
    if len(values) != 1 or set(keywords) - {"bytes"}:
        refuse("call", "rngstate(bytes) takes one serialized state")
    (given,) = values
    size = len(TAG) + 16
    if not isinstance(given, Tensor) or given.kind != "integer" or given.node.shape != (size,):
        refuse(
            "kind", f"a serialized state is a vector of {size} bytes from flatppl.rngstate_bytes, got {describe(given)}"
        )
    node = given.node
    head, words = cut(node, 0, len(TAG)), cut(node, len(TAG), size)
    ours = all_(equal(head, evaluator.builder.constant(list(TAG)))) & all_((words >= 0) & (words <= 255))
    checked = guard_value(words, ours, "rngstate: these bytes are no state of this engine")
    return Tensor(evaluator.builder.apply("random_restore", checked))


def _bytes_of(seed: Node) -> Node:
    """Eight bytes, least significant first."""
    builder = seed.builder
    if seed.constant is not None and int(seed.constant) >= 0:
        return builder.constant(np.frombuffer(int(seed.constant).to_bytes(8, "little"), np.uint8).astype(np.int64))
    positive = guard_value(seed, seed >= 0, "rnginit: a seed must be non-negative")
    parts, rest, base = [], positive, builder.constant(256)
    for _ in range(8):
        parts.append(builder.apply("mod", rest, base))
        rest = builder.apply("floordiv", rest, base)
    return stack(*parts)


def _checked_bytes(seed: Node) -> Node:
    if not seed.shape[0]:
        refuse("domain", "rnginit: a seed must not be empty")
    return guard_value(seed, all_((seed >= 0) & (seed <= 255)), "rnginit: bytes must lie in 0 to 255")


OPERATIONS = (
    MeasureOperation("rand", _rand),
    MeasureOperation("rnginit", _rnginit),
    MeasureOperation("rngstate", _rngstate),
    MeasureOperation("builtin_sample", _builtin_sample),
)
