"""Time, memory and program size of one case in its three versions."""

from __future__ import annotations

import functools
import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from case import Case

from flatppl import flatppl

__all__ = [
    "CLOCKS",
    "PHASES",
    "VERSIONS",
    "Outcome",
    "check_agreement",
    "measure",
    "phase_medians",
    "program_size",
    "ratio",
    "use_clock",
    "versions_of",
]

VERSIONS = ("FlatPPL", "JAX", "NumPyro")
PHASES = ("parse", "elaborate", "trace", "lower", "XLA", "run")

#: Repetitions of one function in one round take about this long.
ROUND_SECONDS = 0.02

Function = Callable[..., Any]

#: Seconds on the wall; seconds of the processor where other work shares the machine.
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
_clock = CLOCKS["wall"]


def use_clock(name: str) -> None:
    """Measure by another clock from now on."""
    global _clock
    _clock = CLOCKS[name]


@dataclass
class Outcome:
    """Seconds of every round by version; bytes by version."""

    first: dict[str, list[dict[str, float]]] = field(default_factory=lambda: {name: [] for name in VERSIONS})
    running: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in VERSIONS})
    memory: dict[str, int] = field(default_factory=dict)

    def first_calls(self, version: str) -> np.ndarray:
        """Seconds from text to first gradient, by round."""
        return np.array([sum(phases.values()) for phases in self.first[version]])


def measure(case: Case, rounds: int) -> Outcome:
    """Interleaved rounds: in each, every version starts from nothing once, and runs many times.

    The versions take turns at being first, so that no one of them always meets a warm or a busy machine.
    """
    versions = versions_of(case)
    outcome = Outcome()
    compiled = {name: _compile(case, name, {}) for name in versions}
    check_agreement(case, {name: run(case.position, *case.data) for name, run in compiled.items()})
    outcome.memory = {name: _bytes(run) for name, run in compiled.items()}
    repetitions = _repetitions(case, compiled["JAX"])
    for number in range(rounds):
        first = number % len(versions)
        order = versions[first:] + versions[:first]
        for name in order:
            outcome.running[name].append(_running(case, compiled[name], repetitions))
        for name in order:
            outcome.first[name].append(_first_call(case, name))
    return outcome


def versions_of(case: Case) -> tuple[str, ...]:
    """The versions in which a case is written."""
    return VERSIONS if case.model is not None else VERSIONS[:2]


def _density(case: Case, version: str, phases: dict[str, float]) -> Function:
    """The log density of a version, anew; FlatPPL's from its text."""
    if version == "FlatPPL":
        with _timed(phases, "parse"):
            module = flatppl(case.source)
        with _timed(phases, "elaborate"):
            return module.compile(**case.options)
    written = case.by_hand if version == "JAX" else case.numpyro
    return lambda *args: written(*args)


def _compile(case: Case, version: str, phases: dict[str, float]) -> Function:
    """Value and gradient by the position, compiled ahead of time so that every phase can be timed."""
    density = _density(case, version, phases)
    with _timed(phases, "trace"):
        traced = jax.jit(jax.value_and_grad(density)).trace(case.position, *case.data)
    with _timed(phases, "lower"):
        lowered = traced.lower()
    with _timed(phases, "XLA"):
        return lowered.compile()


def _first_call(case: Case, version: str) -> dict[str, float]:
    """Seconds of each phase up to the first gradient, as in a process that has imported everything and done nothing."""
    _forget()
    phases: dict[str, float] = {}
    run = _compile(case, version, phases)
    with _timed(phases, "run"):
        jax.block_until_ready(run(case.position, *case.data))
    return phases


def _running(case: Case, run: Function, repetitions: int) -> float:
    """Seconds of one evaluation, the best of five blocks: noise only ever adds."""
    return min(_block(case, run, max(1, repetitions // 5)) for _ in range(5))


def _block(case: Case, run: Function, repetitions: int) -> float:
    position, data = case.position, case.data
    began = _clock()
    for _ in range(repetitions):
        jax.block_until_ready(run(position, *data))
    return (_clock() - began) / repetitions


def _repetitions(case: Case, run: Function) -> int:
    return int(min(5_000, max(5, ROUND_SECONDS / _block(case, run, 10))))


def _forget() -> None:
    """Empty JAX's caches and every cache of FlatPPL, the parser's table and the plugins included."""
    jax.clear_caches()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("flatppl", "flatppl_jax", "flatppl_distributions"):
            for value in list(vars(module).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()
    gc.collect()


@contextmanager
def _timed(phases: dict[str, float], phase: str) -> Iterator[None]:
    """Note the seconds that the block takes."""
    began = _clock()
    yield
    phases[phase] = _clock() - began


def _bytes(run: Any) -> int:
    found = run.memory_analysis()
    return found.temp_size_in_bytes + found.argument_size_in_bytes + found.output_size_in_bytes


def check_agreement(case: Case, results: dict[str, Any]) -> None:
    """Values and gradients of all versions are equal up to float32.

    Raises
    ------
    AssertionError
        Two versions differ.
    """
    value, gradient = results["JAX"]
    size = max(float(np.abs(leaf).max()) for leaf in jax.tree.leaves(gradient))
    for name, (other_value, other_gradient) in results.items():
        where = f"{case.title}, {name} and JAX"
        np.testing.assert_allclose(other_value, value, rtol=1e-5, err_msg=where)
        for key, leaf in gradient.items():
            message = f"{where}, gradient by {key}"
            np.testing.assert_allclose(other_gradient[key], leaf, rtol=1e-3, atol=1e-4 * size, err_msg=message)


def program_size(case: Case, version: str) -> tuple[int, int]:
    """Lines of StableHLO, and instructions of the program that XLA makes of it, of value and gradient."""
    density = _density(case, version, {})
    lowered = jax.jit(jax.value_and_grad(density)).lower(case.position, *case.data)
    return lowered.as_text().count("\n"), lowered.compile().as_text().count(" = ")


@dataclass(frozen=True)
class Ratio:
    """Median of the ratios of paired rounds, with a bootstrap interval of 95 %."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.low:.2f}, {self.high:.2f}]"


def ratio(ours: Any, theirs: Any) -> Ratio:
    """How many times longer ours takes, round by round."""
    paired = np.asarray(ours) / np.asarray(theirs)
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(paired, size=(2_000, len(paired))), axis=1)
    return Ratio(float(np.median(paired)), *(float(x) for x in np.quantile(medians, [0.025, 0.975])))


def phase_medians(outcome: Outcome, version: str) -> Iterator[tuple[str, float]]:
    """Median seconds of each phase of the first call."""
    for phase in PHASES:
        yield phase, float(np.median([phases.get(phase, 0.0) for phases in outcome.first[version]]))
