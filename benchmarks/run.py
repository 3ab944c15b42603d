"""FlatPPL beside hand-written JAX and NumPyro: running time, first call, memory, program size.

Everything happens in this one process; imports are excluded, JAX's persistent cache is off. A full run writes its
tables into ``benchmarks/README.md``.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import os
import platform
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import jax
import numpy as np
from case import Case
from measure import (
    CLOCKS,
    PHASES,
    VERSIONS,
    Outcome,
    measure,
    phase_medians,
    program_size,
    ratio,
    use_clock,
    versions_of,
)

FOLDER = Path(__file__).resolve().parent
README = FOLDER / "README.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
#: Two sizes of the data of those models that can have any.
SIZES = {
    "hgf": (320, 3_200),
    "mixture2d": (1_000, 10_000),
    "poisson_process": (10_000, 100_000),
    "hmm": (200, 2_000),
    "markov_chain": (1_000, 10_000),
    "quadrature": (100, 1_000),
}
NAMES = ("eight_schools", "logistic", "mixture", "gaussian_process", "chain", *SIZES)
ROUNDS = 30

Row = list[str]


def ratios(taken: dict[str, np.ndarray]) -> Row:
    """FlatPPL's times over those of the others."""
    return [str(ratio(taken["FlatPPL"], taken[other])) if other in taken else "" for other in VERSIONS[1:]]


def running_table(cases: dict[str, Case], outcomes: dict[str, Outcome]) -> list[Row]:
    """Value and gradient, memory."""
    times = [f"{name} µs" for name in VERSIONS]
    rows: list[Row] = [["value and gradient", *times, "FlatPPL / JAX", "FlatPPL / NumPyro", "memory / JAX"]]
    for case, outcome in outcomes.items():
        taken = {name: np.array(seconds) for name, seconds in outcome.running.items() if seconds}
        against = ratios(taken)
        memory = outcome.memory["FlatPPL"] / outcome.memory["JAX"]
        medians = [f"{np.median(taken[name]) * 1e6:.1f}" if name in taken else "" for name in VERSIONS]
        rows.append([cases[case].title, *medians, *against, f"{memory:.2f}"])
    return rows


def first_table(cases: dict[str, Case], outcomes: dict[str, Outcome]) -> list[Row]:
    """From the text to the first gradient."""
    times = [f"{name} ms" for name in VERSIONS]
    rows: list[Row] = [["first call", *times, "FlatPPL / JAX", "FlatPPL / NumPyro"]]
    for case, outcome in outcomes.items():
        taken = {name: outcome.first_calls(name) for name in versions_of(cases[case])}
        medians = [f"{np.median(taken[name]) * 1e3:.0f}" if name in taken else "" for name in VERSIONS]
        rows.append([cases[case].title, *medians, *ratios(taken)])
    return rows


def phase_table(cases: dict[str, Case], outcomes: dict[str, Outcome]) -> list[Row]:
    """Where the first call's time goes."""
    rows: list[Row] = [["phases of the first call, ms", "", *PHASES]]
    for case, outcome in outcomes.items():
        for name in versions_of(cases[case]):
            medians = [f"{seconds * 1e3:.1f}" for _, seconds in phase_medians(outcome, name)]
            rows.append([cases[case].title, name, *medians])
    return rows


def size_table(names: Iterable[str]) -> list[Row]:
    """Program size at two sizes of the data."""
    rows: list[Row] = [["program size", "", "StableHLO, lines", "XLA, instructions"]]
    for case in names:
        module = importlib.import_module(f"models.{case}")
        for name in VERSIONS[:2]:
            for size in SIZES[case]:
                written = module.case(size)
                lines, instructions = program_size(written, name)
                rows.append([written.title, name, f"{lines:,}", f"{instructions:,}"])
    return rows


def markdown(rows: list[Row]) -> str:
    """A table with aligned columns."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    lines = ["| " + " | ".join(row) + " |" for row in padded]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def machine() -> str:
    """Date, machine and versions."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = ", ".join(f"{name} {version(name)}" for name in ("jax", "numpyro"))
    return (
        f"{datetime.date.today():%d %B %Y}; {_processor()}, {cores} cores; {platform.system()}, "
        f"Python {platform.python_version()}, {versions}; load average {os.getloadavg()[0]:.1f} at the end"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def write(report: str, begin: str = BEGIN, end: str = END) -> None:
    """Replace the tables of the README between two marks."""
    before, _, rest = README.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    README.write_text(f"{before}{begin}\n\n{report}\n\n{end}{after}", encoding="utf-8")


def measured(names: Iterable[str], rounds: int) -> tuple[dict[str, Case], dict[str, Outcome]]:
    """Cases and outcomes by name."""
    cases = {name: importlib.import_module(f"models.{name}").case() for name in names}
    outcomes = {}
    for name, case in cases.items():
        print(f"{case.title} ...", file=sys.stderr, flush=True)
        outcomes[name] = measure(case, rounds)
    return cases, outcomes


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and keep the tables of a full run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds of each case, {ROUNDS} by default")
    parser.add_argument("--only", choices=NAMES, action="append", help="only this case; may be repeated")
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall", help="processor time on a busy machine")
    parser.add_argument("--write", action="store_true", help="keep these tables, whatever they cover")
    options = parser.parse_args(arguments)
    use_clock(options.clock)
    jax.config.update("jax_enable_compilation_cache", False)
    cases, outcomes = measured(options.only or NAMES, options.rounds)
    tables = [running_table(cases, outcomes), first_table(cases, outcomes), phase_table(cases, outcomes)]
    sized = [name for name in cases if name in SIZES]
    if sized:
        tables.append(size_table(sized))
    report = "\n\n".join([f"{machine()}; {options.rounds} rounds, {options.clock} time.", *map(markdown, tables)])
    print(report)
    if options.write or (options.only is None and options.rounds >= ROUNDS):
        write(report)


if __name__ == "__main__":
    main()
