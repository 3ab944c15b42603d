"""Core alone suffices for a stranger's backend: the case file runs on it."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

from probly import dispatch, plugins, scores
from probly.conversion import to_backend
from probly.numpy_backend import plugin as numpy_plugin
from probly.numpy_backend.ops import NUMPY
from probly.quantile import conformal_quantile
from probly.scores import lac
from probly.testing import check_backend, failure, load

HERE = Path(__file__).parent
CASES = [case for case in load(HERE.parents[2] / "tests/cases/probly.json") if "numpy" in case["backends"]]


@pytest.fixture(scope="module")
def toy() -> Iterator[ModuleType]:
    """The toy backend beside NumPy's, through the door."""
    spec = importlib.util.spec_from_file_location("toy_backend", HERE / "toy_backend.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["toy_backend"] = module
    spec.loader.exec_module(module)
    candidates = [("numpy", "probly-core", lambda: numpy_plugin), ("toy", "probly-toy", module.Plugin)]
    with pytest.MonkeyPatch.context() as patch:
        found = plugins.read(candidates)
        patch.setattr(dispatch, "installed", lambda: found)
        yield module
    for cache in (dispatch.library, dispatch.ops):
        cache.cache_clear()
    dispatch._claims.clear()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
@pytest.mark.filterwarnings("ignore")
def test_case(toy: ModuleType, case: dict[str, object]) -> None:
    assert failure(case, "toy") is None


def test_loaded_once_on_first_sight(toy: ModuleType) -> None:
    lac(toy.ToyArray([0.25, 0.75]))
    assert toy.LOADS == ["toy"]


def test_result_is_of_the_backend(toy: ModuleType) -> None:
    score = lac(toy.ToyArray([0.25, 0.75]))
    assert type(score) is toy.ToyArray
    np.testing.assert_array_equal(score.data, [0.75, 0.25])


def test_conformance(toy: ModuleType) -> None:
    assert check_backend("toy") == []


# -- sidecars and tracing, which NumPy alone cannot show ---------------------------------------------------------------


def _with_sidecar(toy: ModuleType) -> Any:
    @dataclass(frozen=True, eq=False)
    class Named(toy.ToyAxisProtected):  # type: ignore[name-defined, misc]
        array: Any
        names: Any
        protected_axes: ClassVar[dict[str, int]] = {"array": 1, "names": 0}
        permitted_operations: ClassVar[frozenset[str]] = frozenset({"add", "mean", "equal", "average"})

    names = np.array([["a", "b"], ["c", "d"]], dtype=object)
    return Named(toy.ToyArray(np.arange(12.0).reshape(2, 2, 3)), names)


def test_sidecars_follow_structure(toy: ModuleType) -> None:
    """P-5b: structural operations treat them with NumPy's primitive."""
    x = _with_sidecar(toy)
    assert x.T.names.tolist() == [["a", "c"], ["b", "d"]]
    assert x[1].names.tolist() == ["c", "d"]
    assert toy.FUNCTIONS["stack"]([x, x], axis=0).names.shape == (2, 2, 2)
    assert toy.FUNCTIONS["concatenate"]([x, x], axis=1).names.tolist()[0] == ["a", "b", "a", "b"]
    assert x.reshape(4).names.tolist() == list("abcd")


def test_sidecars_decline_arithmetic(toy: ModuleType) -> None:
    """O-10, P-5b."""
    x = _with_sidecar(toy)
    index = toy.ToyArray(np.zeros((2, 2), int))
    for call in (
        lambda: x + x,
        lambda: 1 + x,
        x.copy,
        lambda: toy.FUNCTIONS["mean"](x),
        lambda: toy.FUNCTIONS["average"](x),
        lambda: toy.FUNCTIONS["take_along_axis"](x, index, 0),
    ):
        with pytest.raises(TypeError):
            call()
    assert (x == x) is True


@pytest.fixture
def traced(toy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The toy backend with numbers that cannot be read."""
    unread = dataclasses.replace(toy.TOY, is_concrete=lambda a: False)
    monkeypatch.setattr(toy.ToyAxisProtected, "_ops", unread)
    monkeypatch.setattr(dispatch, "ops", lambda name: unread if name == "toy" else NUMPY)
    return toy


def test_traced_labels_out_of_range_give_nan(traced: ModuleType) -> None:
    """S-E6."""
    p = traced.ToyArray(np.array([[0.25, 0.75]] * 3))
    y = traced.ToyArray(np.array([1, 2, -1]))
    for score in (scores.inner_product, scores.kl_divergence, scores.total_variation, scores.wasserstein, scores.lac):
        result = score(p, y).data
        np.testing.assert_array_equal(np.isnan(result), [False, True, True])


def test_traced_quantiles_stay_arrays(traced: ModuleType) -> None:
    """Q-2."""
    result = conformal_quantile(traced.ToyArray(np.array([0.3, 0.1, 0.2])), 0.5)
    assert type(result) is traced.ToyArray
    assert float(result) == 0.2
    assert np.isnan(float(conformal_quantile(traced.ToyArray(np.array([np.nan, 0.1])), 0.5)))


def test_traced_sparse_needs_the_number_of_classes(traced: ModuleType) -> None:
    """D-11."""
    x = traced.CLASSES["sparse_log_categorical"](traced.ToyArray([0, 1]), traced.ToyArray([0.0, 0.0]))
    with pytest.raises(ValueError, match="to_dense"):
        _ = x.num_classes
    np.testing.assert_array_equal(x.to_dense(3).probabilities.data, [0.5, 0.5, 0.0])


def test_other_backends_are_converted_to_the_predictions(toy: ModuleType) -> None:
    """S-9: the prediction's backend wins."""
    p = np.array([[0.25, 0.75], [0.5, 0.5]])
    wanted = scores.inner_product(p, np.array([1, 0]))
    mixed = scores.inner_product(toy.ToyArray(p), np.array([1, 0]))
    assert type(mixed) is toy.ToyArray
    np.testing.assert_array_equal(mixed.data, wanted)
    for target in (toy.ToyArray([1, 0]), toy.CLASSES["probability_categorical"](toy.ToyArray(np.eye(2)[[1, 0]]))):
        result = scores.inner_product(p, target)
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("kind", ["probability_categorical", "gaussian", "sample", "distance_credal"])
def test_representations_move_between_backends(toy: ModuleType, kind: str) -> None:
    """P-17: the kind, a sample's axis and weights, and nested representations are kept."""
    w = toy.ToyArray(np.array([[0.2, 0.8], [0.5, 0.5]]))
    categorical = toy.CLASSES["probability_categorical"](w)
    made = {
        "probability_categorical": categorical,
        "gaussian": toy.CLASSES["gaussian"](w, w),
        "sample": toy.CLASSES["sample"](categorical, 0, toy.ToyArray([1.0, 3.0])),
        "distance_credal": toy.CLASSES["distance_credal"](categorical, 0.25, "wasserstein"),
    }[kind]
    there = to_backend(made, "numpy")
    assert type(there) is dispatch.library("numpy").classes[kind]
    again = to_backend(there, "toy")
    assert type(again) is type(made)
    assert again.shape == made.shape
    if kind == "sample":
        np.testing.assert_array_equal(there.weights, [1, 3])
        np.testing.assert_allclose(there.sample_mean().probabilities, [0.425, 0.575])
    if kind == "distance_credal":
        assert again.metric == "wasserstein"
