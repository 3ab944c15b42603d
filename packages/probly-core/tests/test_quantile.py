"""Quantiles (Q-1 to Q-4): exact ranks, coverage by enumeration, weighted quantiles."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probly.quantile import conformal_quantile, conformal_rank, weighted_quantile
from probly.representation.sample import NumpySample, create_sample

LEVELS = [Fraction(k, 100) for k in range(101)]


@pytest.mark.parametrize("n", range(1, 201))
def test_rank_is_exact(n: int) -> None:
    """k = ceil((n + 1)(1 - alpha)) in rational arithmetic, for every percent."""
    for level in LEVELS:
        assert conformal_rank(n, float(level)) == math.ceil((n + 1) * (1 - level))


@pytest.mark.parametrize("n", range(5, 201))
def test_coverage_by_enumeration(n: int) -> None:
    """Q-1: the fresh score takes each rank among n + 1 equally often; count those that the quantile covers."""
    for level in (Fraction(1, 20), Fraction(1, 10), Fraction(3, 10), Fraction(7, 10)):
        ranks = np.arange(1.0, n + 2)
        covered = 0
        quantiles = {}
        for fresh in range(n + 1):
            calibration = np.delete(ranks, fresh)
            quantiles[fresh] = conformal_quantile(calibration, float(level))
            covered += ranks[fresh] <= quantiles[fresh]
        k = math.ceil((n + 1) * (1 - level))
        assert Fraction(covered, n + 1) == Fraction(min(k, n + 1), n + 1)
        assert Fraction(covered, n + 1) >= 1 - level


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.integers(0, 100))
def test_is_the_kth_smallest(scores: list[float], percent: int) -> None:
    n, level = len(scores), Fraction(percent, 100)
    k = math.ceil((n + 1) * (1 - level))
    wanted = sorted(scores)[k - 1] if 1 <= k <= n else (math.inf if k else -math.inf)
    assert conformal_quantile(np.array(scores), percent / 100) == wanted


def test_computed_levels() -> None:
    """1 - 0.9 is a little below 0.1 in binary; the rank is that of 0.1."""
    assert conformal_rank(9, 1 - 0.9) == conformal_rank(9, 0.1) == 9


def test_clipping_stays_among_the_scores_and_warns() -> None:
    scores = np.array([3.0, 1.0, 2.0])
    with pytest.warns(UserWarning, match="loses coverage"):
        assert conformal_quantile(scores, 0.1, clip=True) == 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert conformal_quantile(scores, 1.0, clip=True) == 1.0
        assert conformal_quantile(scores, 0.1) == math.inf


@pytest.mark.parametrize("alpha", [-0.1, 1.1, math.nan, math.inf])
def test_alpha_is_checked(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        conformal_quantile(np.ones(3), alpha)


@pytest.mark.parametrize("scores", [np.ones(0), np.ones((3, 2)), np.float64(1.0), np.array([1.0, math.nan])])
def test_scores_are_checked(scores: np.ndarray) -> None:
    with pytest.raises(ValueError, match="score"):
        conformal_quantile(scores, 0.5)


@pytest.mark.parametrize("scores", [np.array([True, False]), np.array([1j]), np.array(["a"]), [object()]])
def test_scores_are_real(scores: object) -> None:
    with pytest.raises(TypeError):
        conformal_quantile(scores, 0.5)


def test_result_is_a_python_float() -> None:
    assert type(conformal_quantile(np.arange(9), 0.5)) is float
    assert type(conformal_quantile(np.arange(9, dtype=np.float32), 0.01)) is float


def test_batches_and_samples() -> None:
    """Q-3: along an axis, or along a sample's member axis."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4, 19, 3))
    wanted = np.sort(scores, axis=1)[:, 17]
    np.testing.assert_array_equal(conformal_quantile(scores, 0.1, axis=1), wanted)
    np.testing.assert_array_equal(conformal_quantile(scores, 0.1, axis=-2), wanted)
    np.testing.assert_array_equal(conformal_quantile(NumpySample(scores, 1), 0.1), wanted)
    assert np.all(conformal_quantile(scores, 0.0, axis=1) == math.inf)
    assert conformal_quantile(create_sample([0.1, 0.3, 0.2]), 0.5) == 0.2


def test_weighted_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="weighted_quantile"):
        conformal_quantile(NumpySample(np.ones(2), 0, np.ones(2)), 0.5)


@given(
    st.lists(st.tuples(st.floats(-100, 100), st.floats(0.01, 10)), min_size=1, max_size=20),
    st.floats(0, 1),
)
def test_weighted_quantile_interpolates(pairs: list[tuple[float, float]], q: float) -> None:
    values, weights = map(np.array, zip(*sorted(pairs), strict=True))
    levels = (np.cumsum(weights) - weights / 2) / weights.sum()
    shuffled = np.random.default_rng(0).permutation(len(pairs))
    result = weighted_quantile(values[shuffled], q, weights[shuffled])
    if len(set(values)) == len(values):
        np.testing.assert_allclose(result, np.interp(q, levels, values), rtol=1e-9, atol=1e-9)


def test_weighted_quantile_uses_a_samples_weights() -> None:
    values, weights = np.array([4.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0])
    assert weighted_quantile(NumpySample(values, 0, weights), 0.3) == weighted_quantile(values, 0.3, weights)
    assert weighted_quantile(NumpySample(values), 0.3, weights) == weighted_quantile(values, 0.3, weights)
    with pytest.raises(ValueError, match="weights already"):
        weighted_quantile(NumpySample(values, 0, weights), 0.3, weights)


@pytest.mark.parametrize("weights", [[-1.0, 2.0], [0.0, 0.0], [1.0], [math.nan, 1.0]])
def test_weights_are_checked(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        weighted_quantile(np.array([1.0, 2.0]), 0.5, np.array(weights))


@pytest.mark.parametrize("q", [-0.1, 1.5, math.nan])
def test_level_is_checked(q: float) -> None:
    with pytest.raises(ValueError, match="q is in"):
        weighted_quantile(np.array([1.0, 2.0]), q)
