"""The distributions of ``base``, and the standard modules of distributions."""

from __future__ import annotations

from collections.abc import Iterable

from flatppl.hooks import StandardModule, hookimpl
from flatppl_distributions.base.bernoulli import Bernoulli
from flatppl_distributions.base.beta import Beta
from flatppl_distributions.base.binomial import Binomial
from flatppl_distributions.base.categorical import Categorical
from flatppl_distributions.base.categorical0 import Categorical0
from flatppl_distributions.base.cauchy import Cauchy
from flatppl_distributions.base.chi_squared import ChiSquared
from flatppl_distributions.base.dirichlet import Dirichlet
from flatppl_distributions.base.exponential import Exponential
from flatppl_distributions.base.gamma import Gamma
from flatppl_distributions.base.generalized_normal import GeneralizedNormal
from flatppl_distributions.base.geometric import Geometric
from flatppl_distributions.base.inverse_gamma import InverseGamma
from flatppl_distributions.base.inverse_wishart import InverseWishart
from flatppl_distributions.base.laplace import Laplace
from flatppl_distributions.base.lkj import LKJ
from flatppl_distributions.base.lkj_cholesky import LKJCholesky
from flatppl_distributions.base.logistic import Logistic
from flatppl_distributions.base.lognormal import LogNormal
from flatppl_distributions.base.multinomial import Multinomial
from flatppl_distributions.base.mv_normal import MvNormal
from flatppl_distributions.base.negative_binomial import NegativeBinomial
from flatppl_distributions.base.negative_binomial2 import NegativeBinomial2
from flatppl_distributions.base.normal import Normal
from flatppl_distributions.base.pareto import Pareto
from flatppl_distributions.base.poisson import Poisson
from flatppl_distributions.base.student_t import StudentT
from flatppl_distributions.base.von_mises import VonMises
from flatppl_distributions.base.weibull import Weibull
from flatppl_distributions.base.wishart import Wishart
from flatppl_distributions.generalized_linear_models.members import GENERALIZED_LINEAR_MODELS
from flatppl_distributions.particle_physics.members import PARTICLE_PHYSICS

BASE = (
    Normal, LogNormal, Cauchy, StudentT, Logistic, Laplace, Exponential, Gamma, InverseGamma, Weibull, Beta,
    Bernoulli, Binomial, Categorical, Poisson, MvNormal, Dirichlet,
    GeneralizedNormal, Pareto, ChiSquared, Categorical0, Geometric, NegativeBinomial, NegativeBinomial2, Multinomial,
    VonMises, Wishart, InverseWishart, LKJ, LKJCholesky,
)  # fmt: skip


@hookimpl
def flatppl_modules() -> Iterable[StandardModule]:
    """Give the members of ``base`` and of the standard modules."""
    return [
        StandardModule("base", "0.1", {row.name: row for row in BASE}),
        StandardModule("generalized-linear-models", "0.1", GENERALIZED_LINEAR_MODELS),
        StandardModule("particle-physics", "0.1", PARTICLE_PHYSICS),
    ]
