"""Distributions, their families and factories."""

from probly.representation.distribution.base import Distribution
from probly.representation.distribution.bernoulli import BernoulliDistribution
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.representation.distribution.create import (
    create_bernoulli_distribution,
    create_categorical_distribution,
    create_categorical_distribution_from_logits,
    create_dirichlet_distribution,
    create_gaussian_distribution,
    create_sparse_log_categorical_distribution,
)
from probly.representation.distribution.dirichlet import DirichletDistribution
from probly.representation.distribution.gaussian import GaussianDistribution
from probly.representation.distribution.mixture import MixtureDistribution
from probly.representation.distribution.numpy_bernoulli import (
    NumpyLogitBernoulliDistribution,
    NumpyProbabilityBernoulliDistribution,
)
from probly.representation.distribution.numpy_categorical import (
    NumpyLogitCategoricalDistribution,
    NumpyProbabilityCategoricalDistribution,
)
from probly.representation.distribution.numpy_dirichlet import NumpyDirichletDistribution
from probly.representation.distribution.numpy_gaussian import NumpyGaussianDistribution
from probly.representation.distribution.numpy_mixture import NumpyMixtureDistribution
from probly.representation.distribution.numpy_sparse import NumpySparseLogCategoricalDistribution
from probly.representation.distribution.sparse import SparseLogCategorical

__all__ = [
    "BernoulliDistribution",
    "CategoricalDistribution",
    "DirichletDistribution",
    "Distribution",
    "GaussianDistribution",
    "MixtureDistribution",
    "NumpyDirichletDistribution",
    "NumpyGaussianDistribution",
    "NumpyLogitBernoulliDistribution",
    "NumpyLogitCategoricalDistribution",
    "NumpyMixtureDistribution",
    "NumpyProbabilityBernoulliDistribution",
    "NumpyProbabilityCategoricalDistribution",
    "NumpySparseLogCategoricalDistribution",
    "SparseLogCategorical",
    "create_bernoulli_distribution",
    "create_categorical_distribution",
    "create_categorical_distribution_from_logits",
    "create_dirichlet_distribution",
    "create_gaussian_distribution",
    "create_sparse_log_categorical_distribution",
]
