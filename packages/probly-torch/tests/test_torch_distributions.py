"""Constructors' errors, dtypes, samplers and scores of the Torch classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from probly import scores
from probly.conformal import ConformalPredictor
from probly.dispatch import library
from probly.errors import InvalidValueError
from probly.quantification import mutual_information
from probly.quantile import conformal_quantile
from probly.representation.kinds import KINDS, class_name
from probly.representation.sample import create_sample
from probly.validation import validation
from probly_torch.conformal import TorchConformalPredictor

CLASSES = library("torch").classes
NAN, INF = math.nan, math.inf
FLOATING = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def t(*numbers: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
    return torch.tensor(numbers, dtype=dtype)


def test_every_kind_has_its_class_and_name() -> None:
    assert {kind: cls.__name__ for kind, cls in CLASSES.items()} == {kind: class_name("Torch", kind) for kind in KINDS}


BAD_VALUES: list[tuple[str, tuple[torch.Tensor, ...]]] = [
    *(("probability_categorical", (w,)) for w in (t(1.0, -1.0), t(NAN, 1.0), t(0.0, 0.0), t(INF, 1.0), t(1, -1))),
    *(("logit_categorical", (x,)) for x in (t(NAN, 1.0), t(INF, 1.0), t(-INF, -INF))),
    *(("probability_bernoulli", (p,)) for p in (t(-0.1), t(1.5), t(NAN))),
    ("logit_bernoulli", (t(NAN),)),
    ("sparse_log_categorical", (t(-1, 0), t(0.0, 0.0))),
    ("sparse_log_categorical", (t(1, 0), t(NAN, 0.0))),
    ("sparse_log_categorical", (t(1, 0), t(-INF, -INF))),
    *(("dirichlet", (a,)) for a in (t(1.0, 0.0), t(1.0, -1.0), t(NAN, 1.0))),
    *(("gaussian", (t(0.0), v)) for v in (t(0.0), t(-1.0), t(NAN))),
    ("onehot_set", (t(0, 2),)),
    ("intervals_credal", (t(0.5, 0.7), t(0.6, 0.8))),
    ("level_set_credal", (t(2.0, 3.0), torch.tensor(1.5))),
]


@pytest.mark.parametrize(("kind", "arrays"), BAD_VALUES, ids=str)
def test_values_are_checked(kind: str, arrays: tuple[torch.Tensor, ...]) -> None:
    with pytest.raises(InvalidValueError):
        CLASSES[kind](*arrays)
    with validation("shapes"):
        CLASSES[kind](*arrays)


BAD_TYPES = [
    *(("probability_categorical", (w,)) for w in (t(True, False), t(1j, 1.0), np.ones(2), [0.5, 0.5], None)),
    ("logit_categorical", (t(True),)),
    ("sparse_log_categorical", (t(0.0), t(0.0))),
    ("sparse_log_categorical", (t(0), t(0))),
    ("dirichlet", (np.ones(2),)),
    ("gaussian", (t(0.0), np.ones(1))),
    ("mixture", (t(0.0), t(1.0))),
    ("convex_credal", (t(0.0),)),
    ("sample", (np.ones(2),)),
]
BAD_SHAPES = [
    ("probability_categorical", (torch.tensor(1.0),)),
    ("dirichlet", (t(1.0),)),
    ("gaussian", (t(0.0), t(1.0, 1.0))),
    ("sparse_log_categorical", (t(0), t(0.0, 0.0))),
    ("interval_set", (t(0.0, 0.0, 1.0),)),
    ("onehot_set", (torch.tensor(True),)),
    ("onehot_set", (t(0.0, 1.0),)),
    ("sample", (t(0.0, 0.0), 1)),
    ("sample", (t(0.0, 0.0), 0, t(1.0))),
]


@pytest.mark.parametrize(("kind", "arguments"), BAD_TYPES, ids=str)
def test_types_are_checked(kind: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        CLASSES[kind](*arguments)


@pytest.mark.parametrize(("kind", "arguments"), BAD_SHAPES, ids=str)
def test_shapes_are_checked(kind: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        CLASSES[kind](*arguments)


def test_assigned_values_are_checked() -> None:
    x = CLASSES["probability_categorical"](torch.ones(2, 3))
    with pytest.raises(InvalidValueError):
        x[0] = torch.tensor([-1.0, 1.0, 1.0])
    assert torch.equal(x.array, torch.ones(2, 3))


@pytest.mark.parametrize("dtype", FLOATING)
def test_dtypes_are_kept(dtype: torch.dtype) -> None:
    p = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]], dtype=dtype)
    x = CLASSES["probability_categorical"](p)
    for array in (x.probabilities, x.logits, x.log_probabilities, x.entropy(), torch.mean(x, 0).array):
        assert array.dtype == dtype
    labels = torch.tensor([0, 1])
    for score in (scores.inner_product, scores.kl_divergence, scores.total_variation, scores.wasserstein):
        for target in (labels, labels.to(torch.uint8), p, p.double(), x, np.array([0, 1]), [0, 1]):
            result = score(x, target)
            assert (result.dtype, result.shape) == (dtype, (2,))
    for score in (scores.lac, scores.aps, scores.raps, scores.saps):
        assert score(p, labels).dtype == dtype
    g = CLASSES["gaussian"](p, p)
    assert {g.std.dtype, g.quantile([0.1, 0.5]).dtype, (g + g).var.dtype, g.sample(2).array.dtype} == {dtype}
    d = CLASSES["dirichlet"](p)
    assert {(d - 3).alphas.dtype, d.entropy().dtype, d.sample(2).array.array.dtype} == {dtype}
    assert bool(((d - 3).alphas > 0).all())


def test_integers_become_the_default_dtype() -> None:
    assert CLASSES["probability_categorical"](t(1, 3)).probabilities.dtype == torch.get_default_dtype()
    assert CLASSES["dirichlet"](t(1, 3)).alphas.dtype == torch.get_default_dtype()
    assert CLASSES["gaussian"](t(1), t(2)).var.dtype == torch.get_default_dtype()


# -- sampling ---------------------------------------------------------------------------------------------------------


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


SAMPLED: dict[str, Callable[[], Any]] = {
    "categorical": lambda: CLASSES["probability_categorical"](torch.ones(2, 4)),
    "logits": lambda: CLASSES["logit_categorical"](torch.zeros(2, 4)),
    "bernoulli": lambda: CLASSES["probability_bernoulli"](torch.full((2,), 0.5)),
    "dirichlet": lambda: CLASSES["dirichlet"](torch.ones(2, 4)),
    "gaussian": lambda: CLASSES["gaussian"](torch.zeros(2), torch.ones(2)),
    "mixture": lambda: CLASSES["mixture"](CLASSES["gaussian"](torch.zeros(2, 3), torch.ones(2, 3)), torch.ones(2, 3)),
}


def numbers(sample: Any) -> torch.Tensor:
    return sample.array if isinstance(sample.array, torch.Tensor) else sample.array.array  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", SAMPLED)
def test_samples_come_from_the_generator(name: str) -> None:
    x = SAMPLED[name]()
    first, second = (numbers(x.sample(50, seeded())) for _ in range(2))
    assert torch.equal(first, second)
    assert first.shape[:2] == (50, 2)
    assert x.sample(3).sample_axis == 0
    state = torch.get_rng_state()
    fresh = [numbers(x.sample(50)) for _ in range(2)]
    assert not torch.equal(*fresh)
    assert torch.equal(torch.get_rng_state(), state)
    for wrong in (np.random.default_rng(0), 0, "seed"):
        with pytest.raises(TypeError):
            x.sample(2, wrong)
    with pytest.raises(ValueError, match="at least one"):
        x.sample(0)


def test_generators_of_another_device_are_refused() -> None:
    meta = CLASSES["gaussian"](torch.zeros(2), torch.ones(2)).to("meta")
    with pytest.raises(ValueError, match="rng draws on cpu"):
        meta.sample(2, seeded())


def test_classes_are_drawn_by_their_probabilities() -> None:
    weights = torch.tensor([[0.0, 1.0, 3.0, 0.0], [2.0, 0.0, 0.0, 2.0]])
    ids = CLASSES["probability_categorical"](weights).sample(20_000, seeded()).array
    assert ids.dtype == torch.int64
    shares = torch.nn.functional.one_hot(ids, 4).double().mean(0)
    assert bool(((shares > 0) == (weights > 0)).all())
    assert torch.allclose(shares, (weights / 4).double(), atol=0.02)


def test_moments_of_draws() -> None:
    g = CLASSES["gaussian"](t(1.0, -2.0), t(4.0, 0.25)).sample(20_000, seeded())
    assert torch.allclose(g.sample_mean(), t(1.0, -2.0), atol=0.05)
    assert torch.allclose(g.sample_var(), t(4.0, 0.25), rtol=0.05)
    d = CLASSES["dirichlet"](t(2.0, 3.0, 5.0)).sample(20_000, seeded())
    assert torch.allclose(d.sample_mean().probabilities, t(0.2, 0.3, 0.5), atol=0.01)


def test_tiny_concentrations_give_finite_draws() -> None:
    draws = CLASSES["dirichlet"](torch.full((3,), 1e-10)).sample(100, seeded()).array.probabilities
    assert bool(torch.isfinite(draws).all())
    assert torch.allclose(draws.sum(-1), torch.ones(100))


def test_draws_are_differentiable() -> None:
    mean = torch.zeros(2, requires_grad=True)
    CLASSES["gaussian"](mean, torch.ones(2)).sample(3, seeded()).array.sum().backward()
    assert mean.grad is not None
    assert mean.grad.tolist() == [3.0, 3.0]
    alphas = torch.ones(3, requires_grad=True)
    CLASSES["dirichlet"](alphas).sample(3, seeded()).array.array[..., 0].sum().backward()
    assert alphas.grad is not None
    assert bool(torch.isfinite(alphas.grad).all())


# -- scores -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["inner_product", "kl_divergence", "total_variation", "wasserstein"])
def test_scores_are_differentiable(name: str) -> None:
    score = getattr(scores, name)
    # not normalized: the Wasserstein score has a kink where both sums agree
    p = torch.tensor([[0.4, 0.2, 0.3], [0.2, 0.6, 0.1]], dtype=torch.float64, requires_grad=True)
    target = torch.tensor([[0.1, 0.6, 0.3], [0.3, 0.3, 0.4]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(score, (p, target))
    assert torch.autograd.gradcheck(lambda q: score(q, torch.tensor([0, 2])), (p,))
    zero = torch.tensor([[0.0, 1.0]], requires_grad=True)
    score(zero, torch.tensor([0])).sum().backward()
    assert bool(torch.isfinite(zero.grad).all())  # type: ignore[arg-type]


def test_targets_of_other_kinds() -> None:
    p = torch.tensor([[0.5, 0.5], [0.25, 0.75]])
    for bad in (torch.tensor([True, False]), torch.ones(2, 2, dtype=torch.complex64), np.array(["a", "b"]), True):
        with pytest.raises(TypeError):
            scores.inner_product(p, bad)
    for labels in (torch.tensor([2, 0]), torch.tensor([-1, 0]), torch.tensor([0, 1, 0])):
        with pytest.raises(ValueError):  # noqa: PT011
            scores.wasserstein(p, labels)
    sparse = CLASSES["sparse_log_categorical"](torch.tensor([[0], [1]]), torch.zeros(2, 1))
    assert torch.equal(scores.inner_product(p, sparse), scores.inner_product(p, torch.tensor([0, 1])))


def test_conformal_prediction() -> None:
    p = torch.tensor([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    predictor = ConformalPredictor(lambda x: x, scores.lac).calibrate(0.5, torch.tensor([0, 1, 1]), p)
    assert predictor.quantile == 0.25
    assert predictor(p).array.tolist() == [[True, False], [False, False], [False, True]]
    assert conformal_quantile(torch.tensor([0.1, 0.2]), 0.1) == INF
    with pytest.raises(InvalidValueError):
        conformal_quantile(torch.tensor([0.1, NAN]), 0.1)


def test_the_quantile_is_a_buffer() -> None:
    scale, other = (torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Flatten(0)) for _ in range(2))
    predictor = TorchConformalPredictor(scale, scores.absolute_error)
    x = torch.arange(4.0).reshape(4, 1)
    with pytest.raises(InvalidValueError, match="calibrate"):
        predictor(x)
    assert predictor.calibrate(0.5, scale(x).detach() + 1.0, x).quantile == pytest.approx(1.0)
    twin = TorchConformalPredictor(other, scores.absolute_error)
    assert twin.quantile is None
    twin.load_state_dict(predictor.state_dict())
    assert torch.equal(twin(x).array, predictor(x).array)
    assert len(list(twin.parameters())) == 2


@pytest.mark.parametrize("name", scores.__all__)
def test_scores_stay_on_the_device(name: str) -> None:
    p, y = torch.ones(4, 3, 2, device="meta"), torch.ones(4, 3, device="meta")
    real = name in {"cqr", "cqr_r", "uacqr", "absolute_error"}
    outcome = torch.ones(3, device="meta") if name == "uacqr" else y if real else y.long()
    options = {"randomized": False} if name in {"aps", "raps", "saps"} else {}
    prediction = p[..., 0] if name == "absolute_error" else p
    assert getattr(scores, name)(prediction, outcome, **options).device.type == "meta"


def test_representations_stay_on_the_device() -> None:
    a = torch.ones(4, 3, device="meta")
    dirichlet, gaussian = CLASSES["dirichlet"](a), CLASSES["gaussian"](a, a)
    categorical, bernoulli = CLASSES["probability_categorical"](a), CLASSES["probability_bernoulli"](a)
    arrays = (
        *(categorical.entropy(), categorical.log_probabilities, torch.mean(categorical, 0).array, categorical[0].array),
        *(bernoulli.logits, bernoulli.probabilities, CLASSES["logit_bernoulli"](a).logits),
        *((dirichlet - 1).alphas, dirichlet.entropy(), (1 - dirichlet).alphas, dirichlet == 1.0),
        *(gaussian.quantile([0.1, 0.9]), (2 + gaussian).var, gaussian.entropy(), gaussian == gaussian),
        CLASSES["sparse_log_categorical"](a.long(), a).to_dense(3).array,
    )
    assert {array.device.type for array in arrays} == {"meta"}


def test_samples_of_categoricals() -> None:
    members = [
        CLASSES["probability_categorical"](torch.tensor([[0.9, 0.1]])),
        CLASSES["probability_categorical"](torch.tensor([[0.1, 0.9]])),
    ]
    sample = create_sample(members, sample_axis=0)
    assert type(sample) is CLASSES["sample"]
    assert 0 < float(mutual_information(sample)) < math.log(2)
    assert type(sample[0]) is CLASSES["probability_categorical"]
    assert type(torch.mean(sample, 0)) is CLASSES["probability_categorical"]
    assert CLASSES["distance_credal"].from_sample(sample).radius.tolist() == pytest.approx([0.4])
