"""Eight schools: from FlatPPL text to a sampled posterior.

Compiles ``model.flatppl``, samples four chains with BlackJAX's NUTS, prints a table, compares it with a reference and
writes the plots to ``eight_schools.png`` beside this file. The exit status is 1 if the samples disagree with the reference.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import blackjax
import jax
import numpy as np

from flatppl import Context, Module

FOLDER = Path(__file__).resolve().parent

# Mean and standard deviation from 40,000 independent draws of the posterior, rounded to 0.01.
REFERENCE = {"mu": (4.39, 3.31), "tau": (3.62, 3.23)}
REFERENCE_DRAWS = 40_000
ROUNDING = 0.005

# Compiling NUTS takes longer than running it on so small a model: XLA need not try hard.
QUICK_COMPILATION = {"xla_backend_optimization_level": 0}

Draws = Mapping[str, np.ndarray]  # each of shape (chains, draws, ...)
Density = Callable[[dict[str, jax.Array]], jax.Array]


class Samples(NamedTuple):
    """Draws of the model's quantities, and where NUTS diverged."""

    draws: Draws
    divergences: int


def read_data(path: Path = FOLDER / "data.csv") -> dict[str, list[float]]:
    """The effects and their standard errors, by the names that the model gives them."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {"effects": "effect", "standard_errors": "standard_error"}
    return {name: [float(row[column]) for row in rows] for name, column in columns.items()}


def load_model() -> Module:
    """The model with its data fixed; what is left is the position."""
    return Context().load(FOLDER / "model.flatppl").set(**read_data())


def start(key: jax.Array) -> dict[str, jax.Array]:
    """A random position to start a chain from."""
    mu, log_tau, z = jax.random.split(key, 3)
    return {
        "mu": 5.0 * jax.random.normal(mu),
        "log_tau": jax.random.normal(log_tau),
        "z": jax.random.normal(z, (8,)),
    }


def one_chain(log_density: Density, key: jax.Array, warmup: int, draws: int) -> tuple[dict[str, jax.Array], jax.Array]:
    """Positions of one chain after window adaptation, and whether each transition diverged."""
    start_key, warmup_key, sample_key = jax.random.split(key, 3)
    adaptation = blackjax.window_adaptation(
        blackjax.nuts, log_density, target_acceptance_rate=0.9, adaptation_info_fn=lambda *_: None
    )
    (state, parameters), _ = adaptation.run(warmup_key, start(start_key), num_steps=warmup)
    kernel = blackjax.nuts(log_density, **parameters).step

    def step(state: Any, key: jax.Array) -> tuple[Any, tuple[dict[str, jax.Array], jax.Array]]:
        state, info = kernel(key, state)
        return state, (state.position, info.is_divergent)

    return jax.lax.scan(step, state, jax.random.split(sample_key, draws))[1]


def sample(model: Module, *, chains: int, warmup: int, draws: int, seed: int) -> Samples:
    """Run the chains side by side, with a progress bar."""
    log_density = model.compile()
    quantities = model.query(inputs="position", outputs="quantities").compile()
    keys = jax.random.split(jax.random.key(seed), chains)

    def run(keys: jax.Array) -> tuple[dict[str, jax.Array], jax.Array]:
        positions, diverged = jax.vmap(lambda key: one_chain(log_density, key, warmup, draws))(keys)
        return jax.vmap(jax.vmap(quantities))(positions), diverged.sum()

    with blackjax.progress_bar(label="NUTS"):
        found, divergences = jax.block_until_ready(jax.jit(run, compiler_options=QUICK_COMPILATION)(keys))
    return Samples({name: np.asarray(values, np.float64) for name, values in found.items()}, int(divergences))


def scalars(draws: Draws) -> dict[str, np.ndarray]:
    """Every scalar quantity by the name it has in the table."""
    named = {name: draws[name] for name in ("mu", "tau")}
    return named | {f"theta[{i + 1}]": draws["theta"][..., i] for i in range(draws["theta"].shape[-1])}


def arviz() -> Any:
    """ArviZ, without the announcement that its 0.23 makes at import."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


def print_table(samples: Samples) -> None:
    """Mean, spread, quantiles and diagnostics of each quantity."""
    az = arviz()
    print(f"\n{'':10}{'mean':>8}{'sd':>8}{'5%':>8}{'50%':>8}{'95%':>8}{'bulk ESS':>10}{'R-hat':>8}")
    for name, values in scalars(samples.draws).items():
        low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
        print(
            f"{name:10}{values.mean():8.2f}{values.std(ddof=1):8.2f}{low:8.2f}{middle:8.2f}{high:8.2f}"
            f"{az.ess(values, method='bulk'):10.0f}{az.rhat(values):8.3f}"
        )
    print(f"divergences: {samples.divergences}")


