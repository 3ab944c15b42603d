"""Samples (R-1 to R-4): statistics, tracking of the member axis, weights; against brute force."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from probly_layouts import One, fill

from probly.representation.distribution import create_categorical_distribution as categorical
from probly.representation.sample import ListSample, NumpySample, Sample, create_sample


def marked(shape: tuple[int, ...], axis: int) -> NumpySample:
    """A sample whose values name their member."""
    index = np.arange(shape[axis]).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return NumpySample(np.broadcast_to(index, shape).copy(), axis)


def check(result: Any, values: np.ndarray, members: int) -> None:
    """The values vary along the member axis alone; a plain array has no axis that tells members apart."""
    array = result.array if isinstance(result, Sample) else result
    np.testing.assert_array_equal(array, values)
    if isinstance(result, Sample):
        first = result.samples.reshape(result.sample_size, -1)
        assert np.all(first == first[:, :1])
    else:
        assert members == 1 or not any(n > 1 for n in np.shape(values)) or len(set(np.ravel(values))) <= 1


samples = st.tuples(st.lists(st.integers(2, 3), min_size=1, max_size=3), st.integers(0, 2)).map(
    lambda given: marked(tuple(given[0]), given[1] % len(given[0]))
)
KEYS = st.one_of(
    st.integers(-2, 1), st.slices(2), st.none(), st.just(Ellipsis), st.just(np.array([0, 1])), st.just([1])
)


@given(samples, st.lists(KEYS, max_size=4).map(tuple))
def test_indexing_tracks_members(s: NumpySample, key: tuple[Any, ...]) -> None:
    """R-3, against NumPy on values that name their member; also with ranks 2 and separated index arrays."""
    used = sum(not (k is None or k is Ellipsis) for k in key)
    assume(used <= s.ndim and sum(k is Ellipsis for k in key) <= 1)
    values = s.array[tuple(np.asarray(k) if isinstance(k, list) else k for k in key)]
    with contextlib.suppress(MixedError):
        check_indexed(_indexed(s, key), values)


class MixedError(Exception):
    """The refusal of an index that leaves no single member axis."""


def _indexed(s: NumpySample, key: Any) -> Any:
    try:
        return s[key]
    except IndexError as error:
        if "mixes the member axis" not in str(error):
            raise
        raise MixedError from error


def check_indexed(result: Any, values: np.ndarray) -> None:
    if isinstance(result, Sample) and result.sample_size:
        np.testing.assert_array_equal(result.array, values)
        rows = np.moveaxis(values, result.sample_axis, 0).reshape(result.sample_size, -1)
        assert np.all(rows == rows[:, :1]) or rows.shape[1] == 0
    else:
        np.testing.assert_array_equal(result.array if isinstance(result, Sample) else result, values)


def test_weights_follow_the_members() -> None:
    w = np.array([1.0, 2.0, 3.0])
    s = NumpySample(fill((2, 3)), 1, w)
    np.testing.assert_array_equal(s[:, 1:].weights, w[1:])
    np.testing.assert_array_equal(s[..., ::-1].weights, w[::-1])
    np.testing.assert_array_equal(s[:, [2, 0]].weights, [3, 1])
    np.testing.assert_array_equal(s[:, np.array([True, False, True])].weights, [1, 3])
    np.testing.assert_array_equal(np.take(s, [1, 1], 1).weights, [2, 2])
    np.testing.assert_array_equal(s[0].weights, w)
    assert s[None].sample_axis == 2
    plain = s[:, 0]
    assert type(plain) is np.ndarray
    for call in (
        lambda: np.mean(s, axis=1),
        lambda: np.flip(s),
        lambda: np.repeat(s, 2, 1),
        lambda: np.tile(s, (1, 2)),
        lambda: np.stack([s, NumpySample(s.array, 1)]),
    ):
        with pytest.raises(ValueError, match="weight"):
            call()
    np.testing.assert_array_equal(np.mean(s, axis=0).weights, w)


@given(samples)
def test_structure_tracks_members(s: NumpySample) -> None:
    raw, axis, n = s.array, s.sample_axis, s.sample_size
    check(s.T, raw.T, n)
    check(np.expand_dims(s, 0), raw[None], n)
    check(np.stack([s, s], axis=-1), np.stack([raw, raw], axis=-1), n)
    check(np.broadcast_to(s, (2, *s.shape)), np.broadcast_to(raw, (2, *raw.shape)), n)
    check(np.squeeze(np.expand_dims(s, (0, -1)), (0, -1)), raw, n)
    check(np.moveaxis(s, axis, -1), np.moveaxis(raw, axis, -1), n)
    assert np.moveaxis(s, axis, -1).sample_axis == s.ndim - 1
    check(np.mean(s, axis=axis), raw.mean(axis), 1)
    others = tuple(a for a in range(s.ndim) if a != axis)
    kept = np.mean(s, axis=others)
    assert isinstance(kept, Sample)
    np.testing.assert_array_equal(kept.array, np.arange(n))
    assert np.mean(s, axis=others, keepdims=True).sample_axis == axis
    split = np.reshape(s, (*s.shape[:axis], n, -1))
    assert split.sample_size == n
    assert split.sample_axis == axis
    joined = s.concat(s.move_sample_axis(0))
    assert joined.sample_size == 2 * n
    assert not isinstance(np.reshape(s, (-1,)), Sample) or s.ndim == 1


def test_statistics() -> None:
    """R-4."""
    rng = np.random.default_rng(0)
    array, w = rng.normal(size=(4, 5, 3)), rng.random(5)
    plain, weighted = NumpySample(array, -2), NumpySample(array, 1, w)
    assert (plain.sample_axis, plain.sample_dim, plain.sample_size) == (1, 1, 5)
    np.testing.assert_allclose(plain.sample_mean(), array.mean(1))
    np.testing.assert_allclose(plain.sample_var(1), array.var(1, ddof=1))
    np.testing.assert_allclose(plain.sample_std(), array.std(1))
    mean = np.average(array, 1, w)
    np.testing.assert_allclose(weighted.sample_mean(), mean)
    np.testing.assert_allclose(weighted.sample_var(), np.average((array - mean[:, None]) ** 2, 1, w))
    np.testing.assert_allclose(NumpySample(fill((3, 2)), 0).sample_mean(), [2, 3])
    with pytest.raises(ValueError, match="ddof"):
        weighted.sample_var(1)
    with pytest.raises(ZeroDivisionError):
        NumpySample(array, 1, np.zeros(5)).sample_mean()


def test_samples_of_representations() -> None:
    """The member axis counts batch axes; the mean is the members' own."""
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=(4, 2))
    s = NumpySample(categorical(5 * p), 0, np.array([1.0, 1.0, 2.0, 0.0]))
    assert s.shape == (4, 2)
    np.testing.assert_allclose(s.sample_mean().probabilities, np.average(p, 0, [1, 1, 2, 0]))
    assert s[:, 0].array.shape == (4,)
    assert s[0].shape == (2,)
    assert type(s[0]) is type(s.array)
    with pytest.raises(TypeError):
        s.sample_var()
    x = NumpySample(One(fill((2, 4, 3)).astype(float)), 1)
    np.testing.assert_allclose(x.sample_var().array, x.array.array.var(1))
    np.testing.assert_allclose(x.samples.array, np.moveaxis(x.array.array, 1, 0))


