"""Conformal and credal sets, predictors (sections 8 and 9)."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special, stats

from probly import scores
from probly.conformal import ConformalPredictor, credal_set, prediction_set
from probly.dispatch import library
from probly.representation.distribution import create_categorical_distribution as categorical
from probly.representation.sample import NumpySample

CLASSES = library("numpy").classes
P = np.array([[0.7, 0.1, 0.15, 0.05], [0.25, 0.25, 0.25, 0.25], [0.0, 0.5, 0.5, 0.0]])


def test_onehot_sets() -> None:
    """C-1."""
    mask = np.array([[1, 0, 1], [0, 0, 0]])
    for given in (mask, mask.astype(bool), mask.astype(np.uint8)):
        x = CLASSES["onehot_set"](given)
        assert x.array.dtype == bool
        np.testing.assert_array_equal(x.set_size, [2, 0])
        np.testing.assert_array_equal(x.contains(np.array([2, 1])), [True, False])
        np.testing.assert_array_equal(x.contains(0), [True, False])
    for bad in (mask * 2, -mask, mask.astype(float), np.bool_(True)):
        with pytest.raises(ValueError, match=r"one-hot|axes"):
            CLASSES["onehot_set"](bad)
    with pytest.raises(TypeError, match="integers"):
        x.contains(np.array([1.0, 2.0]))


def test_interval_sets() -> None:
    """C-2."""
    x = CLASSES["interval_set"].from_bounds(np.array([0.0, 3.0]), np.array([2.0, 1.0]))
    np.testing.assert_array_equal(x.set_size, [2, -2])
    np.testing.assert_array_equal(x.is_empty, [False, True])
    np.testing.assert_array_equal(x.contains(1.0), [True, False])
    np.testing.assert_array_equal(x.contains(np.array([[2.0], [5.0]])), [[True, False], [False, False]])
    for call in (
        lambda: CLASSES["interval_set"](np.ones(3)),
        lambda: CLASSES["interval_set"].from_bounds(np.ones(2), np.ones(3)),
        lambda: x.contains(np.ones(3)),
    ):
        with pytest.raises(ValueError, match="shape"):
            call()


CLASSIFIERS = [scores.lac, scores.aps, scores.raps, scores.saps, scores.dirichlet_rl]
TARGETED = [scores.inner_product, scores.kl_divergence, scores.total_variation, scores.wasserstein]


@pytest.mark.parametrize("score", CLASSIFIERS + TARGETED, ids=lambda s: s.__name__)
def test_sets_of_classes(score: Any) -> None:
    """C-4: a class is in the set if its own score is small enough."""
    random = {"u": 0.3} if score in (scores.aps, scores.raps, scores.saps) else {}
    for q in (0.0, 0.4, 0.8, 1.5, math.inf, -math.inf):
        x = prediction_set(functools.partial(score, **random), P, q)
        for k in range(4):
            own = score(P, np.full(3, k), **random)
            np.testing.assert_array_equal(x.array[:, k], own <= q)


@pytest.mark.parametrize(
    "score", [scores.cqr, scores.cqr_r, scores.absolute_error, scores.uacqr], ids=lambda s: s.__name__
)
@pytest.mark.parametrize("q", [-0.2, 0.0, 0.7, math.inf, -math.inf])
def test_intervals_are_the_outcomes_of_small_score(score: Any, q: float) -> None:
    rng = np.random.default_rng(0)
    shape = {scores.absolute_error: (6,), scores.uacqr: (5, 6, 2)}.get(score, (6, 2))
    pred = np.sort(rng.normal(size=shape), -1) if len(shape) > 1 else rng.normal(size=shape)
    x = prediction_set(score, pred, q)
    assert x.shape == (6,)
    for y in np.linspace(-4, 4, 41):
        near = np.abs(score(pred, np.full(6, y)) - q) < 1e-9
        np.testing.assert_array_equal((x.contains(y) == (score(pred, np.full(6, y)) <= q)) | near, True)


def test_prediction_set_refuses_other_scores() -> None:
    with pytest.raises(TypeError, match="lac"):
        prediction_set(len, P, 0.5)

    class Own:
        def prediction_set(self, pred: Any, q: float) -> tuple[Any, float]:
            return pred, q

    assert prediction_set(Own(), "pred", 0.5) == ("pred", 0.5)
    with pytest.raises(ValueError, match="last axis of size 2"):
        prediction_set(scores.cqr, np.ones((2, 3)), 0.5)


@pytest.mark.parametrize("n", [5, 8, 9, 10, 19, 20, 50, 99, 200])
@pytest.mark.parametrize("score", ["lac", "aps", "absolute_error", "cqr"])
def test_predictors_cover(score: str, n: int) -> None:
    """Coverage of at least 1 - alpha for small calibration sets too: simulated, with a margin of four deviations."""
    rng, alpha, trials, hits = np.random.default_rng(n), 0.1, 200, []
    for _ in range(trials):
        if score in ("lac", "aps"):
            pred = rng.dirichlet(np.ones(4), size=n + 20)
            y: Any = (pred.cumsum(-1) > rng.random((n + 20, 1))).argmax(-1)
        else:
            y = rng.standard_t(3, size=n + 20)
            pred = np.zeros(n + 20) if score == "absolute_error" else np.tile([-1.0, 1.0], (n + 20, 1))
        bound = functools.partial(scores.aps, rng=rng) if score == "aps" else getattr(scores, score)
        predictor = ConformalPredictor(lambda rows, pred=pred: pred[rows], bound)
        predictor.calibrate(alpha, y[:n], slice(n))
        hits.append(predictor(slice(n, None)).contains(y[n:]).mean())
    assert np.mean(hits) >= 1 - alpha - 4 * np.std(hits) / math.sqrt(trials)


def test_uncalibrated_predictors_refuse() -> None:
    predictor = ConformalPredictor(lambda x: x, scores.lac)
    for call in (predictor, predictor.credal_set):
        with pytest.raises(ValueError, match="calibrate"):
            call(P)
    assert predictor.calibrate(0.5, np.array([0, 1, 2]), P) is predictor


# -- credal sets -------------------------------------------------------------------------------------------------------


def test_hulls() -> None:
    """K-1, K-2."""
    sample = NumpySample(categorical(3 * P[None] + np.zeros((2, 1, 1))), 1)
    for kind in ("convex_credal", "discrete_credal"):
        x = CLASSES[kind].from_vertices(P[None])
        np.testing.assert_allclose(x.lower(), P[None].min(1))
        np.testing.assert_allclose(x.upper(), P[None].max(1))
        np.testing.assert_allclose(x.barycenter.probabilities, P[None].mean(1))
        assert (x.shape, x.num_classes) == ((1,), 4)
        np.testing.assert_allclose(CLASSES[kind].from_sample(sample).lower(), [P.min(0)] * 2)
    single = CLASSES["singleton_credal"].from_sample(sample)
    for part in (single.lower(), single.upper(), single.barycenter.probabilities):
        np.testing.assert_allclose(part, [P.mean(0)] * 2)
    for make in (CLASSES["convex_credal"].from_sample, CLASSES["singleton_credal"].from_sample):
        with pytest.raises(TypeError, match="sample of categorical"):
            make(NumpySample(P, 0))
    with pytest.raises(TypeError, match="CategoricalDistribution"):
        CLASSES["convex_credal"](P)
    with pytest.raises(ValueError, match="vertices"):
        CLASSES["convex_credal"](categorical(P[0]))


def extreme(metric: str, p: np.ndarray, radius: float, k: int, sign: int) -> float:
    """Optimize one probability over the ball: a linear program, or a smooth constraint for KL."""
    n = len(p)
    cost = np.zeros(n)
    cost[k] = -sign
    if metric == "kl_divergence":
        inside = lambda x: radius - float(np.sum(special.rel_entr(special.softmax(x), p)))  # noqa: E731
        starts = [np.log(p + 1e-3) + 0.1 * np.random.default_rng(i).normal(size=n) for i in range(3)]
        found = [
            optimize.minimize(lambda x: -sign * special.softmax(x)[k], s, constraints={"type": "ineq", "fun": inside})
            for s in starts
        ]
        return max((sign * special.softmax(f.x)[k] for f in found if inside(f.x) > -1e-6), default=math.nan) * sign
    if metric == "inner_product":
        bound = optimize.linprog(cost, A_ub=[-p], b_ub=[radius - 1], A_eq=[np.ones(n)], b_eq=[1])
        return float(bound.x[k]) if bound.success else math.nan
    weights = np.tril(np.ones((n, n)))[:-1] if metric == "wasserstein" else np.eye(n)
    scale = 1.0 if metric == "wasserstein" else 0.5
    m = len(weights)
    rows = np.block([[weights, -np.eye(m)], [-weights, -np.eye(m)]])
    sums = weights @ p
    total = np.concatenate([np.zeros(n), np.full(m, scale)])
    bound = optimize.linprog(
        np.concatenate([cost, np.zeros(m)]),
        A_ub=np.vstack([rows, total]),
        b_ub=np.concatenate([sums, -sums, [radius]]),
        A_eq=[np.concatenate([np.ones(n), np.zeros(m)])],
        b_eq=[1],
    )
    return float(bound.x[k])


@pytest.mark.parametrize("metric", ["total_variation", "wasserstein", "inner_product", "kl_divergence"])
def test_envelopes_are_exact(metric: str) -> None:
    """K-3: against linear programs and constrained optimization."""
    p = P[:2] if metric == "kl_divergence" else P
    radii = (0.05, 0.3) if metric == "kl_divergence" else (0.0, 0.1, 0.45, 0.8, 2.0)
    for radius in radii:
        ball = CLASSES["distance_credal"].from_parts(p, radius, metric)
        for row, k in np.ndindex(*p.shape):
            for value, sign in ((ball.upper()[row, k], 1), (ball.lower()[row, k], -1)):
                wanted = extreme(metric, p[row], radius, k, sign)
                np.testing.assert_allclose(value, wanted, atol=2e-3 if metric == "kl_divergence" else 1e-7)


@pytest.mark.parametrize("metric", ["total_variation", "wasserstein", "inner_product", "kl_divergence"])
def test_infinite_balls_hold_everything(metric: str) -> None:
    ball = CLASSES["distance_credal"].from_parts(P, math.inf, metric)
    np.testing.assert_array_equal(ball.upper(), np.ones_like(P))
    np.testing.assert_array_equal(ball.lower(), np.zeros_like(P))


def test_balls() -> None:
    members = NumpySample(categorical(P), 0)
    ball = CLASSES["distance_credal"].from_sample(members)
    np.testing.assert_allclose(ball.radius, np.abs(P - P.mean(0)).sum(-1).max() / 2)
    np.testing.assert_allclose(ball.barycenter.probabilities, P.mean(0))
    batch = CLASSES["distance_credal"].from_parts(P, 0.1)
    np.testing.assert_array_equal(batch.radius, [0.1] * 3)
    assert (batch[1:].shape, np.stack([batch, batch]).shape) == ((2,), (2, 3))
    for radius, metric in ((-0.1, "total_variation"), (math.nan, "total_variation"), (0.1, "euclidean")):
        with pytest.raises(ValueError, match=r"radius|metric"):
            CLASSES["distance_credal"].from_parts(P, radius, metric)
    for radius in (np.ones(2), np.ones((2, 3))):
        with pytest.raises(ValueError, match="shape"):
            CLASSES["distance_credal"].from_parts(P, radius)


def test_probability_intervals() -> None:
    """K-4."""
    low, high = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.5])
    x = CLASSES["intervals_credal"](low, high)
    np.testing.assert_allclose(x.width, high - low)
    np.testing.assert_allclose(x.barycenter.probabilities, low + 0.4 * (high - low) / 0.8)
    np.testing.assert_array_equal(x.contains(np.array([[0.2, 0.4, 0.4], [0.05, 0.45, 0.5]])), [True, False])
    assert x.contains(categorical([2.0, 4.0, 4.0]))
    point = CLASSES["intervals_credal"](np.array([0.25, 0.75]), np.array([0.25, 0.75]))
    np.testing.assert_array_equal(point.barycenter.probabilities, [0.25, 0.75])
    made = CLASSES["intervals_credal"].from_sample(NumpySample(categorical(P), 0))
    np.testing.assert_allclose((made.lower(), made.upper()), (P.min(0), P.max(0)))
    for bad in (
        (high, low),
        (low, low),
        (high, high),
        (low - 0.2, high),
        (low, high + 0.6),
        (low, high[:2]),
        (low * np.nan, high),
    ):
        with pytest.raises(ValueError, match="bounds"):
            CLASSES["intervals_credal"](*bad)


def test_level_sets() -> None:
    """K-5: membership by the density of SciPy; bounds close to a root of the marginal problem."""
    a, t = np.array([3.0, 2.0, 4.0]), np.array(0.3)
    x = CLASSES["level_set_credal"](a, t)
    mode = (a - 1) / (a.sum() - 3)
    np.testing.assert_allclose(x.barycenter.probabilities, mode)
    density = stats.dirichlet(a)
    for p in np.random.default_rng(0).dirichlet(a, size=50):
        assert x.contains(p) == (density.pdf(p) >= 0.3 * density.pdf(mode))
    assert x.contains(categorical(mode))
    low, high = x.bounds(20_000, np.random.default_rng(0))
    assert np.all(low < mode)
    assert np.all(mode < high)
    wide = CLASSES["level_set_credal"](a, np.array(0.0)).bounds(20_000, np.random.default_rng(0))
    assert np.all(wide[0] <= low)
    assert np.all(wide[1] >= high)
    alone = CLASSES["level_set_credal"](a, np.array(1.0))
    np.testing.assert_allclose(alone.lower(100), mode)
    for alphas, threshold in ((a - 2, t), (a, t + 1), (a, t - 1), (a, np.ones(2))):
        with pytest.raises(ValueError, match=r"threshold|concentrations"):
            CLASSES["level_set_credal"](alphas, threshold)


def test_conformal_credal_sets() -> None:
    """C-4: a larger quantile gives a larger set, for balls and level sets."""
    for score in TARGETED:
        small, large = (credal_set(score, P[:1], q) for q in (0.35, 0.6))
        assert small.metric == score.__name__
        assert np.all(small.upper() <= large.upper())
        assert np.all(small.lower() >= large.lower())
    assert credal_set(scores.total_variation, categorical(P), math.inf).upper().min() == 1
    levels = [credal_set(scores.dirichlet_rl, 9 * P[:2] + 2, q).threshold for q in (0.25, 0.5, math.inf)]
    np.testing.assert_array_equal(levels, [[0.75] * 2, [0.5] * 2, [0.0] * 2])
    for score, q, error in ((scores.lac, 0.5, TypeError), (scores.wasserstein, -math.inf, ValueError)):
        with pytest.raises(error):
            credal_set(score, P, q)
    predictor = ConformalPredictor(lambda x: x, scores.total_variation).calibrate(0.5, np.array([0, 1, 2]), P)
    np.testing.assert_allclose(predictor.credal_set(P).radius, predictor.quantile)
