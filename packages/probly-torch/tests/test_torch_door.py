"""The package seen through the door: entry point, forwarders, conversion, lazy loading."""

from __future__ import annotations

import importlib
import subprocess
import sys

import numpy as np
import pytest
import torch

from probly.conversion import to_numpy_like, to_torch_like
from probly.dispatch import backend, backend_of, convert, ops
from probly.representation.distribution import create_categorical_distribution
from probly.representation.kinds import KINDS
from probly.representation.sample import create_sample

PATHS = [
    "_protected_axis.torch",
    "torch_functions",
    *(
        f"distribution.torch_{name}"
        for name in ("categorical", "bernoulli", "sparse", "dirichlet", "gaussian", "mixture")
    ),
    "sample.torch_sample",
    "conformal_set.torch_sets",
    "credal_set.torch_sets",
]


@pytest.mark.parametrize("path", PATHS)
def test_forwarders_give_the_same_objects(path: str) -> None:
    own = importlib.import_module(f"probly_torch.representation.{path}")
    forward = importlib.import_module(f"probly.representation.{path}")
    assert own.__all__
    for name in own.__all__:
        assert getattr(forward, name) is getattr(own, name)


def test_torch_is_loaded_with_the_first_tensor() -> None:
    code = """
import sys, probly.dispatch, probly.scores, probly.representation.distribution
assert probly.dispatch.backends()["torch"].package == "probly-torch"
probly.scores.lac([0.5, 0.5])
assert "torch" not in sys.modules and "probly_torch.ops" not in sys.modules
import torch
assert type(probly.scores.lac(torch.tensor([0.5, 0.5]))) is torch.Tensor
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tensors_belong_to_torch() -> None:
    for tensor in (torch.ones(2), torch.nn.Parameter(torch.ones(2)), torch.ones(2, device="meta")):
        assert backend_of(tensor) is backend("torch")


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, torch.int64),
        (1.5, torch.float32),
        (True, torch.bool),
        ([[1, 2]], torch.int64),
        ([np.float64(1.0), np.float64(2.0)], torch.float64),
        (np.arange(3, dtype=np.uint8)[::-1], torch.uint8),
        (np.arange(3, dtype=">f4"), torch.float32),
        (np.float16(2.0), torch.float16),
        (np.array(1j), torch.complex128),
    ],
)
def test_conversion_keeps_the_dtype(value: object, dtype: torch.dtype) -> None:
    tensor = convert(value, ops("torch"))
    assert tensor.dtype == dtype
    assert np.array_equal(tensor.numpy(), np.asarray(value))


def test_conversion_copies_and_follows_the_device() -> None:
    array = np.zeros(2)
    array.flags.writeable = False
    tensor = convert(array, ops("torch"))
    tensor += 1
    assert array.tolist() == [0.0, 0.0]
    assert convert([1.0], ops("torch"), torch.ones(1, device="meta")).device.type == "meta"

    class Own:
        def __torch_like__(self) -> torch.Tensor:
            return torch.ones(3)

    assert torch.equal(convert(Own(), ops("torch")), torch.ones(3))


@pytest.mark.parametrize(
    "value", [None, "a", ["a"], [[1], [1, 2]], np.array([object()]), np.array(["a"]), object(), {1}]
)
def test_conversion_refuses_what_is_no_array(value: object) -> None:
    with pytest.raises(TypeError):
        convert(value, ops("torch"))


def test_representations_change_backends() -> None:
    sample = create_sample([torch.ones(2), torch.zeros(2)], weights=torch.tensor([1.0, 3.0]))
    there = to_numpy_like(sample)
    back = to_torch_like(there)
    assert isinstance(there, KINDS["sample"])
    assert (back.sample_axis, back.weights.tolist()) == (1, [1.0, 3.0])
    assert torch.equal(back.array, sample.array)
    categorical = create_categorical_distribution(torch.tensor([1.0, 3.0]))
    assert to_numpy_like(categorical).probabilities.tolist() == [0.25, 0.75]
