"""Every member of ``generalized-linear-models``."""

from __future__ import annotations

from flatppl_distributions.generalized_linear_models.bernoulli_logit import BernoulliLogitGLM
from flatppl_distributions.generalized_linear_models.binomial_logit import BinomialLogitGLM
from flatppl_distributions.generalized_linear_models.categorical_logit import CategoricalLogitGLM
from flatppl_distributions.generalized_linear_models.normal_glm import NormalGLM
from flatppl_distributions.generalized_linear_models.poisson_log import PoissonLogGLM

__all__ = ["GENERALIZED_LINEAR_MODELS"]

_ROWS = (BernoulliLogitGLM, BinomialLogitGLM, CategoricalLogitGLM, NormalGLM, PoissonLogGLM)

#: Distributions by name.
GENERALIZED_LINEAR_MODELS = {row.name: row for row in _ROWS}
