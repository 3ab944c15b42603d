"""Scores, quantiles, sets and samplers: eager, under jit, vmap and grad, in both precisions."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from probly import scores
from probly.dispatch import library
from probly.quantile import conformal_quantile, weighted_quantile
from probly_jax.conversion import to_jax

K = library("jax").classes
P = [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]
Y = [2, 1]
TARGETS = ("inner_product", "kl_divergence", "total_variation", "wasserstein")


def agree(first: Any, second: Any, dtype: str) -> None:
    assert first.dtype == dtype
    np.testing.assert_allclose(first, second, rtol=1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("name", [*TARGETS, "lac", "aps"])
def test_scores(name: str, precision: str) -> None:
    score = getattr(scores, name)
    if name == "aps":
        score = lambda p, y: scores.aps(p, y, randomized=False)  # noqa: E731
    p, y = jnp.asarray(P, precision), jnp.asarray(Y)
    expected = score(np.asarray(P), np.asarray(Y))
    agree(score(p, y), expected, precision)
    agree(jax.jit(score)(p, y), expected, precision)
    agree(jax.jit(lambda p: score(p, y))(p), expected, precision)
    agree(jax.vmap(score)(p, y), expected, precision)
    agree(jax.jit(score)(K["probability_categorical"](4 * p), y), expected, precision)
    gradient = jax.jit(jax.grad(lambda p: score(p, y).sum()))(p.at[0, 2].set(0.0))
    assert bool(jnp.isfinite(gradient).all())


@pytest.mark.parametrize("name", [*TARGETS, "lac"])
def test_labels_out_of_range(name: str) -> None:
    score, p = getattr(scores, name), jnp.asarray(P)
    for label in (-1, 3):
        bad = jnp.array([0, label])
        with pytest.raises(ValueError, match=r"0\.\.2"):
            score(p, bad)
        for traced in (jax.jit(score)(p, bad), jax.jit(lambda p, bad=bad: score(p, bad))(p), jax.vmap(score)(p, bad)):
            assert jnp.isnan(traced).tolist() == [False, True]
    with pytest.raises(ValueError, match="fit"):
        score(p, np.array([0, 2**32]))


@pytest.mark.parametrize("name", ["aps", "raps", "saps"])
def test_randomized_scores_need_a_key_while_tracing(name: str) -> None:
    score, p, key = getattr(scores, name), jnp.asarray(P), jax.random.key(0)
    traced = jax.jit(lambda p, key: score(p, rng=key))(p, key)
    np.testing.assert_allclose(traced, score(p, rng=key), rtol=1e-6)
    assert not np.array_equal(score(p), score(p))
    for call in (lambda: jax.jit(score)(p), lambda: jax.jit(lambda q: score(p) * q)(1.0)):
        with pytest.raises(ValueError, match="key"):
            call()


def test_quantiles(precision: str) -> None:
    values = jnp.asarray([0.4, 0.1, 0.3, 0.2, 0.5], precision)
    for quantile, expected in ((lambda v: conformal_quantile(v, 0.5), 0.3), (lambda v: weighted_quantile(v, 0.5), 0.3)):
        assert float(quantile(values)) == pytest.approx(expected)
        assert float(jax.jit(quantile)(values)) == pytest.approx(expected)
        assert jax.vmap(quantile)(values[None]).tolist() == pytest.approx([expected])
        assert jax.grad(quantile)(values).tolist() == pytest.approx([0.0, 0.0, 1.0, 0.0, 0.0])
    assert type(conformal_quantile(values, 0.5)) is float
    assert float(jax.jit(lambda v: conformal_quantile(v, 0.05))(values)) == float("inf")
    assert jnp.isnan(jax.jit(lambda v: conformal_quantile(v, 0.5))(values.at[0].set(jnp.nan)))


MAKERS: dict[str, Callable[[jax.Array], Any]] = {
    "convex": lambda p: K["convex_credal"].from_vertices(jnp.stack([p, p[::-1]], axis=1)),
    "total_variation": lambda p: K["distance_credal"].from_parts(p, 0.1),
    "wasserstein": lambda p: K["distance_credal"].from_parts(p, 0.1, "wasserstein"),
    "intervals": lambda p: K["intervals_credal"](0.5 * p, jnp.minimum(1.5 * p, 1.0)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_credal_sets(name: str) -> None:
    credal = MAKERS[name](jnp.asarray(P))
    envelope = jax.jit(lambda c: (c.lower(), c.upper()))(credal)
    np.testing.assert_allclose(envelope[0], credal.lower(), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(envelope[1], jax.jit(jax.vmap(lambda c: c.upper()))(credal), rtol=1e-5)
    assert bool((envelope[0] <= envelope[1]).all())
    gradient = jax.jit(jax.grad(lambda c: c.upper().sum()))(credal)
    assert all(bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves(gradient))


def test_conformal_sets() -> None:
    sizes = jax.jit(lambda p, q: K["onehot_set"](scores.lac(p) <= q).set_size)(jnp.asarray(P), 0.7)
    assert sizes.tolist() == [2, 2]
    interval = jax.jit(K["interval_set"].from_bounds)(jnp.zeros(2), jnp.ones(2))
    assert jax.jit(lambda s, y: s.contains(y))(interval, jnp.array([0.5, 2.0])).tolist() == [True, False]


@pytest.mark.parametrize("kind", ["probability_categorical", "logit_categorical", "dirichlet"])
def test_samplers(kind: str, precision: str) -> None:
    value, key = K[kind](jnp.asarray(P, precision)), jax.random.key(1)
    sample = value.sample(4, key)
    assert sample.shape[:2] == (4, 2)
    for same in (value.sample(4, prng_key=key), value.sample(4, key)):
        jax.tree.map(np.testing.assert_array_equal, same, sample)
    assert value.sample(2, jax.random.PRNGKey(0)).sample_size == 2
    for wrong in (1, np.random.default_rng(0), jnp.ones(2), jax.random.split(key)):
        with pytest.raises(TypeError, match="key"):
            value.sample(1, wrong)
    with pytest.raises(TypeError, match="one argument"):
        value.sample(1, key, prng_key=key)
    for call in (lambda: jax.jit(lambda v: v.sample(1).array)(value), lambda: jax.jit(lambda q: value.sample(1))(1.0)):
        with pytest.raises(ValueError, match="key"):
            call()


def test_fresh_keys_differ() -> None:
    gaussian = K["gaussian"](jnp.zeros(4), jnp.ones(4))
    assert not np.array_equal(gaussian.sample(1).array, gaussian.sample(1).array)


def test_draws_follow_the_distribution() -> None:
    key = jax.random.key(3)
    ids = K["probability_categorical"](jnp.array([1.0, 0.0, 3.0])).sample(20_000, key).array
    np.testing.assert_allclose(jnp.bincount(ids, length=3) / 20_000, [0.25, 0.0, 0.75], atol=0.02)
    tiny = K["dirichlet"](jnp.full((1000, 2), 1e-10)).sample(1, key).array.probabilities
    np.testing.assert_allclose(tiny.mean((0, 1)), 0.5, atol=0.05)
    mean = K["dirichlet"](jnp.array([1.0, 2.0, 5.0])).sample(20_000, key).sample_mean().probabilities
    np.testing.assert_allclose(mean, [0.125, 0.25, 0.625], atol=0.01)


def test_conversion() -> None:
    assert to_jax([jnp.array(1.0), 2.0]).tolist() == [1.0, 2.0]
    assert jax.jit(lambda a: to_jax([[a, 1.0]]))(2.0).shape == (1, 2)
    assert to_jax(np.array([True])).dtype == bool
    for wrong in (["a"], [[1], [1, 2]], np.array([object()])):
        with pytest.raises(TypeError):
            to_jax(wrong)
    assert scores.lac(jnp.asarray(P, jnp.bfloat16)).dtype == jnp.bfloat16


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("which", ["predictions", "targets"])
def test_compiled_scores_of_many_rows(name: str, which: str) -> None:
    """Rows enough for XLA to split the work, either side broadcast."""
    score = getattr(scores, name)
    draw = jax.random.dirichlet(jax.random.key(0), jnp.ones(10), (4, 10_000))
    axes = (0, None) if which == "predictions" else (None, 0)
    pair = (draw, draw[0]) if which == "predictions" else (draw[0], draw)
    wanted = np.stack([score(*(np.asarray(a)[i] if a.ndim == 3 else np.asarray(a) for a in pair)) for i in range(4)])
    for run in (score, jax.vmap(score, axes)):
        np.testing.assert_allclose(jax.jit(run)(*pair), wanted, rtol=1e-3, atol=1e-5)
