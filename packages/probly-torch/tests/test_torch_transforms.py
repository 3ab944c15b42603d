"""Scores and representations inside ``torch.func`` transforms, fake tensors and ``torch.compile`` (T-6)."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from probly import scores
from probly.quantile import conformal_quantile
from probly.representation.distribution.torch_categorical import TorchProbabilityCategoricalDistribution as Categorical
from probly.representation.distribution.torch_gaussian import TorchGaussianDistribution as Gaussian

P = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
Y = torch.tensor([0, 2])
SCORES = (scores.inner_product, scores.kl_divergence, scores.total_variation, scores.wasserstein)


@pytest.mark.parametrize("score", SCORES)
def test_vmap(score) -> None:
    assert torch.allclose(torch.func.vmap(score)(P, Y), score(P, Y))
    assert torch.allclose(torch.func.vmap(lambda p: score(Categorical(p), p.flip(0)))(P), score(P, P.flip(1)))
    outside = torch.func.vmap(score)(P, Y + 1)
    assert torch.isnan(outside).tolist() == [False, True]


@pytest.mark.parametrize("score", SCORES)
def test_grad(score) -> None:
    gradient = torch.func.grad(lambda p: score(p, Y).sum())(P)
    leaf = P.clone().requires_grad_()
    score(leaf, Y).sum().backward()
    assert torch.allclose(gradient, leaf.grad)
    per_row = torch.func.vmap(torch.func.grad(score))(P, Y)
    assert torch.allclose(per_row, gradient)


def test_construction_in_transforms_skips_the_checks() -> None:
    means = torch.func.vmap(lambda p: torch.mean(Categorical(p - 1), 0).array)(P[None])
    assert means.shape == (1, 3)
    quantiles = torch.func.vmap(lambda v: Gaussian(v, v).quantile(0.5))(P)
    assert torch.allclose(quantiles, P)


def test_quantile_in_a_transform() -> None:
    quantile, gradient = (
        torch.func.vmap(lambda s: conformal_quantile(s, 0.5))(P),
        torch.func.grad(lambda s: conformal_quantile(s, 0.5))(P[0]),
    )
    assert quantile.tolist() == [0.25, 0.125]
    assert gradient.sum() == 1


def test_sampling_in_a_transform_needs_a_generator() -> None:
    with pytest.raises(ValueError, match="give rng"):
        torch.func.vmap(lambda p: Categorical(p).sample(2).array)(P)


def test_fake_tensors() -> None:
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(P)
        assert Categorical(fake).entropy().shape == (2,)
        assert scores.kl_divergence(fake, mode.from_tensor(Y)).shape == (2,)


@pytest.mark.filterwarnings("ignore")
def test_compile() -> None:
    def f(p: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return scores.inner_product(p, y) + scores.total_variation(p, y)

    assert torch.allclose(torch.compile(f, backend="eager")(P, Y), f(P, Y))
