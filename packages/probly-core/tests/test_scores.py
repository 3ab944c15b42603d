"""Scores (sections 6 and 7) against loops over single predictions, and the decision table for targets."""

from __future__ import annotations

import functools
import itertools
import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probly_layouts import One, fill
from scipy import stats

from probly import scores
from probly.array_ops import ArrayOps
from probly.blocks import in_blocks
from probly.dispatch import library
from probly.numpy_backend.ops import NUMPY
from probly.representation.distribution import create_categorical_distribution as categorical
from probly.representation.distribution import create_gaussian_distribution as gaussian
from probly.representation.sample import NumpySample

CLASSES = library("numpy").classes
TARGETED = [scores.inner_product, scores.kl_divergence, scores.total_variation, scores.wasserstein]
each_target_score = pytest.mark.parametrize("score", TARGETED, ids=lambda s: s.__name__)


def probabilities(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(shape[-1]), size=shape[:-1])


def by_hand(score: Any, p: np.ndarray, t: np.ndarray) -> float:
    """One prediction, one target, with functions of SciPy or plain sums."""
    if score is scores.inner_product:
        return 1 - sum(a * b for a, b in zip(p, t, strict=True))
    if score is scores.kl_divergence:
        return sum(b * math.log(max(b, 1e-12) / max(a, 1e-12)) for a, b in zip(p, t, strict=True))
    if score is scores.total_variation:
        return max(abs(p[list(s)].sum() - t[list(s)].sum()) for s in _subsets(len(p)))
    ranks = np.arange(len(p))
    return float(stats.wasserstein_distance(ranks, ranks, p, t))


def _subsets(n: int) -> Any:
    return itertools.chain.from_iterable(itertools.combinations(range(n), k) for k in range(n + 1))


@each_target_score
def test_vectors_and_labels_by_hand(score: Any) -> None:
    p, t, y = probabilities(0, 5, 4), probabilities(1, 5, 4), np.array([0, 3, 1, 2, 2])
    np.testing.assert_allclose(score(p, t), [by_hand(score, *row) for row in zip(p, t, strict=True)])
    np.testing.assert_allclose(score(p, y), [by_hand(score, a, np.eye(4)[b]) for a, b in zip(p, y, strict=True)])


@given(st.lists(st.integers(1, 3), max_size=2), st.lists(st.integers(1, 3), max_size=3), st.integers(1, 5), st.data())
def test_one_target_said_three_ways(left: list[int], right: list[int], classes: int, data: st.DataObject) -> None:
    """A label, a floating one-hot row and a categorical one; batch shapes broadcast (S-8)."""
    p = probabilities(2, *left, classes)
    y = np.random.default_rng(3).integers(0, classes, size=right)
    dtype = data.draw(st.sampled_from([np.int8, np.uint8, np.int64, np.uint64]))
    rows = np.eye(classes)[y]
    for score in TARGETED:
        try:
            shape = np.broadcast_shapes(tuple(left), tuple(right))
        except ValueError:
            for target in (y, rows, categorical(rows)):
                with pytest.raises(ValueError, match="broadcast"):
                    score(p, target)
            continue
        result = score(p, y.astype(dtype))
        assert result.shape == shape
        for target in (rows, rows.astype(np.float32), categorical(3 * rows), y.tolist()):
            np.testing.assert_allclose(score(p, target), result, atol=1e-12)


@each_target_score
def test_dtype_decides(score: Any) -> None:
    """S-7: the same zeros and ones are labels as integers and vectors as floats."""
    p = np.array([[0.2, 0.8], [0.7, 0.3]])
    ones = np.array([[0, 1], [1, 0]])
    assert score(p, ones).shape == (2, 2)
    assert score(p, ones.astype(float)).shape == (2,)


