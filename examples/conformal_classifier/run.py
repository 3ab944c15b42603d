"""Conformal prediction sets from a Bayesian classifier: FlatPPL, BlackJAX and probly together.

The posterior of a softmax regression, written in FlatPPL, is sampled with NUTS. Its predictive draws become a sample
of categorical distributions; their mean is calibrated on points that the sampler has not seen, and the sets that
result cover the truth at the promised rate, whatever the model is worth.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import blackjax
import jax
import jax.numpy as jnp
import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

from flatppl import Context
from probly.conformal import ConformalPredictor
from probly.scores import lac
from probly_jax.representation.distribution.jax_categorical import JaxProbabilityCategoricalDistribution
from probly_jax.representation.jax_functions import jax_mean
from probly_jax.representation.sample.jax_sample import JaxSample

HERE = Path(__file__).parent
TRAIN, CALIBRATE, TEST = 90, 60, 200


def data(seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Three overlapping clouds in the plane; labels from 1 to 3."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, TRAIN + CALIBRATE + TEST)
    centres = np.array([[-1.0, 0.0], [1.0, 0.5], [0.0, -1.25]])
    return centres[labels] + rng.normal(size=(len(labels), 2)), labels + 1


def sample(log_density: Any, draws: int, seed: int) -> Any:
    """Posterior draws of the weights by NUTS with window adaptation."""
    start = {"w": jnp.zeros((2, 3)), "b": jnp.zeros(3)}
    warm_key, key = jax.random.split(jax.random.key(seed))
    (state, parameters), _ = blackjax.window_adaptation(blackjax.nuts, log_density).run(warm_key, start, draws)
    step = blackjax.nuts(log_density, **parameters).step

    def one(state: Any, key: Any) -> tuple[Any, Any]:
        state, _ = step(key, state)
        return state, state.position

    return jax.jit(lambda state: jax.lax.scan(one, state, jax.random.split(key, draws)))(state)[1]


def predict(posterior: Any, points: Any) -> JaxProbabilityCategoricalDistribution:
    """Mean over the posterior draws of each point's class probabilities."""
    module = Context().load(HERE / "model.flatppl")
    query = module.query(inputs=["theta", "points"], outputs="probabilities(theta.w, theta.b)").compile()
    drawn = jax.jit(jax.vmap(query, in_axes=(0, None)))(posterior, points)
    members = JaxSample(array=JaxProbabilityCategoricalDistribution(drawn), sample_axis=0)
    return jax_mean(members.array, axis=0)


def main(arguments: list[str] | None = None) -> dict[str, list[float]]:
    """Run the example; returns coverage and mean set size by level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--plot", type=Path, default=HERE / "conformal_classifier.png")
    options = parser.parse_args(arguments)
    x, labels = data(options.seed)
    module = Context().load(HERE / "model.flatppl")
    density = module.compile()
    features, classes = jnp.asarray(x[:TRAIN], jnp.float32), jnp.asarray(labels[:TRAIN], jnp.int32)
    posterior = sample(lambda theta: density(theta, features, classes), options.draws, options.seed)
    prediction = predict(posterior, jnp.asarray(x[TRAIN:], jnp.float32))
    table = coverage(prediction, jnp.asarray(labels[TRAIN:] - 1, jnp.int32))
    report(table, options.plot)
    return table


def coverage(prediction: Any, truth: Any) -> dict[str, list[float]]:
    """Coverage and mean size on the test points for sets calibrated at several levels."""
    levels = [0.05, 0.1, 0.2, 0.3]
    covered, sizes = [], []
    for level in levels:
        predictor = ConformalPredictor(lambda part: prediction[part], lac)
        predictor.calibrate(level, truth[:CALIBRATE], slice(0, CALIBRATE))
        sets = np.asarray(predictor(slice(CALIBRATE, None)).array)
        covered.append(float(sets[np.arange(TEST), np.asarray(truth[CALIBRATE:])].mean()))
        sizes.append(float(sets.sum(-1).mean()))
    return {"level": levels, "coverage": covered, "size": sizes}


def report(table: dict[str, list[float]], path: Path) -> None:
    """Print the table and plot coverage against set size."""
    print("promised  covered  mean size")
    for level, covered, size in zip(table["level"], table["coverage"], table["size"], strict=True):
        print(f"{1 - level:8.2f} {covered:8.3f} {size:10.2f}")
    figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
    axes.plot(table["size"], table["coverage"], "o-")
    axes.set(xlabel="mean size of the prediction set", ylabel="coverage on new points")
    figure.savefig(path)
    print(f"plot: {path.name}")


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
