"""Distributions, their measures and draws (section 5), against SciPy and definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from probly import quantification as q
from probly import validation
from probly.dispatch import library
from probly.representation import distribution as d
from probly.representation.sample import (
    BernoulliDistributionSample,
    CategoricalDistributionSample,
    DirichletDistributionSample,
    GaussianDistributionSample,
    NumpySample,
)

CLASSES = library("numpy").classes
W = np.array([[2.0, 6.0, 2.0], [1.0, 0.0, 3.0]])
P = W / W.sum(-1, keepdims=True)


@pytest.mark.parametrize("weights", [W, W.astype(int), W.astype(np.float32), W.astype(np.uint8), W.tolist()])
def test_categorical_by_weights(weights: Any) -> None:
    """D-2, D-3."""
    x = d.create_categorical_distribution(weights)
    np.testing.assert_allclose(x.probabilities, P, rtol=1e-6)
    with np.errstate(all="raise"):
        np.testing.assert_allclose(np.exp(x.logits), W, rtol=1e-6)
        np.testing.assert_allclose(np.exp(x.log_probabilities), P, rtol=1e-6)
    assert x.num_classes == 3
    assert d.create_categorical_distribution(x) is x


def test_categorical_by_logits() -> None:
    x = d.create_categorical_distribution_from_logits(np.log(P + 1e-300) + 700)
    np.testing.assert_allclose(x.probabilities, P, atol=1e-12)
    np.testing.assert_allclose(x.unnormalized_probabilities.max(-1), 1.0)
    np.testing.assert_allclose(np.exp(x.log_probabilities), P, atol=1e-12)
    integers = d.create_categorical_distribution_from_logits([0, 1])
    np.testing.assert_allclose(integers.probabilities, special.softmax([0, 1]))


@pytest.mark.parametrize(
    ("kind", "arrays", "error"),
    [
        ("probability_categorical", ([[1, 2]],), TypeError),
        ("probability_categorical", (np.array([True, False]),), TypeError),
        ("probability_categorical", (np.array([1j]),), TypeError),
        ("probability_categorical", (np.array(["a"]),), TypeError),
        ("probability_categorical", (np.array(1.0),), ValueError),
        ("probability_categorical", (np.array([-1.0, 2.0]),), ValueError),
        ("probability_categorical", (np.array([np.nan, 2.0]),), ValueError),
        ("probability_categorical", (np.array([np.inf, 2.0]),), ValueError),
        ("probability_categorical", (np.array([[0.0, 0.0], [1.0, 1.0]]),), ValueError),
        ("logit_categorical", (np.array(1.0),), ValueError),
        ("logit_categorical", (np.array([np.nan, 2.0]),), ValueError),
        ("logit_categorical", (np.array([np.inf, 2.0]),), ValueError),
        ("logit_categorical", (np.array([-np.inf, -np.inf]),), ValueError),
        ("probability_bernoulli", (np.array(1.1),), ValueError),
        ("probability_bernoulli", (np.array(np.nan),), ValueError),
        ("logit_bernoulli", (np.array(np.nan),), ValueError),
        ("sparse_log_categorical", (np.array([0.0]), np.array([0.0])), TypeError),
        ("sparse_log_categorical", (np.array([0]), np.array([0])), TypeError),
        ("sparse_log_categorical", (np.array([-1]), np.array([0.0])), ValueError),
        ("sparse_log_categorical", (np.array([1]), np.array([[0.0]])), ValueError),
        ("sparse_log_categorical", (np.array([1]), np.array([-np.inf])), ValueError),
        ("sparse_log_categorical", (np.zeros(0, int), np.zeros(0)), ValueError),
        ("dirichlet", (np.array([1.0]),), ValueError),
        ("dirichlet", (np.array([1.0, 0.0]),), ValueError),
        ("dirichlet", (np.array([1.0, np.nan]),), ValueError),
        ("gaussian", (np.zeros(2), np.ones(3)), ValueError),
        ("gaussian", (np.zeros(2), np.array([1.0, 0.0])), ValueError),
        ("gaussian", (np.zeros(1), np.array([np.nan])), ValueError),
        ("gaussian", (0.0, 1.0), TypeError),
        ("mixture", (np.zeros(2), np.ones(2)), TypeError),
        ("sample", (np.zeros(2), 1), ValueError),
        ("sample", (np.zeros(2), 0.5), TypeError),
        ("sample", (np.zeros(2), 0, np.ones(3)), ValueError),
    ],
    ids=range(33),
)
def test_constructors_refuse(kind: str, arrays: tuple[Any, ...], error: type[Exception]) -> None:
    """5.6; V-10: predicates fail for NaN."""
    with pytest.raises(error):
        CLASSES[kind](*arrays)


def test_validation_can_be_limited_to_shapes() -> None:
    with validation("shapes"):
        x = CLASSES["probability_categorical"](np.array([-1.0, 1.0]))
        with pytest.raises(ValueError, match="axes"):
            CLASSES["probability_categorical"](np.array(1.0))
    with pytest.raises(ValueError, match="non-negative"):
        np.copy(x)
    with pytest.raises(ValueError, match="'full' or 'shapes'"), validation("none"):
        pass


def test_means_are_of_probabilities() -> None:
    """D-6, also for logits; a sum is not permitted."""
    for x in (d.create_categorical_distribution(W), d.create_categorical_distribution_from_logits(np.log(P + 1e-300))):
        mean, weighted = np.mean(x, axis=0), np.average(x, weights=np.array([1.0, 3.0]))
        for result in (mean, weighted):
            assert type(result) is CLASSES["probability_categorical"]
        np.testing.assert_allclose(mean.probabilities, P.mean(0))
        np.testing.assert_allclose(weighted.probabilities, np.average(P, 0, [1, 3]))
        with pytest.raises(TypeError):
            np.sum(x)
        with pytest.raises(TypeError):
            _ = x + x
    n = [d.create_categorical_distribution(row) for row in W]
    np.testing.assert_allclose(np.mean(np.stack(n)).probabilities, P.mean(0))
    bernoulli = CLASSES["logit_bernoulli"](np.array([0.0, np.inf]))
    assert type(np.mean(bernoulli)) is CLASSES["probability_bernoulli"]
    np.testing.assert_allclose(np.mean(bernoulli).array, 0.75)


def test_equality() -> None:
    """D-7."""
    x = d.create_categorical_distribution(W)
    np.testing.assert_array_equal(x == d.create_categorical_distribution(4 * W), [True, True])
    np.testing.assert_array_equal(x != d.create_categorical_distribution(W[::-1].copy()), [True, True])
    np.testing.assert_array_equal(x == W, [True, True])
    np.testing.assert_array_equal(x == P, [False, False])
    assert (x == "text") is False
    logits = d.create_categorical_distribution_from_logits(np.log(P + 1e-300))
    np.testing.assert_array_equal(logits == logits, [True, True])
    np.testing.assert_array_equal(x.isclose(logits), [True, True])
    with pytest.raises(ValueError, match="3 classes where 4"):
        _ = x == d.create_categorical_distribution(np.ones(4))
    sparse = d.create_sparse_log_categorical_distribution(
        [[0, 1, 2], [0, 2, 2]], np.log(np.array([[2, 6, 2], [2, 3, 3.0]]))
    )
    np.testing.assert_array_equal(x.isclose(sparse), [True, True])
    np.testing.assert_array_equal(sparse == np.flip(sparse), [False, False])


def test_bernoulli() -> None:
    """D-10."""
    p = np.array([0.0, 0.3, 1.0])
    x = d.create_bernoulli_distribution(p)
    assert (x.shape, x.num_classes) == ((3,), 2)
    np.testing.assert_allclose(x.probabilities, np.stack([1 - p, p], -1))
    np.testing.assert_allclose(special.softmax(x.logits, -1), x.probabilities)
    np.testing.assert_allclose(x.to_categorical().array, x.probabilities)
    logits = CLASSES["logit_bernoulli"](special.logit(p))
    np.testing.assert_allclose(logits.probabilities, x.probabilities)
    np.testing.assert_allclose(logits.logits[1], [0.0, special.logit(0.3)])
    np.testing.assert_allclose(q.entropy(logits), q.entropy(x))
    two = type(x).from_two_columns(np.array([[0.9, 0.1]]))
    np.testing.assert_allclose(two.array, [0.1])
    with pytest.raises(ValueError, match="two columns"):
        type(x).from_two_columns(np.ones(3))


def test_sparse() -> None:
    """D-11: entries of one class add."""
    ids, logits = np.array([[3, 0, 3], [1, 1, 2]]), np.array([[0.0, 1.0, 2.0], [-np.inf, 0.0, 5.0]])
    x = d.create_sparse_log_categorical_distribution(ids, logits)
    wanted = np.zeros((2, 5))
    for row in range(2):
        for c, value in zip(ids[row], logits[row], strict=True):
            wanted[row, c] += math.exp(value)
    np.testing.assert_allclose(x.to_dense(5).probabilities, wanted / wanted.sum(-1, keepdims=True))
    assert x.num_classes == 4
    assert x.to_dense().num_classes == 4
    with pytest.raises(ValueError, match="too few"):
        x.to_dense(3)


def test_entropies_of_categoricals() -> None:
    """D-8."""
    x = d.create_categorical_distribution(W)
    np.testing.assert_allclose(q.entropy(x), stats.entropy(P, axis=-1))
    np.testing.assert_allclose(x.entropy(base=3), stats.entropy(P, axis=-1, base=3))
    np.testing.assert_allclose(q.entropy(x, "normalize"), stats.entropy(P, axis=-1, base=3))
    assert q.entropy(d.create_categorical_distribution([1.0]), "normalize") == 0
    for base in (0, 1, -2, True, "bits", math.nan):
        with pytest.raises(ValueError, match="base"):
            q.entropy(x, base)
    for other in (d.create_dirichlet_distribution([1.0, 2.0]), d.create_gaussian_distribution([0.0, 1.0])):
        with pytest.raises(ValueError, match="continuous"):
            q.entropy(other, "normalize")
    with pytest.raises(TypeError, match="total_entropy"):
        q.entropy(NumpySample(x, 0))


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 5.0])])
def test_second_order(weights: Any) -> None:
    """D-9: epistemic uncertainty is the mean divergence from the mean."""
    members = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 3))
    s = NumpySample(d.create_categorical_distribution(members), 1, weights)
    mean = np.average(members, 1, weights)
    divergence = np.average(stats.entropy(members, mean[:, None], axis=-1), 1, weights)
    np.testing.assert_allclose(q.total_entropy(s), stats.entropy(mean, axis=-1))
    np.testing.assert_allclose(q.conditional_entropy(s), np.average(stats.entropy(members, axis=-1), 1, weights))
    np.testing.assert_allclose(q.mutual_information(s), divergence)
    np.testing.assert_allclose(q.mutual_information(s, 2), divergence / math.log(2))
    np.testing.assert_allclose(q.one_minus_max_of_mean(s), 1 - mean.max(-1))
    np.testing.assert_allclose(q.expected_one_minus_max(s), np.average(1 - members.max(-1), 1, weights))
    assert np.all(q.max_disagreement(s) > -1e-12)
    with pytest.raises(TypeError, match="sample of"):
        q.total_entropy(s.array)


def test_dirichlet() -> None:
    """D-12, D-13 against SciPy and a quadrature."""
    a = np.array([[2.0, 3.0, 5.0], [0.5, 0.5, 4.0]])
    x = d.create_dirichlet_distribution(a)
    np.testing.assert_allclose(q.entropy(x), [stats.dirichlet(row).entropy() for row in a])
    np.testing.assert_allclose(x.mean.probabilities, a / a.sum(-1, keepdims=True))
    np.testing.assert_allclose(q.total_entropy(x), stats.entropy(a, axis=-1))
    beta = d.create_dirichlet_distribution([2.0, 3.0])
    inner, _ = integrate.quad(lambda p: stats.beta(2, 3).pdf(p) * stats.entropy([p, 1 - p]), 0, 1)
    np.testing.assert_allclose(q.conditional_entropy(beta), inner)
    np.testing.assert_allclose(q.mutual_information(x), q.total_entropy(x) - q.conditional_entropy(x))
    np.testing.assert_allclose(q.vacuity(x), 3 / a.sum(-1))
    np.testing.assert_allclose(np.sum(x, 0).alphas, a.sum(0))
    np.testing.assert_array_equal(x == a, [True, True])
    assert type(x).from_array([[1, 2]], dtype=np.float32).alphas.dtype == np.float32
    with pytest.raises(TypeError, match="vacuity"):
        q.vacuity(a)


def test_dirichlet_arithmetic() -> None:
    """O-13, D-14."""
    x = d.create_dirichlet_distribution(np.array([2.0, 3.0]))
    np.testing.assert_array_equal((x + 1).alphas, [3, 4])
    np.testing.assert_array_equal((x - 2.5).alphas, [1e-10, 0.5])
    np.testing.assert_array_equal((2 - x).alphas, [1e-10, 1e-10])
    np.testing.assert_array_equal((x - x).alphas, [1e-10, 1e-10])
    half = d.create_dirichlet_distribution(np.array([2.0, 3.0], dtype=np.float16))
    assert (half - 5).alphas.min() == np.finfo(np.float16).smallest_normal
    for call in (lambda: x * 2, lambda: 2 / x, lambda: -x):
        with pytest.raises(TypeError):
            call()


def test_gaussian() -> None:
    """D-15 to D-17."""
    m, v = np.array([0.0, 1.0]), np.array([1.0, 4.0])
    x = d.create_gaussian_distribution(m, v)
    levels = np.array([0.0, 0.1, 0.5, 1.0])
    wanted = stats.norm(m[:, None], np.sqrt(v)[:, None]).ppf(levels)
    np.testing.assert_allclose(x.quantile(levels), wanted)
    np.testing.assert_allclose(x.quantile(0.1), wanted[:, 1])
    np.testing.assert_allclose(x.quantile([0.1]), wanted[:, 1:2])
    assert np.isnan(x.quantile(1.5)).all()
    np.testing.assert_allclose(q.entropy(x), stats.norm(m, np.sqrt(v)).entropy())
    np.testing.assert_array_equal(x == d.create_gaussian_distribution(m, v + np.array([0, 1])), [True, False])
    assert (x == "text") is False
    packed = d.create_gaussian_distribution(np.stack([m, v], -1))
    np.testing.assert_array_equal(packed == x, [True, True])
    assert d.create_gaussian_distribution([1, 2], [3, 4]).mean.dtype == float
    assert d.create_gaussian_distribution(np.float32([1, 2]), np.float32([3, 4])).mean.dtype == np.float32
    for bad in (np.ones(3), 1.0):
        with pytest.raises(ValueError, match="last axis"):
            d.create_gaussian_distribution(bad)
    with pytest.raises(ValueError, match="one-dimensional"):
        x.quantile(np.ones((2, 2)) / 2)


def test_gaussian_arithmetic() -> None:
    """O-14: constants shift, variances of independent operands add."""
    x = d.create_gaussian_distribution(np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    y = d.create_gaussian_distribution(np.array([[5.0], [6.0]]), np.array([[0.5], [0.25]]))
    for result, mean, var in (
        (x + 3, x.mean + 3, x.var),
        (3 + x, x.mean + 3, x.var),
        (x - 3, x.mean - 3, x.var),
        (3 - x, 3 - x.mean, x.var),
        (x + y, x.mean + y.mean, x.var + y.var),
        (x - y, x.mean - y.mean, x.var + y.var),
        (x - x, x.mean - x.mean, 2 * x.var),
        (x + np.ones((4, 1)), x.mean + np.ones((4, 1)), np.broadcast_to(x.var, (4, 2))),
    ):
        np.testing.assert_array_equal(result.mean, mean)
        np.testing.assert_array_equal(result.var, var)
    for call in (lambda: x * 2, lambda: x / 2, lambda: -x, lambda: np.mean(x)):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("weights", [None, np.array([1.0, 3.0])])
def test_sample_of_gaussians(weights: Any) -> None:
    """D-17: moments of the mixture."""
    m, v = np.array([[0.0, 2.0], [1.0, 5.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])
    s = NumpySample(d.create_gaussian_distribution(m, v), 1, weights)
    matched = q.moment_matched(s)
    mean = np.average(m, 1, weights)
    np.testing.assert_allclose(matched.mean, mean)
    np.testing.assert_allclose(matched.var, np.average(v + m**2, 1, weights) - mean**2)
    np.testing.assert_allclose(q.total_entropy(s), stats.norm(mean, np.sqrt(matched.var)).entropy())
    np.testing.assert_allclose(q.conditional_entropy(s), np.average(stats.norm(m, np.sqrt(v)).entropy(), 1, weights))


def test_draws() -> None:
    """D-1, D-5, D-14: shapes, frequencies, impossible classes, tiny concentrations."""
    rng = np.random.default_rng(0)
    x = d.create_categorical_distribution(W)
    ids = x.sample(20_000, rng)
    assert (ids.samples.shape, ids.sample_axis, ids.samples.dtype.kind) == ((20_000, 2), 0, "i")
    for column, p in zip(ids.samples.T, P, strict=True):
        np.testing.assert_allclose(np.bincount(column, minlength=3) / 20_000, p, atol=0.02)
    assert not np.any(ids.samples[:, 1] == 1)
    g = d.create_gaussian_distribution(np.array([1.0, -1.0]), np.array([4.0, 0.25])).sample(20_000, rng).samples
    np.testing.assert_allclose(g.mean(0), [1, -1], atol=0.06)
    np.testing.assert_allclose(g.var(0), [4, 0.25], rtol=0.05)
    a = np.array([2.0, 3.0, 5.0])
    draws = d.create_dirichlet_distribution(a).sample(20_000, rng)
    assert isinstance(draws, CategoricalDistributionSample)
    np.testing.assert_allclose(draws.samples.probabilities.mean(0), a / 10, atol=0.01)
    np.testing.assert_allclose(draws.samples.probabilities.var(0), stats.dirichlet(a).var(), rtol=0.06)
    tiny = d.create_dirichlet_distribution(np.full(3, 1e-10)).sample(300, rng).samples.probabilities
    np.testing.assert_allclose(tiny.sum(-1), 1.0)
    assert {0, 1, 2} == set(tiny.argmax(-1))
    with pytest.raises(ValueError, match="num_samples"):
        x.sample(0)
    with pytest.raises(TypeError, match="Generator"):
        x.sample(1, rng=3)
    np.testing.assert_array_equal(*(x.sample(5, np.random.default_rng(7)).samples for _ in range(2)))
    bernoulli = d.create_bernoulli_distribution(np.array([0.0, 1.0])).sample(50, rng).samples
    np.testing.assert_array_equal(bernoulli, [[0, 1]] * 50)


def test_mixtures() -> None:
    """D-18."""
    rng = np.random.default_rng(0)
    g = d.create_gaussian_distribution(np.array([[0.0, 10.0]]), np.array([[1.0, 1.0]]))
    x = CLASSES["mixture"](g, np.array([[1.0, 3.0]]))
    assert x.shape == (1,)
    np.testing.assert_allclose(x.mean, [7.5])
    draws = x.sample(10_000, rng).samples
    assert draws.shape == (10_000, 1)
    np.testing.assert_allclose(draws.mean(), 7.5, atol=0.2)
    c = CLASSES["mixture"](d.create_categorical_distribution(W), np.array([1.0, 3.0]))
    np.testing.assert_allclose(c.mean.probabilities, np.average(P, 0, [1, 3]))
    ids = c.sample(20_000, rng).samples
    np.testing.assert_allclose(np.bincount(ids) / 20_000, c.mean.probabilities, atol=0.02)
    e = CLASSES["mixture"](d.create_dirichlet_distribution([[2.0, 2.0], [9.0, 1.0]]), np.array([1.0, 1.0]))
    np.testing.assert_allclose(e.mean.probabilities, [0.7, 0.3])
    assert e.sample(10, rng).samples.shape == (10,)
    for weights in (np.ones(3), np.array([[0.0, 0.0]]), np.array([[-1.0, 2.0]]), np.array([[np.nan, 2.0]])):
        with pytest.raises(ValueError, match="weights"):
            CLASSES["mixture"](g, weights)


def test_samples_by_family() -> None:
    """R-5."""
    families = {
        CategoricalDistributionSample: d.create_categorical_distribution(W),
        BernoulliDistributionSample: d.create_bernoulli_distribution(P),
        DirichletDistributionSample: d.create_dirichlet_distribution(W + 1),
        GaussianDistributionSample: d.create_gaussian_distribution(W, W + 1),
    }
    for family, members in families.items():
        assert isinstance(NumpySample(members, 0), family)
        assert not isinstance(members, family)
    assert not isinstance(NumpySample(W, 0), CategoricalDistributionSample)
    assert isinstance(NumpySample(families[BernoulliDistributionSample], 0), CategoricalDistributionSample)


def test_factories_refuse_other_families() -> None:
    with pytest.raises(TypeError, match="no CategoricalDistribution"):
        d.create_categorical_distribution(d.create_dirichlet_distribution([1.0, 2.0]))
    with pytest.raises(TypeError):
        d.create_categorical_distribution(object())
    with pytest.raises(TypeError, match="equal length"):
        d.create_categorical_distribution([[1.0], [1.0, 2.0]])
