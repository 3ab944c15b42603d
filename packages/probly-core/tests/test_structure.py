"""Structural functions and joins (P-8, P-9, N-1): each acts on batch elements as NumPy acts on an object array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probly_layouts import KINDS, One, Plain, Two, Zero, assert_same_cells, by_element, fill, make, objects


def check(x: Any, function: Any, *args: Any, **kwargs: Any) -> None:
    """The function on the object gives, cell by cell, what it gives on the batch."""
    assert_same_cells(function(x, *args, **kwargs), [function(cells, *args, **kwargs) for cells in by_element(x)])


@given(objects, st.data())
def test_transpositions(x: Any, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(x.ndim)))
    check(x, np.transpose, order)
    check(x, np.transpose)
    assert_same_cells(x.T, [cells.T for cells in by_element(x)])
    if x.ndim:
        first, second = (data.draw(st.integers(-x.ndim, x.ndim - 1)) for _ in range(2))
        check(x, np.swapaxes, first, second)
        check(x, np.moveaxis, first, second)
        check(x, np.rollaxis, first, second)
    if x.ndim > 1:
        check(x, np.matrix_transpose)
        check(x, np.moveaxis, (0, -1), (1, 0))
        assert_same_cells(x.mT, [cells.swapaxes(-1, -2) for cells in by_element(x)])
        assert_same_cells(x.mH, [cells.swapaxes(-1, -2) for cells in by_element(x)])


@given(objects, st.data())
def test_reshapes(x: Any, data: st.DataObject) -> None:
    check(x, np.reshape, (-1,))
    check(x, np.reshape, (x.size, 1))
    check(x, np.reshape, x.shape[::-1])
    check(x, np.ravel)
    assert_same_cells(x.reshape(-1), [cells.reshape(-1) for cells in by_element(x)])
    assert_same_cells(x.ravel(), [cells.reshape(-1) for cells in by_element(x)])
    axis = data.draw(st.integers(-x.ndim - 1, x.ndim))
    check(x, np.expand_dims, axis)
    check(x, np.expand_dims, (0, -1))
    check(np.expand_dims(x, axis), np.squeeze, axis)
    check(x, np.squeeze)
    check(x, np.broadcast_to, (2, *x.shape))


@given(objects, st.data())
def test_rearrangements(x: Any, data: st.DataObject) -> None:
    check(x, np.copy)
    check(x, np.flip)
    check(x, np.repeat, 2)
    check(x, np.tile, (2, 1, 1, 2))
    check(x, np.tile, 2)
    if not x.ndim:
        return
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    size = x.shape[axis]
    check(x, np.flip, axis)
    check(x, np.roll, 1, axis)
    check(x, np.roll, 2)
    check(x, np.repeat, 2, axis)
    check(x, np.take, data.draw(st.lists(st.integers(0, size - 1), max_size=4).map(lambda i: np.array(i, int))), axis)
    check(x, np.take, np.array([[0], [x.size - 1]]))
    for part, cells in zip(np.array_split(x, 2, axis), np.array_split(by_element(x)[0], 2, axis), strict=True):
        assert np.array_equal(by_element(part)[0], cells)
    assert [p.shape for p in np.split(x, size, axis)] == [c.shape for c in np.split(by_element(x)[0], size, axis)]
    order = np.argsort(np.random.default_rng(0).random(x.shape), axis=axis)
    check(x, np.take_along_axis, order, axis)
    mask = np.random.default_rng(1).random(x.shape) < 0.5
    y = np.flip(x)
    chosen = np.where(mask, x, y)
    assert_same_cells(chosen, [np.where(mask, a, b) for a, b in zip(by_element(x), by_element(y), strict=True)])


@given(objects, st.data())
def test_joins(x: Any, data: st.DataObject) -> None:
    y = np.flip(x)
    pairs = list(zip(by_element(x), by_element(y), strict=True))
    axis = data.draw(st.integers(-x.ndim - 1, x.ndim))
    assert_same_cells(np.stack([x, y, x], axis=axis), [np.stack([a, b, a], axis=axis) for a, b in pairs])
    assert_same_cells(np.concatenate([x, y], axis=None), [np.concatenate([a, b], axis=None) for a, b in pairs])
    if x.ndim:
        axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
        assert_same_cells(np.concatenate((x, y), axis), [np.concatenate((a, b), axis) for a, b in pairs])


@pytest.mark.parametrize("kind", KINDS)
def test_counts(kind: type[Any]) -> None:
    x = make(kind, (2, 3))
    assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1), x.size, len(x)) == ((2, 3), 2, 6, 3, 6, 2)
    assert [part.shape for part in x] == [(3,), (3,)]
    assert make(kind, ()).size == 1
    with pytest.raises(TypeError, match="without batch axes"):
        len(make(kind, ()))


def test_cast_and_conjugate() -> None:
    x = One(np.array([[1 + 2j, 3]]))
    np.testing.assert_array_equal(np.conj(x).array, [[1 - 2j, 3]])
    assert np.astype(One(fill((2, 3))), np.float32).array.dtype == np.float32
    assert One(fill((2, 3))).astype(float).dtype == float


def test_other_fields_are_carried_over() -> None:
    x = Two(fill((2, 2, 3)), fill((2,)), label="mine")
    assert np.reshape(x, (2, 1)).label == "mine"


def test_leaving_the_wrapper() -> None:
    x = make(One, (2,))
    assert type(np.copy(x, subok=False)) is np.ndarray
    assert type(np.asarray(x)) is np.ndarray
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    assert np.asarray(x) is x.array
    assert np.array(x, copy=True) is not x.array
    for leave in (np.asarray, lambda x: np.copy(x, subok=False)):
        with pytest.raises(TypeError, match="several fields"):
            leave(make(Two, (2,)))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("np.transpose(x, (0,))", ValueError),
        ("np.transpose(x, (0, 0))", ValueError),
        ("np.transpose(x, (0, 2))", ValueError),
        ("np.swapaxes(x, 0, 2)", ValueError),
        ("np.moveaxis(x, (0, 1), (0,))", ValueError),
        ("np.moveaxis(x, 0.0, 1)", TypeError),
        ("np.moveaxis(x, True, 1)", TypeError),
        ("np.reshape(x, (5,))", ValueError),
        ("np.reshape(x, (-1, -1))", ValueError),
        ("np.reshape(x, (-2, -4))", ValueError),
        ('np.reshape(x, (8,), order="F")', ValueError),
        ("np.squeeze(x, 0)", ValueError),
        ("np.squeeze(x, 2)", ValueError),
        ("np.expand_dims(x, 4)", ValueError),
        ("np.expand_dims(x, (0, 0))", ValueError),
        ("np.broadcast_to(x, (3, 4))", ValueError),
        ("np.matrix_transpose(x[0])", ValueError),
        ("x[0].mT", ValueError),
        ("np.take_along_axis(x, np.zeros(2, int), 0)", ValueError),
        ("np.split(x, 3)", ValueError),
        ("np.stack([x, x], axis=3)", ValueError),
        ("np.stack([x, x[0]])", ValueError),
        ("np.concatenate([x, x], axis=2)", ValueError),
        ("np.concatenate([x, x.T], axis=0)", ValueError),
        ("np.concatenate([x[0, 0], x[0, 0]], axis=0)", ValueError),
        ("np.concatenate([x, Plain(x.array)])", TypeError),
        ("np.concatenate([x, Zero(x.array[..., 0])])", ValueError),
        ("np.concatenate([x, One(x.array[..., :2])])", ValueError),
        ("np.concatenate([x, x.array[..., :2]])", TypeError),
        ("np.concatenate([x.array[..., :2], x])", TypeError),
        ("np.concatenate([make(Two, (2,)), np.ones((2, 2, 3))])", TypeError),
        ("np.concatenate([x, [1, 2, 3]])", TypeError),
        ("np.linalg.norm(x)", TypeError),
        ("np.array_equal(x, x)", TypeError),
        ("np.where(x.array[..., 0] > 0, x, 0)", TypeError),
        ("np.reshape(x, (8,), shape=(8,))", TypeError),
        ("bool(x)", TypeError),
    ],
)
def test_refusals(call: str, error: type[Exception]) -> None:
    names = {"np": np, "x": make(One, (2, 4)), "One": One, "Plain": Plain, "Two": Two, "Zero": Zero, "make": make}
    with pytest.raises(error):
        eval(call, names)


def test_raw_arrays_join_single_field_objects_from_either_side() -> None:
    x = make(One, (2, 4))
    raw = fill((2, 4, 3), 100)
    np.testing.assert_array_equal(np.concatenate([raw, x]).array, np.concatenate([raw, x.array]))
    np.testing.assert_array_equal(np.stack([x, raw], axis=1).array, np.stack([x.array, raw], axis=1))


def test_joins_into_out() -> None:
    x = make(One, (2, 4))
    out = One(np.zeros((4, 4, 3), int))
    assert np.concatenate([x, x], out=out) is out
    np.testing.assert_array_equal(out.array, np.concatenate([x.array, x.array]))
    raw = np.zeros((2, 2, 4, 3), int)
    assert np.stack([x, x], out=raw) is raw
    np.testing.assert_array_equal(raw, np.stack([x.array, x.array]))
