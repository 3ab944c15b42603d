"""Making distributions of the backend that the data belongs to (D-4, D-12, D-15)."""

from __future__ import annotations

from typing import Any

from probly.dispatch import class_of, convert, ops_of
from probly.errors import LayoutError
from probly.representation._protected_axis.layout import shape_of
from probly.representation.distribution.base import Distribution
from probly.representation.distribution.bernoulli import BernoulliDistribution
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.representation.distribution.dirichlet import DirichletDistribution
from probly.representation.distribution.gaussian import GaussianDistribution

__all__ = [
    "create_bernoulli_distribution",
    "create_categorical_distribution",
    "create_categorical_distribution_from_logits",
    "create_dirichlet_distribution",
    "create_gaussian_distribution",
    "create_sparse_log_categorical_distribution",
]


def _create(kind: str, data: Any, family: type[Distribution]) -> Any:
    if isinstance(data, Distribution):
        if not isinstance(data, family):
            raise TypeError(f"{type(data).__name__} is no {family.__name__}")
        return data
    ops = ops_of(data)
    return class_of(ops, kind)(convert(data, ops))


def create_categorical_distribution(data: Any) -> Any:
    """Categorical distributions from weights of shape (..., K); a categorical is returned as it is.

    Examples
    --------
    >>> create_categorical_distribution([2.0, 6.0, 2.0]).probabilities
    array([0.2, 0.6, 0.2])
    """
    return _create("probability_categorical", data, CategoricalDistribution)


def create_categorical_distribution_from_logits(data: Any) -> Any:
    """Categorical distributions from logits of shape (..., K); a categorical is returned as it is.

    Examples
    --------
    >>> create_categorical_distribution_from_logits([0.0, 0.0]).probabilities
    array([0.5, 0.5])
    """
    return _create("logit_categorical", data, CategoricalDistribution)


def create_bernoulli_distribution(data: Any) -> Any:
    """Bernoulli distributions from probabilities of class 1, of any shape.

    Examples
    --------
    >>> create_bernoulli_distribution(0.25).probabilities
    array([0.75, 0.25])
    """
    return _create("probability_bernoulli", data, BernoulliDistribution)


def create_dirichlet_distribution(data: Any) -> Any:
    """Dirichlet distributions from concentrations of shape (..., K).

    Examples
    --------
    >>> create_dirichlet_distribution([2.0, 3.0, 5.0]).mean.probabilities
    array([0.2, 0.3, 0.5])
    """
    return _create("dirichlet", data, DirichletDistribution)


def create_gaussian_distribution(mean: Any, var: Any = None) -> Any:
    """Gaussian distributions from means and variances; without ``var``, the last axis of ``mean`` holds both.

    Raises
    ------
    LayoutError
        If ``var`` is missing and the last axis has not size 2.

    Examples
    --------
    >>> float(create_gaussian_distribution([0.0, 4.0]).std)
    2.0
    """
    if isinstance(mean, GaussianDistribution) and var is None:
        return mean
    ops = ops_of(mean)
    mean = convert(mean, ops)
    if var is None:
        shape = shape_of(mean)
        if not shape or shape[-1] != 2:
            raise LayoutError(f"mean and variance are on a last axis of size 2, the shape is {shape}; or give var")
        mean, var = ops.index(mean, (..., 0)), ops.index(mean, (..., 1))
    return class_of(ops, "gaussian")(mean, convert(var, ops, mean))


def create_sparse_log_categorical_distribution(group_ids: Any, entry_logits: Any) -> Any:
    """Sparse categorical distributions from class ids and logits, both of shape (..., S).

    Examples
    --------
    >>> create_sparse_log_categorical_distribution([2, 0], [0.0, 0.0]).probabilities
    array([0.5, 0. , 0.5])
    """
    ops = ops_of(entry_logits)
    logits = convert(entry_logits, ops)
    return class_of(ops, "sparse_log_categorical")(convert(group_ids, ops, logits), logits)