def test_making() -> None:
    """R-1, R-2: by the first member; "auto" is the last axis."""
    members = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
    s = create_sample(members)
    assert isinstance(s, NumpySample)
    assert s.sample_axis == 1
    np.testing.assert_array_equal(s.samples, members)
    assert create_sample(members, sample_axis=0).sample_axis == 0
    assert create_sample([1.0, 2.0], weights=[1.0, 3.0]).sample_mean() == 1.75
    d = create_sample([categorical([1.0, 1.0]), categorical([1.0, 3.0])])
    np.testing.assert_allclose(d.sample_mean().probabilities, [0.375, 0.625])
    assert NumpySample.from_sample(s, 0).sample_axis == 0
    assert NumpySample.from_sample(s).sample_axis == 1
    strange = create_sample([object(), object()], weights=[1.0, 2.0])
    assert isinstance(strange, ListSample)
    assert (strange.sample_size, strange.is_weighted) == (2, True)
    for call in (
        lambda: create_sample([]),
        lambda: NumpySample.from_iterable([]),
        lambda: create_sample([object()], weights=[1.0, 2.0]),
        lambda: create_sample(members, sample_axis=2),
    ):
        with pytest.raises(ValueError, match=r"member|weights|axis"):
            call()
    with pytest.raises(TypeError, match="not of backend"):
        NumpySample([1.0], 0)


def test_concatenation_joins_weights() -> None:
    a, b = NumpySample(fill((2, 2)), 1, np.array([1.0, 2.0])), NumpySample(fill((3, 2)), 0)
    joined = a.concat(b)
    assert joined.sample_axis == 1
    np.testing.assert_array_equal(joined.array, np.concatenate([a.array, b.array.T], 1))
    np.testing.assert_array_equal(joined.weights, [1, 2, 1, 1, 1])
    assert b.concat(b).weights is None
    with pytest.raises(ValueError, match="member axes"):
        np.concatenate([NumpySample(fill((2, 2)), 1), NumpySample(fill((2, 2)), 0)], axis=1)


def test_an_ellipsis_for_no_axis_separates_index_arrays() -> None:
    s = NumpySample(fill((2, 2)), 1)
    key = (None, np.array([0, 1]), ..., np.array([0, 1]))
    np.testing.assert_array_equal(s[key].array, s.array[key])
    assert s[key].sample_axis == 0
