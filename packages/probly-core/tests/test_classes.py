"""What every representation class promises (P-1 to P-7, P-13 to P-17), and values that travel."""

from __future__ import annotations

import copy
import pickle
import weakref
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probly_layouts import Array, Nested, One, Plain, Two, fill, make, objects, raw_fields

from probly import dispatch
from probly.conversion import to_backend, to_numpy_like
from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.kinds import KINDS, class_name, define_classes
from probly.representation.sample import NumpySample

CLASSES = dispatch.library("numpy").classes
W = np.array([[[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]])
CATEGORICAL = CLASSES["probability_categorical"](W)

EXAMPLES: dict[str, Any] = {
    "probability_categorical": CATEGORICAL,
    "logit_categorical": CLASSES["logit_categorical"](W),
    "probability_bernoulli": CLASSES["probability_bernoulli"](W[..., 0]),
    "logit_bernoulli": CLASSES["logit_bernoulli"](W[..., 0]),
    "sparse_log_categorical": CLASSES["sparse_log_categorical"](np.array([[[0, 2], [1, 1]]]), np.zeros((1, 2, 2))),
    "dirichlet": CLASSES["dirichlet"](W * 10),
    "gaussian": CLASSES["gaussian"](W[..., 0], W[..., 1]),
    "mixture": CLASSES["mixture"](CLASSES["gaussian"](W, W), W),
    "sample": CLASSES["sample"](W, 1, np.array([1.0, 3.0])),
    "onehot_set": CLASSES["onehot_set"](W > 0.2),
    "interval_set": CLASSES["interval_set"](W[..., :2]),
    "convex_credal": CLASSES["convex_credal"](CATEGORICAL),
    "discrete_credal": CLASSES["discrete_credal"](CATEGORICAL),
    "singleton_credal": CLASSES["singleton_credal"](CATEGORICAL),
    "distance_credal": CLASSES["distance_credal"](CATEGORICAL, 0.1, "wasserstein"),
    "intervals_credal": CLASSES["intervals_credal"](W - 0.1, W + 0.1),
    "level_set_credal": CLASSES["level_set_credal"](W * 10 + 1, np.array([[0.2, 0.3]])),
}


def test_every_kind_has_an_example() -> None:
    assert set(EXAMPLES) == set(KINDS) == set(CLASSES)
    for kind, x in EXAMPLES.items():
        assert type(x).__name__ == class_name("Numpy", kind)
        assert issubclass(type(x), KINDS[kind])
        assert type(x).__doc__


@pytest.mark.parametrize("kind", KINDS)
def test_travels(kind: str) -> None:
    """P-16: pickle, deepcopy, weak references, repr, identity hashing."""
    x = EXAMPLES[kind]
    for again in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        assert type(again) is type(x)
        for (mine, _), (other, _) in zip(raw_fields(x), raw_fields(again), strict=True):
            np.testing.assert_array_equal(mine, other)
    assert weakref.ref(x)() is x
    assert type(x).__name__ in repr(x)
    assert {x: 1}[x] == 1
    assert hash(x) != hash(copy.copy(x))
    with pytest.raises(TypeError, match="ambiguous"):
        bool(x)
    with pytest.raises(AttributeError):
        x.array = 0


@pytest.mark.parametrize("kind", KINDS)
def test_structure_keeps_the_kind(kind: str) -> None:
    x = EXAMPLES[kind]
    for y in (np.expand_dims(x, 0), np.stack([x, x]), x[None]) if kind != "sample" else (np.expand_dims(x, 0),):
        assert type(y) is type(x)
        assert y.ndim == x.ndim + 1


@pytest.mark.parametrize("kind", KINDS)
def test_to_backend_keeps_kind_and_settings(kind: str) -> None:
    """P-17, between NumPy and a stranger made of the same arrays."""
    x = EXAMPLES[kind]
    assert to_numpy_like(x) is x
    made = define_classes(NumpyAxisProtected, "Other", __name__)[kind]
    assert made.__name__ == class_name("Other", kind)


def test_conversion_refuses_what_has_no_kind() -> None:
    with pytest.raises(dispatch.BackendNotFoundError):
        to_backend(make(One, (2,)), "nowhere")
    np.testing.assert_array_equal(to_numpy_like([1, 2]), [1, 2])

    class Like:
        def __array_like__(self) -> str:
            return "its own"

    assert to_numpy_like(Like()) == "its own"


@pytest.mark.parametrize(
    "axes",
    [{}, None, [("array", 1)], {"array": -1}, {"array": True}, {"array": 1.0}, {"": 1}, {3: 1}, {"missing": 1}],
)
def test_axes_are_validated(axes: Any) -> None:
    with pytest.raises(TypeError, match="protected_axes"):
        type("Bad", (NumpyAxisProtected,), {"__annotations__": {"array": Any}, "protected_axes": axes})


@pytest.mark.parametrize("functions", [{"mean"}, [np.mean], {np.mean: 1}, None])
def test_permissions_are_validated(functions: Any) -> None:
    body = {"__annotations__": {"array": Any}, "protected_axes": {"array": 1}, "permitted_functions": functions}
    with pytest.raises(TypeError, match="permitted_functions"):
        type("Bad", (NumpyAxisProtected,), body)


@pytest.mark.parametrize("ufuncs", [{np.mean: ["__call__"]}, {np.add: ["outer"]}, {np.add}, None])
def test_ufuncs_are_validated(ufuncs: Any) -> None:
    body = {"__annotations__": {"array": Any}, "protected_axes": {"array": 1}, "permitted_ufuncs": ufuncs}
    with pytest.raises(TypeError, match="permitted_ufuncs"):
        type("Bad", (NumpyAxisProtected,), body)


def test_inherited_fields_and_slots() -> None:
    """P-2: annotations may be inherited, and ``slots=True`` makes the class twice."""

    @dataclass(frozen=True, eq=False)
    class Heir(One):
        pass

    @dataclass(frozen=True, eq=False, slots=True)
    class Slotted(NumpyAxisProtected[Array]):
        array: Array
        protected_axes: ClassVar[dict[str, int]] = {"array": 1}
        permitted_functions: ClassVar[set[Any]] = {np.mean}

    assert Heir(fill((2, 3))).shape == (2,)
    x = Slotted(fill((2, 3)))
    np.testing.assert_array_equal(np.mean(x).array, [1.5, 2.5, 3.5])


def test_the_class_keeps_its_own_set() -> None:
    given = {np.mean}
    body = {"__annotations__": {"array": Any}, "protected_axes": {"array": 1}, "permitted_functions": given}
    cls = type("Own", (NumpyAxisProtected,), body)
    given.add(np.sum)
    assert cls.permitted_functions == {np.mean}


def test_layout_errors() -> None:
    """P-4: too few axes, different batches."""
    with pytest.raises(ValueError, match="needs 1 protected axes"):
        One(np.float64(1.0)).protected_values()
    with pytest.raises(ValueError, match="inconsistent batch-shapes"):
        Two(fill((2, 2, 3)), fill((3,))).protected_values()
    with pytest.raises(TypeError, match="several fields"):
        make(Two, (2,)).with_protected_value(fill((2,)))
    assert One(fill((2, 3))).with_protected_value(fill((4, 3))).shape == (4,)


KEYS = st.one_of(
    st.integers(-2, 1),
    st.slices(3),
    st.none(),
    st.just(Ellipsis),
    st.lists(st.integers(0, 1), min_size=1, max_size=3).map(np.array),
)


@given(objects, st.lists(KEYS, max_size=4).map(tuple), st.booleans())
def test_indexing(x: Any, key: tuple[Any, ...], bare: bool) -> None:
    """P-6: a key acts on every field as NumPy's does with the protected axes written out."""
    part = key[0] if bare and len(key) == 1 else key
    wanted = []
    for array, count in raw_fields(x):
        rank = array.ndim - count
        used = sum(not (k is None or k is Ellipsis) for k in key)
        if used > rank or sum(k is Ellipsis for k in key) > 1:
            with pytest.raises(IndexError):
                x[part]
            return
        spot = next((i for i, k in enumerate(key) if k is Ellipsis), len(key))
        full = (*key[:spot], *(slice(None),) * (rank - used), *key[spot + 1 :], *(slice(None),) * count)
        try:
            wanted.append(array[full])
        except IndexError:
            with pytest.raises(IndexError):
                x[part]
            return
    result = x[part]
    assert type(result) is type(x)
    for (mine, _), other in zip(raw_fields(result), wanted, strict=True):
        np.testing.assert_array_equal(mine, other)


@given(objects)
def test_masks(x: Any) -> None:
    mask = np.random.default_rng(x.size).random(x.shape) < 0.5
    for (mine, _), (array, _) in zip(raw_fields(x[mask]), raw_fields(x), strict=True):
        np.testing.assert_array_equal(mine, array[mask])


@pytest.mark.parametrize("key", ["text", 1.0, (0, 0, 0), np.ones(2), True, (Ellipsis, Ellipsis), 7])
def test_bad_keys(key: Any) -> None:
    with pytest.raises(IndexError):
        make(One, (2, 4))[key]


def test_scalar_results_stay_arrays() -> None:
    x = Two(fill((2, 2, 3)), fill((2,)))
    assert type(x[0].other) is np.ndarray
    assert x[[1, 0]].shape == (2,)


def test_assignment() -> None:
    """P-7: by an object, a tuple of fields, or an array; in place, so that views alias."""
    x, y = make(Two, (2, 4)), make(Two, (4,), 100)
    view = x[0]
    x[0] = y
    np.testing.assert_array_equal(x.array[0], y.array)
    np.testing.assert_array_equal(view.other, y.other)
    x[1, ..., None] = (y.array[:, None], y.other[:, None])
    np.testing.assert_array_equal(x.array[1], y.array)
    single = make(One, (2, 4))
    single[:, 1] = np.array([7, 8, 9])
    np.testing.assert_array_equal(single.array[:, 1], [[7, 8, 9]] * 2)
    nested = make(Nested, (2,))
    nested[1] = make(Nested, (), 50)
    np.testing.assert_array_equal(nested.inner.array[1], make(Nested, (), 50).inner.array)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("x.__setitem__(0, x.array[0])", TypeError),
        ("x.__setitem__(0, (x.array[0],))", TypeError),
        ("x.__setitem__(0, one)", TypeError),
        ("one.__setitem__(0, np.ones(2))", ValueError),
        ("one.__setitem__(0, np.float64(1))", ValueError),
        ("one.__setitem__((0, 0, 0), np.ones(3))", IndexError),
    ],
)
def test_bad_assignments(call: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        eval(call, {"x": make(Two, (2, 4)), "one": make(One, (2, 4)), "np": np})


def test_assignment_is_validated_before_it_is_written() -> None:
    d = CLASSES["probability_categorical"](np.array([[1.0, 1.0], [2.0, 1.0]]))
    for bad in ([-1.0, 1.0], [0.0, 0.0], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="weights"):
            d[0] = np.array(bad)
    np.testing.assert_array_equal(d.array, [[1.0, 1.0], [2.0, 1.0]])
    whole = CLASSES["probability_categorical"](np.array([[1, 1], [2, 1]]))
    with pytest.raises(ValueError, match="positive"):
        whole[0] = np.array([0.4, 0.4])  # zero once cast to the stored integers


def test_negation_is_defined_with_equality() -> None:
    """P-15: a class that defines == has != as its negation, and hashes by identity."""

    class Own(Plain):
        def __eq__(self, other: object) -> Any:
            return self.array[..., 0] == 1

    x = Own(fill((2, 3), 1))
    np.testing.assert_array_equal(x != x, [False, True])
    assert isinstance(hash(x), int)
    d = EXAMPLES["dirichlet"]
    np.testing.assert_array_equal(d != d, np.zeros((1, 2), bool))
    assert (d == "text") is False
    assert (d != "text") is True


def test_array_forms() -> None:
    """P-13: normalized probabilities, mean and variance, lower and upper bounds."""
    d = CLASSES["probability_categorical"](np.array([[1, 3]]))
    np.testing.assert_array_equal(np.asarray(d), [[0.25, 0.75]])
    assert np.asarray(d, dtype=np.float32).dtype == np.float32
    logits = CLASSES["logit_categorical"](np.zeros((1, 2)))
    np.testing.assert_array_equal(np.asarray(logits), [[0.5, 0.5]])
    g = EXAMPLES["gaussian"]
    np.testing.assert_array_equal(np.asarray(g), np.stack([g.mean, g.var], -1))
    c = EXAMPLES["intervals_credal"]
    np.testing.assert_array_equal(np.asarray(c), np.stack([c.lower_bounds, c.upper_bounds], -2))
    with pytest.raises(TypeError, match="several fields"):
        np.asarray(EXAMPLES["mixture"])


def test_sample_of_the_example_is_weighted() -> None:
    x = EXAMPLES["sample"]
    assert isinstance(x, NumpySample)
    assert x.is_weighted