@each_target_score
@pytest.mark.parametrize(
    ("target", "error"),
    [
        (None, ValueError),
        (np.array([True, False]), TypeError),
        (True, TypeError),
        (np.array([1j, 0]), TypeError),
        (np.array(["a", "b"]), TypeError),
        (np.array([object(), None]), TypeError),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), TypeError),
        (object(), TypeError),
        ([[1], [1, 2]], TypeError),
        (gaussian([0.0, 1.0], [1.0, 1.0]), TypeError),
        (NumpySample(np.ones((2, 2)), 0), TypeError),
        (One(fill((2, 3))), TypeError),
        (1.0, ValueError),
        (np.array([1.0]), ValueError),
        (np.ones((2, 1)), ValueError),
        (np.ones((2, 3)), ValueError),
        (categorical(np.ones((2, 3))), ValueError),
        (np.ones((3, 2)), ValueError),
        (np.array([0, 1, 0]), ValueError),
        (np.array([0, 2]), ValueError),
        (np.array([-1, 0]), ValueError),
        (np.array([2**63], dtype=np.uint64), ValueError),
        (300, ValueError),
    ],
    ids=range(23),
)
def test_refused_targets(score: Any, target: Any, error: type[Exception]) -> None:
    """S-E1 to S-E6, S-3b."""
    with pytest.raises(error):
        score(np.full((2, 2), 0.5), target)