class Comparison(NamedTuple):
    """An estimate beside its reference value; ``error`` is the standard error of the difference."""

    name: str
    found: float
    reference: float
    error: float

    @property
    def agrees(self) -> bool:
        """Within four standard errors, and the rounding of the reference."""
        return abs(self.found - self.reference) <= 4.0 * self.error + ROUNDING


def compare(draws: Draws) -> list[Comparison]:
    """Means and standard deviations of mu and tau beside the reference."""
    az = arviz()
    found = []
    for name, (mean, sd) in REFERENCE.items():
        values = draws[name]
        # Standard error of a standard deviation: sd sqrt((kurtosis - 1) / 4 n).
        kurtosis = np.mean(((values - values.mean()) / values.std()) ** 4)
        reference_errors = sd / np.sqrt(REFERENCE_DRAWS) * np.array([1.0, np.sqrt((kurtosis - 1.0) / 4.0)])
        errors = np.hypot([az.mcse(values, method=method) for method in ("mean", "sd")], reference_errors)
        found.append(Comparison(f"mean of {name}", values.mean(), mean, errors[0]))
        found.append(Comparison(f"sd of {name}", values.std(ddof=1), sd, errors[1]))
    return found


def print_comparison(comparisons: list[Comparison]) -> None:
    """The comparison, line by line."""
    print(f"\n{'':14}{'found':>8}{'reference':>11}{'MC error':>10}")
    for row in comparisons:
        verdict = "agrees" if row.agrees else "DISAGREES"
        print(f"{row.name:14}{row.found:8.2f}{row.reference:11.2f}{row.error:10.3f}  {verdict}")


def plot(draws: Draws, path: Path) -> None:
    """Trace and posterior of mu and tau, and the schools' effects, as a PNG."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(3, 2, figsize=(11, 9), width_ratios=[2, 1], layout="constrained")
    for row, name in zip(axes, ("mu", "tau"), strict=False):
        _plot_scalar(row, name, draws[name])
    for axis in axes[2]:
        axis.remove()
    _plot_schools(figure.add_subplot(axes[2, 0].get_gridspec()[2, :]), draws["theta"])
    figure.suptitle("Eight schools: FlatPPL model, BlackJAX NUTS")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _plot_scalar(row: Any, name: str, values: np.ndarray) -> None:
    trace, posterior = row
    for chain in values:
        trace.plot(chain, linewidth=0.5, alpha=0.8)
    trace.set(title=f"trace of {name}", xlabel="draw", xlim=(0, values.shape[1]))
    shown = np.quantile(values, [0.001, 0.995])
    posterior.hist(values.ravel(), bins=60, range=tuple(shown), density=True, color="tab:blue", alpha=0.6)
    posterior.axvline(values.mean(), color="black", label="mean")
    posterior.axvline(REFERENCE[name][0], color="tab:red", linestyle="--", label="reference mean")
    posterior.set(title=f"posterior of {name}", yticks=[])
    posterior.legend(frameon=False, fontsize="small")


def _plot_schools(axis: Any, theta: np.ndarray) -> None:
    data = read_data()
    place = np.arange(1, theta.shape[-1] + 1)
    flat = theta.reshape(-1, theta.shape[-1])
    middle = flat.mean(axis=0)
    reach = np.abs(np.quantile(flat, [0.05, 0.95], axis=0) - middle)
    error = 1.645 * np.asarray(data["standard_errors"])
    axis.errorbar(place - 0.1, data["effects"], error, fmt="o", color="grey", capsize=3, label="observed, 90 %")
    axis.errorbar(place + 0.1, middle, reach, fmt="o", color="tab:blue", capsize=3, label="posterior, 90 %")
    axis.axhline(0.0, color="black", linewidth=0.5)
    axis.set(title="effect of each school", xticks=place, xticklabels="ABCDEFGH")
    axis.legend(frameon=False, fontsize="small")


def main(arguments: list[str] | None = None) -> int:
    """Run the example; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--warmup", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1981)
    parser.add_argument("--plot", type=Path, default=FOLDER / "eight_schools.png")
    options = parser.parse_args(arguments)
    began = time.perf_counter()
    model = load_model()
    samples = sample(model, chains=options.chains, warmup=options.warmup, draws=options.draws, seed=options.seed)
    seconds = time.perf_counter() - began
    print(f"{options.chains} chains of {options.draws} draws in {seconds:.1f} s, compilation included")
    print_table(samples)
    comparisons = compare(samples.draws)
    print_comparison(comparisons)
    plot(samples.draws, options.plot)
    print(f"\nplots: {options.plot}")
    return 0 if all(row.agrees for row in comparisons) else 1


if __name__ == "__main__":
    sys.exit(main())
