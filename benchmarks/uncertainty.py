"""probly beside hand-written array code: what a protected axis adds to a call, scores of a large ensemble, the import.

Both versions of a row run in this one process, in rounds that they take turns in, and agree in value before anything is
timed. A full run writes its tables into ``benchmarks/README.md``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from measure import CLOCKS, ratio
from run import machine, markdown, write

from probly import scores
from probly.dispatch import backend, convert, ops
from probly.testing import vocabulary

BEGIN, END = "<!-- probly: begin -->", "<!-- probly: end -->"
ROUNDS = 30
MEMBERS, POINTS, CLASSES = 1_000, 10_000, 10
SCORES = ("inner_product", "kl_divergence", "total_variation", "wasserstein")

Row = list[str]
Call = Callable[[], Any]

#: Operation to its two versions: on a representation of one protected axis, on an array of one axis more.
OPERATIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "x + x": (lambda v, x: x + x, lambda v, a: a + a),
    "2 * x": (lambda v, x: 2 * x, lambda v, a: 2 * a),
    "x[0]": (lambda v, x: x[0], lambda v, a: a[0]),
    "x[1:, None]": (lambda v, x: x[1:, None], lambda v, a: a[1:, None]),
    "reshape": (lambda v, x: v["reshape"](x, (20,)), lambda v, a: v["reshape"](a, (20, 3))),
    "moveaxis": (lambda v, x: v["moveaxis"](x, 0, 1), lambda v, a: v["moveaxis"](a, 0, 1)),
    "expand_dims": (lambda v, x: v["expand_dims"](x, 0), lambda v, a: v["expand_dims"](a, 0)),
    "stack": (lambda v, x: v["stack"]([x, x]), lambda v, a: v["stack"]([a, a])),
    "concatenate": (lambda v, x: v["concatenate"]([x, x]), lambda v, a: v["concatenate"]([a, a])),
    "mean": (lambda v, x: v["mean"](x, 0), lambda v, a: v["mean"](a, 0)),
    "sum": (lambda v, x: v["sum"](x, 0), lambda v, a: v["sum"](a, 0)),
}


def backends() -> Iterator[str]:
    """NumPy, JAX, and Torch where it is installed."""
    yield from ("numpy", "jax")
    if find_spec("torch") and find_spec("probly_torch"):
        yield "torch"


def numbers(name: str, result: Any) -> np.ndarray:
    """Result on the host, once it is there."""
    return np.asarray(ops(name).to_numpy(getattr(result, "array", result)))


def seconds(run: Call, repetitions: int, clock: Callable[[], float]) -> float:
    """Of one call, the best of five blocks: noise only ever adds."""
    blocks = []
    for _ in range(5 if repetitions > 1 else 1):
        began = clock()
        for _ in range(repetitions):
            result = run()
        jax.block_until_ready(result)
        blocks.append((clock() - began) / repetitions)
    return min(blocks)


def interleaved(pair: tuple[Call, Call], rounds: int, repetitions: int, clock: Callable[[], float]) -> np.ndarray:
    """Seconds by round and version; the versions take turns at being first."""
    taken = np.empty((rounds, 2))
    for number in range(rounds):
        for version in (0, 1) if number % 2 else (1, 0):
            taken[number, version] = seconds(pair[version], repetitions, clock)
    return taken


def operations_table(rounds: int, clock: Callable[[], float]) -> list[Row]:
    """What probly adds to one call, with a bootstrap interval of the median."""
    rows: list[Row] = [["protected-axis operation", "library", "array µs", "probly µs", "added µs"]]
    for name in backends():
        if name == "jax":
            continue  # compiled, see below
        known = vocabulary(name)
        array = convert(np.random.default_rng(0).random((4, 5, 3)), ops(name))
        x = known["V"](array)
        for title, (ours, theirs) in OPERATIONS.items():
            np.testing.assert_array_equal(numbers(name, ours(known, x)), numbers(name, theirs(known, array)))
            calls = (lambda f=ours, v=known, x=x: f(v, x), lambda f=theirs, v=known, a=array: f(v, a))
            taken = interleaved(calls, rounds, 300, clock) * 1e6
            added = np.median(np.random.default_rng(0).choice(taken[:, 0] - taken[:, 1], (2_000, rounds)), axis=1)
            low, middle, high = np.quantile(added, [0.025, 0.5, 0.975])
            raw, own = np.median(taken[:, 1]), np.median(taken[:, 0])
            rows.append([title, name, f"{raw:.1f}", f"{own:.1f}", f"{middle:.1f} [{low:.1f}, {high:.1f}]"])
    return rows


def compiled_table() -> list[Row]:
    """Instructions that XLA makes of an operation under ``jit``."""
    rows: list[Row] = [["protected-axis operation under jit", "instructions, array", "instructions, probly"]]
    known = vocabulary("jax")
    array = jnp.ones((4, 5, 3))
    for title, (ours, theirs) in OPERATIONS.items():
        sizes = [
            jax.jit(lambda x, f=f: f(known, x)).lower(x).compile().as_text().count(" = ")
            for f, x in ((theirs, array), (ours, known["V"](array)))
        ]
        rows.append([title, *map(str, sizes)])
    return rows


def by_hand(name: str, score: str, labels: bool) -> Callable[[Any, Any], Any]:
    """What a user of the library writes for predictions that sum to one."""
    xp: Any = {"numpy": np, "jax": jnp}.get(name)
    if xp is None:
        import torch as xp
    if labels:
        return _of_labels(xp, score)
    return {
        "inner_product": lambda p, t: 1 - xp.einsum("...k,...k->...", p, t),
        "kl_divergence": lambda p, t: (t * xp.log(t.clip(1e-12) / p.clip(1e-12))).sum(-1),
        "total_variation": lambda p, t: 0.5 * xp.abs(p - t).sum(-1),
        "wasserstein": lambda p, t: xp.abs(xp.cumsum(p - t, -1)).sum(-1),
    }[score]


def _of_labels(xp: Any, score: str) -> Callable[[Any, Any], Any]:
    along = xp.take_along_axis if hasattr(xp, "take_along_axis") else xp.take_along_dim

    def hit(p: Any, y: Any) -> Any:
        return along(p, y[None, :, None], -1)[..., 0]

    return {
        "inner_product": lambda p, y: 1 - hit(p, y),
        "kl_divergence": lambda p, y: -xp.log(hit(p, y).clip(1e-12)),
        "total_variation": lambda p, y: 0.5 * (xp.abs(p).sum(-1) - hit(p, y) + xp.abs(hit(p, y) - 1)),
        "wasserstein": lambda p, y: xp.abs(xp.cumsum(p, -1) - (xp.arange(p.shape[-1]) >= y[:, None]) * 1.0).sum(-1),
    }[score]


def scores_table(rounds: int, clock: Callable[[], float]) -> list[Row]:
    """Scores of an ensemble; JAX compiled, the members mapped by ``vmap``."""
    rows: list[Row] = [["score", "target", "library", "array ms", "probly ms", "probly / array", "peak / result"]]
    rng = np.random.default_rng(0)
    weights = [rng.random((*shape, CLASSES), dtype=np.float32) for shape in ((MEMBERS, POINTS), (POINTS,))]
    p, t = (w / w.sum(-1, keepdims=True) for w in weights)
    for name in backends():
        for labels, target in ((False, t), (True, rng.integers(0, CLASSES, POINTS))):
            pred, wanted = (backend(name).convert(a, None) for a in (p, target))
            for score in SCORES:
                calls = _pair(name, score, labels, pred, wanted)
                np.testing.assert_allclose(*(numbers(name, call()) for call in calls), rtol=1e-4, atol=1e-4)
                taken = interleaved(calls, rounds, 1, clock)
                array, own = (f"{np.median(taken[:, version]) * 1e3:.0f}" for version in (1, 0))
                row = [score, "labels" if labels else "vectors", name, array, own, str(ratio(*taken.T))]
                rows.append([*row, _peak(name, score, pred, wanted)])
    return rows


def _pair(name: str, score: str, labels: bool, p: Any, target: Any) -> tuple[Call, Call]:
    ours, theirs = getattr(scores, score), by_hand(name, score, labels)
    if name == "jax":
        theirs = jax.jit(theirs)
        ours = jax.jit(jax.vmap(ours, in_axes=(0, None)))
    return lambda: ours(p, target), lambda: theirs(p, target)


def _peak(name: str, score: str, p: Any, target: Any) -> str:
    """Memory that a score takes at its peak, over the size of its result."""
    if name == "torch":
        return ""  # its allocator on the host keeps no count
    result = MEMBERS * POINTS * 4
    if name == "jax":
        lowered = jax.jit(jax.vmap(getattr(scores, score), in_axes=(0, None))).lower(p, target)
        return f"{1 + lowered.compile().memory_analysis().temp_size_in_bytes / result:.1f}"
    tracemalloc.start()
    getattr(scores, score)(p, target)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"{peak / result:.1f}"


def import_table(rounds: int) -> list[Row]:
    """Seconds of imports, each in a fresh process."""
    rows: list[Row] = [["import", "ms"]]
    for module in ("numpy", "probly"):
        code = f"import time; began = time.perf_counter(); import {module}; print(time.perf_counter() - began)"
        runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(rounds)]
        rows.append([module, f"{np.median([float(run.stdout) for run in runs]) * 1e3:.0f}"])
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and keep the tables of a full run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds of each row, {ROUNDS} by default")
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall", help="processor time on a busy machine")
    parser.add_argument("--write", action="store_true", help="keep these tables, whatever their rounds")
    options = parser.parse_args(arguments)
    clock = CLOCKS[options.clock]
    tables = [
        operations_table(options.rounds, clock),
        compiled_table(),
        scores_table(max(3, options.rounds // 3), clock),
        import_table(options.rounds),
    ]
    report = "\n\n".join([f"{machine()}; {options.rounds} rounds, {options.clock} time.", *map(markdown, tables)])
    print(report)
    if options.write or options.rounds >= ROUNDS:
        write(report, BEGIN, END)


if __name__ == "__main__":
    main()
