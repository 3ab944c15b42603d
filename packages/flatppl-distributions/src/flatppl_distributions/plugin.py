"""The distributions of the module ``base``."""

from __future__ import annotations

from collections.abc import Iterable

from flatppl.hooks import StandardModule, hookimpl

from flatppl_distributions.base.bernoulli import Bernoulli
from flatppl_distributions.base.beta import Beta
from flatppl_distributions.base.binomial import Binomial
from flatppl_distributions.base.categorical import Categorical
from flatppl_distributions.base.cauchy import Cauchy
from flatppl_distributions.base.dirichlet import Dirichlet
from flatppl_distributions.base.exponential import Exponential
from flatppl_distributions.base.gamma import Gamma
from flatppl_distributions.base.inverse_gamma import InverseGamma
from flatppl_distributions.base.laplace import Laplace
from flatppl_distributions.base.logistic import Logistic
from flatppl_distributions.base.lognormal import LogNormal
from flatppl_distributions.base.mv_normal import MvNormal
from flatppl_distributions.base.normal import Normal
from flatppl_distributions.base.poisson import Poisson
from flatppl_distributions.base.student_t import StudentT
from flatppl_distributions.base.weibull import Weibull

BASE = (
    Normal, LogNormal, Cauchy, StudentT, Logistic, Laplace, Exponential, Gamma, InverseGamma, Weibull, Beta,
    Bernoulli, Binomial, Categorical, Poisson, MvNormal, Dirichlet,
)  # fmt: skip


@hookimpl
def flatppl_modules() -> Iterable[StandardModule]:
    """Give the members of ``base``."""
    return [StandardModule("base", "0.1", {row.name: row for row in BASE})]
