"""Entropies and other measures of uncertainty (D-8, D-9, D-13, D-17)."""

from __future__ import annotations

from typing import Any

from probly.array_math import entropy_of, in_base, normalize
from probly.dispatch import class_of
from probly.representation.distribution.base import Distribution
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.representation.distribution.dirichlet import DirichletDistribution
from probly.representation.distribution.gaussian import GaussianDistribution
from probly.representation.sample.base import Sample

__all__ = [
    "conditional_entropy",
    "entropy",
    "expected_one_minus_max",
    "max_disagreement",
    "moment_matched",
    "mutual_information",
    "one_minus_max_of_mean",
    "total_entropy",
    "vacuity",
]


def entropy(x: Any, base: Any = None) -> Any:
    """Entropy of distributions: discrete for categorical ones, differential for the others.

    Parameters
    ----------
    x : distribution
    base : number or "normalize", optional
        Nats by default; a number b divides by log b; "normalize" divides by log K (categorical only).

    Returns
    -------
    array of the batch shape

    Raises
    ------
    TypeError
        If x is no distribution with a closed form.
    ValueError
        For another base.

    Examples
    --------
    >>> from probly.representation.distribution import create_categorical_distribution
    >>> float(entropy(create_categorical_distribution([1.0, 1.0]), base=2))
    1.0
    """
    if not isinstance(x, Distribution):
        raise TypeError(
            f"entropy needs a distribution, not {type(x).__name__}; samples have total_entropy and its parts"
        )
    return in_base(x._ops, x._entropy(), base, x._classes())


def total_entropy(x: Any, base: Any = None) -> Any:
    """Entropy of the mean: of a sample of distributions, or of the mean of a Dirichlet.

    Gaussian members are matched by moments (:func:`moment_matched`).
    """
    if isinstance(x, DirichletDistribution):
        return in_base(x._ops, entropy_of(x._ops, _shares(x)), base, x.num_classes)
    if _members(x, GaussianDistribution):
        return entropy(moment_matched(x), base)
    _require(x, CategoricalDistribution)
    return entropy(x.sample_mean(), base)


def conditional_entropy(x: Any, base: Any = None) -> Any:
    """Mean of the members' entropies, weighted as the sample is; the expected entropy of a Dirichlet.

    For a Dirichlet: psi(a0 + 1) - sum (a_k / a0) psi(a_k + 1), with a0 = sum a.
    """
    if isinstance(x, DirichletDistribution):
        ops = x._ops
        inner = ops.vecdot(_shares(x), ops.digamma(ops.add(x.alphas, 1.0)))
        nats = ops.subtract(ops.digamma(ops.add(ops.sum(x.alphas, axis=-1), 1.0)), inner)
        return in_base(ops, nats, base, x.num_classes)
    _require(x, (CategoricalDistribution, GaussianDistribution))
    return x._average(entropy(x.array, base))


def mutual_information(x: Any, base: Any = None) -> Any:
    """Total minus conditional entropy; the mean divergence from the mean."""
    return x._ops.subtract(total_entropy(x, base), conditional_entropy(x, base))


def moment_matched(x: Any) -> Any:
    """Gaussian with the mean and variance of the mixture of a sample of Gaussians.

    The mean is the mean of means, the variance mean(var) + var(mean), weighted as the sample is.
    """
    _require(x, GaussianDistribution)
    ops, means = x._ops, class_of(x._ops, "sample")(x.array.mean, x.sample_axis, x.weights)
    return class_of(ops, "gaussian")(means.sample_mean(), ops.add(x._average(x.array.var), means.sample_var()))


def vacuity(x: Any) -> Any:
    """K / a0 of a Dirichlet."""
    if not isinstance(x, DirichletDistribution):
        raise TypeError(f"vacuity needs a Dirichlet distribution, not {type(x).__name__}")
    return x._ops.true_divide(float(x.num_classes), x._ops.sum(x.alphas, axis=-1))


def one_minus_max_of_mean(x: Any) -> Any:
    """One minus the largest probability of the mean of a sample of categoricals."""
    _require(x, CategoricalDistribution)
    return x._ops.subtract(1.0, x._ops.max(x.sample_mean().probabilities, axis=-1))


def expected_one_minus_max(x: Any) -> Any:
    """Mean over the members of one minus their largest probability."""
    _require(x, CategoricalDistribution)
    return x._average(x._ops.subtract(1.0, x._ops.max(x.array.probabilities, axis=-1)))


def max_disagreement(x: Any) -> Any:
    """Difference of the two: how much the members' favourites disagree; not negative but for rounding."""
    return x._ops.subtract(one_minus_max_of_mean(x), expected_one_minus_max(x))


def _shares(x: Any) -> Any:
    """Mean of a Dirichlet, read from the concentrations alone: no representation is made (V-6)."""
    return normalize(x._ops, x.alphas)


def _members(x: Any, family: Any) -> bool:
    return isinstance(x, Sample) and isinstance(x.array, family)


def _require(x: Any, family: Any) -> None:
    if not _members(x, family):
        names = " or ".join(f.__name__ for f in (family if isinstance(family, tuple) else (family,)))
        raise TypeError(f"a sample of {names} is needed, not {type(x).__name__}")