@each_target_score
@pytest.mark.parametrize(
    ("pred", "error"),
    [
        (np.float64(0.5), ValueError),
        (np.array([True, False]), TypeError),
        (np.array([1j, 0]), TypeError),
        (gaussian([0.0], [1.0]), TypeError),
        (NumpySample(CLASSES["gaussian"](np.zeros(2), np.ones(2)), 0), TypeError),
    ],
    ids=range(5),
)
def test_refused_predictions(score: Any, pred: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        score(pred, 0)


@each_target_score
def test_predictions(score: Any) -> None:
    """S-5: arrays as they are, categoricals normalized, samples member by member."""
    p, y = probabilities(4, 6, 2, 3), np.array([1, 2])
    wanted = score(p, y)
    assert wanted.shape == (6, 2)
    np.testing.assert_allclose(score(categorical(2 * p), y), wanted)
    np.testing.assert_allclose(score(NumpySample(np.moveaxis(p, 0, 1), 1), y), wanted)
    np.testing.assert_allclose(score(NumpySample(np.moveaxis(p, 0, 2), -1), y), wanted)
    np.testing.assert_allclose(score(NumpySample(categorical(np.moveaxis(p, 0, 1) * 3), 1), y), wanted)
    np.testing.assert_allclose(score(np.array([0, 1, 0]), 1), score(np.array([0.0, 1.0, 0.0]), 1))


@each_target_score
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_of_the_prediction_is_kept(score: Any, dtype: Any) -> None:
    p = np.array([[1.0, 0.0], [0.5, 0.5]], dtype=dtype)
    for target in (np.array([1, 0]), np.eye(2), categorical(np.eye(2))):
        result = score(p, target)
        assert result.dtype == dtype
        assert np.isfinite(result).all()


def test_bernoulli_and_sparse_targets() -> None:
    p = np.array([[0.6, 0.4], [0.1, 0.9]])
    bernoulli = CLASSES["probability_bernoulli"](np.array([1.0, 0.0]))
    np.testing.assert_allclose(scores.inner_product(p, bernoulli), [0.6, 0.9])
    sparse = CLASSES["sparse_log_categorical"](np.array([[1], [0]]), np.zeros((2, 1)))
    np.testing.assert_allclose(scores.inner_product(p, sparse), [0.6, 0.9])
    with pytest.raises(ValueError, match="too few"):
        scores.inner_product(p, CLASSES["sparse_log_categorical"](np.array([[2]]), np.zeros((1, 1))))


def test_total_variation_of_unnormalized_predictions() -> None:
    p = np.array([0.5, 0.5, 0.5])
    assert scores.total_variation(p, 1) == scores.total_variation(p, np.array([0.0, 1.0, 0.0])) == 0.75


# -- section 7 ---------------------------------------------------------------------------------------------------------


def aps_by_hand(p: np.ndarray, u: np.ndarray, penalty: Any = lambda rank: 0.0) -> np.ndarray:
    order = sorted(range(len(p)), key=lambda k: (-p[k], k))
    result = np.zeros(len(p))
    for rank, k in enumerate(order, 1):
        result[k] = sum(p[j] for j in order[:rank]) - u[k] * p[k] + penalty(rank)
    return result


def test_aps_raps_saps_by_hand() -> None:
    p = np.round(probabilities(5, 30, 5), 1)  # with ties
    u = np.random.default_rng(6).random((30, 5))
    none = np.zeros((30, 5))
    y = np.random.default_rng(7).integers(0, 5, 30)

    def rows(function: Any, *columns: np.ndarray) -> np.ndarray:
        return np.array([function(*row) for row in zip(*columns, strict=True)])

    aps = rows(aps_by_hand, p, u)
    np.testing.assert_allclose(scores.aps(p, u=u), aps)
    np.testing.assert_allclose(scores.aps(p, y, u=u), aps[np.arange(30), y])
    np.testing.assert_allclose(scores.aps(p, randomized=False, u=u), rows(aps_by_hand, p, none))
    np.testing.assert_allclose(scores.aps(p, u=u[:, 0]), rows(aps_by_hand, p, np.broadcast_to(u[:, :1], (30, 5))))
    np.testing.assert_allclose(scores.aps(p, u=0.5), rows(aps_by_hand, p, none + 0.5))
    penalty = functools.partial(aps_by_hand, penalty=lambda rank: 0.3 * max(0, rank - 2 - 1))
    np.testing.assert_allclose(scores.raps(p, u=u, lambda_reg=0.3, k_reg=2), rows(penalty, p, u))

    def saps(p: np.ndarray, u: np.ndarray) -> np.ndarray:
        order = sorted(range(len(p)), key=lambda k: (-p[k], k))
        return np.array(
            [u[k] * max(p) if k == order[0] else max(p) + (order.index(k) - 1 + u[k]) * 0.2 for k in range(5)]
        )

    np.testing.assert_allclose(scores.saps(p, u=u, lambda_val=0.2), rows(saps, p, u))
    np.testing.assert_allclose(
        scores.saps(p, y, randomized=False, lambda_val=0.2), rows(saps, p, none)[np.arange(30), y]
    )


@pytest.mark.parametrize("score", [scores.aps, scores.raps, scores.saps], ids=lambda s: s.__name__)
def test_randomization(score: Any) -> None:
    """Fresh by default, reproducible with rng, uniform."""
    p = probabilities(8, 50, 4)
    assert not np.array_equal(score(p), score(p))
    first, second = (score(p, rng=np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    bounds = [score(p, u=u) for u in (0.0, 1.0)]
    assert np.all((np.minimum(*bounds) <= first) & (first <= np.maximum(*bounds)))
    with pytest.raises(TypeError, match="Generator"):
        score(p, rng=3)
    with pytest.raises(ValueError, match="shape"):
        score(p, u=np.zeros((3, 50, 4)))


def test_lac_and_dirichlet() -> None:
    p, y = probabilities(9, 6, 4), np.array([0, 1, 2, 3, 0, 1])
    np.testing.assert_allclose(scores.lac(p, y), 1 - p[np.arange(6), y])
    np.testing.assert_allclose(scores.lac(categorical(5 * p)), 1 - p)
    a = p * 7
    np.testing.assert_allclose(scores.dirichlet_rl(a, y), 1 - a[np.arange(6), y] / a.max(-1))
    np.testing.assert_allclose(scores.dirichlet_rl(CLASSES["dirichlet"](a), y), scores.dirichlet_rl(a, y))
    members = probabilities(10, 3, 6, 4)
    sample = NumpySample(np.moveaxis(members, 0, -1), -1)
    np.testing.assert_allclose(scores.lac(sample, y), 1 - members[:, np.arange(6), y])


@pytest.mark.parametrize("score", [scores.lac, scores.aps, scores.raps, scores.saps, scores.dirichlet_rl])
def test_labels_are_checked(score: Any) -> None:
    p = np.full((2, 3), 1 / 3)
    for y, error in (
        (np.array([0.0, 1.0]), TypeError),
        (np.array([True, False]), TypeError),
        (np.array([[0, 1]]), ValueError),
        (0, ValueError),
        (np.array([0, 3]), ValueError),
        (np.array([0, -1]), ValueError),
    ):
        with pytest.raises(error):
            score(p, y)
    with pytest.raises(ValueError, match="rank 0"):
        score(np.float64(0.5))


def test_regression_by_hand() -> None:
    rng = np.random.default_rng(11)
    pred, y = np.sort(rng.normal(size=(5, 7, 2)), -1), rng.normal(size=7)
    low, high = pred[..., 0], pred[..., 1]
    np.testing.assert_allclose(scores.cqr(pred[0], y), np.maximum(low[0] - y, y - high[0]))
    wanted = np.maximum(low.mean(0) - y, y - high.mean(0))
    np.testing.assert_allclose(scores.cqr(pred, y), wanted)
    np.testing.assert_allclose(scores.cqr_r(pred, y), wanted / (high.mean(0) - low.mean(0)))
    np.testing.assert_allclose(scores.cqr_r([[1.0, 1.0]], [2.0]), [1e6])
    wanted = np.maximum((low.mean(0) - y) / low.std(0), (y - high.mean(0)) / high.std(0))
    np.testing.assert_allclose(scores.uacqr(pred, y), wanted)
    np.testing.assert_allclose(scores.uacqr(np.ones((3, 1, 2)), [2.0]), [1e12])
    np.testing.assert_allclose(scores.absolute_error(low[0], y), abs(y - low[0]))
    np.testing.assert_allclose(scores.absolute_error(low, y), abs(y - low.mean(0)))
    np.testing.assert_allclose(scores.absolute_error(NumpySample(low.T, 1), y), abs(y - low.mean(0)))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("cqr(np.ones((3, 3)), np.ones(3))", ValueError),
        ("cqr(np.ones((3, 2)), np.ones(4))", ValueError),
        ("cqr(np.ones(2), np.ones(2))", ValueError),
        ("cqr_r(np.ones(2), np.ones((1, 1)))", ValueError),
        ("uacqr(np.ones(2), 1.0)", ValueError),
        ("uacqr(np.ones((4, 3, 2)), np.ones(2))", ValueError),
        ("absolute_error(np.ones(3), np.ones(4))", ValueError),
        ("absolute_error(np.ones(3), np.array([True] * 3))", TypeError),
        ("absolute_error(np.ones(3) * 1j, np.ones(3))", TypeError),
    ],
)
def test_regression_errors(call: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        eval(call, {"np": np, **{name: getattr(scores, name) for name in scores.__all__}})


SHAPES = [
    ((7, 5, 3), (5, 3)),
    ((7, 5, 3), (7, 1, 1)),
    ((1, 5, 3), (7, 5, 3)),
    ((40, 3), (3,)),
    ((3,), (2, 3)),
    ((0, 3), (3,)),
]


@pytest.mark.parametrize("size", [1, 4, 20, 1_000])
@pytest.mark.parametrize(("first", "second"), SHAPES)
def test_blocks_of_rows_give_what_whole_arrays_give(first: tuple[int, ...], second: tuple[int, ...], size: int) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random(first), rng.random(second)

    def kernel(ops: ArrayOps, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.sum(x - y, axis=-1)

    result = in_blocks(size, kernel, NUMPY, x, y)
    np.testing.assert_allclose(result, kernel(NUMPY, x, y))
    assert result.shape == np.broadcast_shapes(first[:-1], second[:-1])


@each_target_score
@pytest.mark.parametrize("labels", [True, False])
def test_scores_make_no_temporary_of_the_broadcast_size(score: Any, labels: bool) -> None:
    p = probabilities(0, 50, 2_000, 10)
    target = np.arange(2_000) % 10 if labels else probabilities(1, 2_000, 10)
    tracemalloc.start()
    result = score(p, target)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * result.nbytes < p.nbytes
