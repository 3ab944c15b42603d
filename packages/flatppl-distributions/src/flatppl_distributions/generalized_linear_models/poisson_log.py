"""PoissonLogGLM(x, alpha, beta): Poisson(exp(eta)), eta = alpha + x . beta."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng, Vector
from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import exp, lgamma, select
from flatppl.tensor.program import Node
from flatppl.values.forms import TensorForm
from flatppl.values.sets import nonnegintegers, reals
from flatppl_distributions.base import poisson
from flatppl_distributions.generalized_linear_models.predictor import check_lengths, predictor
from flatppl_distributions.numerics import Number

#: Below this predictor the rate is too small for the saddle-point form.
_RARE = -30.0


def variate(x: Aval, alpha: Aval, beta: Aval) -> TensorForm:
    """A count."""
    check_lengths("PoissonLogGLM", x, beta)
    return TensorForm("integer")


def log_density(k: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Log mass: Poisson's own, or straight from the predictor where the rate is tiny."""
    eta = predictor(x, alpha, beta)
    rare = eta < _RARE
    common = poisson.log_density(k, exp(select(rare, 0.0, eta)))
    return select(rare, k * eta - exp(eta) - lgamma(k + 1.0), common)


def cdf(k: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Distribution function."""
    return poisson.cdf(k, exp(predictor(x, alpha, beta)))


def survival(k: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Upper tail."""
    return poisson.survival(k, exp(predictor(x, alpha, beta)))


def quantile(u: Node, x: Node, alpha: Node, beta: Node) -> Number:
    """Least k whose distribution function reaches u."""
    return poisson.quantile(u, exp(predictor(x, alpha, beta)))


def upper_quantile(q: Node, x: Node, alpha: Node, beta: Node) -> Number:
    """Least k whose upper tail is at most q."""
    return poisson.upper_quantile(q, exp(predictor(x, alpha, beta)))


def sample(rng: Rng, x: Node, alpha: Node, beta: Node) -> Number:
    """One draw."""
    return rng.poisson(exp(predictor(x, alpha, beta)))


PoissonLogGLM = Distribution(
    name="PoissonLogGLM",
    parameters=(("x", Vector(reals)), ("alpha", reals), ("beta", Vector(reals))),
    support=nonnegintegers,
    variate=variate,
    discrete=True,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case(([1.0, 2.0], 0.1, [0.5, -0.25]), 2, -1.598318098635593, 0.8993727274042168),
        Case(([1.0, 2.0], 0.1, [0.5, -0.25]), 0, -1.1051709180756477, 0.3311542771529089),
        Case(([1.0, 2.0], -800.0, [0.5, -0.25]), 3, -2401.791759469228, 1.0),
        Case(([1.0, 2.0], 13.5, [0.5, -0.25]), 729000, -7.787513144044884),
        Case(([1.0, 2.0], -2.0, [0.5, -0.25]), 40, -190.45597499799402, 1.0),
        Case(([1.0, 2.0], -31.0, [0.5, -0.25]), 0, -3.442477108469977e-14, 0.9999999999999656),
    ),
)
