"""Core alone suffices for a stranger's backend: the case file runs on it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from probly import dispatch, plugins
from probly.numpy_backend import plugin as numpy_plugin
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
