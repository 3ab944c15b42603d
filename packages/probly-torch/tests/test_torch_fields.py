"""Shape, dtype and device; moving, copying and pickling; derivatives through representations."""

from __future__ import annotations

import copy
import pickle
import weakref
from typing import Any

import numpy as np
import pytest
import torch
from torch_layouts import KINDS, One, Sidecar, Two, assert_same, fill, make

from probly.representation.distribution import (
    create_categorical_distribution,
    create_categorical_distribution_from_logits,
)
from probly.representation.distribution.torch_gaussian import TorchGaussianDistribution
from probly.representation.distribution.torch_sparse import TorchSparseLogCategoricalDistribution
from probly.representation.sample.torch_sample import TorchSample


@pytest.mark.parametrize("kind", KINDS)
def test_shape(kind: type[Any]) -> None:
    x = make(kind, (2, 3))
    assert (x.shape, x.ndim, x.dim(), x.numel(), torch.numel(x), len(x)) == ((2, 3), 2, 2, 6, 6, 2)
    assert x.size() == torch.Size([2, 3])
    assert x.size(-1) == 3
    with pytest.raises(IndexError):
        x.size(2)
    assert (x.dtype, x.device, x.requires_grad) == (torch.float64, torch.device("cpu"), False)
    assert [part.shape for part in x] == [(3,), (3,)]
    assert make(kind, ()).numel() == 1
    with pytest.raises(TypeError):
        len(make(kind, ()))
    with pytest.raises(TypeError):
        bool(x)


@pytest.mark.parametrize("kind", KINDS)
def test_copies(kind: type[Any]) -> None:
    x = make(kind, (2, 3))
    for twin in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x), torch.clone(x), x.copy()):
        assert_same(twin, x)
    assert weakref.ref(x)() is x
    assert type(x).__name__ in repr(x)
    assert len({x, x, make(kind, (2, 3))}) == 2


def test_fields_that_are_no_arrays_are_kept() -> None:
    x = Two(fill((2, 2, 3)), fill((2,)), "mine")
    assert [y.label for y in (x[0], x + 1, torch.mean(x), x.to(torch.float32))] == ["mine"] * 4


@pytest.mark.parametrize("kind", KINDS)
def test_to(kind: type[Any]) -> None:
    x = make(kind, (2, 3))
    assert x.to(torch.float64) is x
    assert x.cpu() is x
    assert x.to("cpu", torch.float64) is x
    single = x.to(torch.float32)
    assert single.dtype == torch.float32
    assert_same(single.to(torch.float64), x)
    assert x.to(device="meta").device == torch.device("meta")


def test_to_leaves_integers_beside_floating_fields() -> None:
    sparse = TorchSparseLogCategoricalDistribution(torch.tensor([0, 2]), torch.tensor([0.0, 1.0]))
    moved = sparse.to(torch.float64)
    assert (moved.group_ids.dtype, moved.entry_logits.dtype) == (torch.int64, torch.float64)
    assert One(torch.ones(2, 3, dtype=torch.int64)).to(torch.float32).dtype == torch.float32


def test_weights_follow_to_the_device() -> None:
    sample = TorchSample(fill((2, 3)), 1, torch.ones(3)).to("meta")
    assert sample.weights is not None
    assert (sample.array.device.type, sample.weights.device.type) == ("meta", "meta")


def test_numpy() -> None:
    x = One(fill((2, 3)).requires_grad_())
    assert x.requires_grad
    with pytest.raises(RuntimeError):
        x.numpy()
    assert np.array_equal(x.numpy(force=True), fill((2, 3)).numpy())
    assert np.array_equal(x.detach().numpy(), fill((2, 3)).numpy())
    categorical = create_categorical_distribution(torch.tensor([1.0, 3.0]))
    assert categorical.numpy().tolist() == [0.25, 0.75]


def test_tensor_is_the_array() -> None:
    x = One(fill((2, 3)))
    assert x.tensor is x.array
    with pytest.raises(AttributeError):
        x.tensor = x.array  # type: ignore[misc]
    with pytest.raises(AttributeError):
        _ = TorchGaussianDistribution(torch.zeros(2), torch.ones(2)).tensor
    sample = TorchSample(fill((2, 3)), 1)
    assert (sample.tensor is sample.array, sample.sample_dim) == (True, 1)


def test_sidecars_survive_copies() -> None:
    x = Sidecar(np.array(["a", "b"], dtype=object), fill((2, 3)))
    twin = pickle.loads(pickle.dumps(x))
    assert twin.text.tolist() == ["a", "b"]
    assert torch.equal(twin.array, x.array)


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_flow_through_operations(kind: type[Any]) -> None:
    def value(array: torch.Tensor) -> torch.Tensor:
        x = One(array)
        y = torch.cat([x * 2, 1 - x], 0)[1:].reshape(-1).unsqueeze(0)
        return torch.mean(y @ y.mT, (0, 1)).array

    assert torch.autograd.gradcheck(value, fill((2, 2, 3)).requires_grad_())
    x = make(kind, (2, 3))
    assert not torch.detach(x * 2).requires_grad


def test_derivatives_flow_through_distributions() -> None:
    def statistics(array: torch.Tensor) -> tuple[torch.Tensor, ...]:
        by_logits = create_categorical_distribution_from_logits(array)
        by_weights = create_categorical_distribution(torch.exp(array))
        gaussian = TorchGaussianDistribution(array, torch.exp(array))
        mean = torch.mean(by_logits, 0)
        return (
            by_logits.entropy(),
            by_weights.log_probabilities,
            mean.probabilities,
            gaussian.quantile(0.3),
            (gaussian - gaussian).entropy(),
        )

    assert torch.autograd.gradcheck(statistics, (fill((2, 3)) / 4).requires_grad_())


def test_entropy_has_finite_derivatives_at_zero() -> None:
    weights = torch.tensor([0.0, 1.0, 3.0], requires_grad=True)
    create_categorical_distribution(weights).entropy().backward()
    assert weights.grad is not None
    assert bool(torch.isfinite(weights.grad).all())
