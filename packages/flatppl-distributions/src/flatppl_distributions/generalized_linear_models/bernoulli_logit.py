"""BernoulliLogitGLM(x, alpha, beta): Bernoulli with success probability 1 / (1 + exp(-eta)), eta = alpha + x . beta."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Vector
from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import equal, logistic, select
from flatppl.tensor.program import Node
from flatppl.values.forms import TensorForm
from flatppl.values.sets import IntegerSet, reals
from flatppl_distributions.generalized_linear_models.predictor import check_lengths, log_logistic, predictor
from flatppl_distributions.numerics import Number


def variate(x: Aval, alpha: Aval, beta: Aval) -> TensorForm:
    """A count."""
    check_lengths("BernoulliLogitGLM", x, beta)
    return TensorForm("integer")


def log_density(k: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Log mass at 0 or 1."""
    eta = predictor(x, alpha, beta)
    return log_logistic(select(equal(k, 1.0), eta, -eta))


def cdf(k: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Distribution function."""
    return select(k < 0.0, 0.0, select(k < 1.0, logistic(-predictor(x, alpha, beta)), 1.0))


def survival(k: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Upper tail."""
    return select(k < 0.0, 1.0, select(k < 1.0, logistic(predictor(x, alpha, beta)), 0.0))


def quantile(u: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Least k whose distribution function reaches u."""
    return select(u > logistic(-predictor(x, alpha, beta)), 1, 0)


def upper_quantile(q: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Least k whose upper tail is at most q."""
    return select(q < logistic(predictor(x, alpha, beta)), 1, 0)


BernoulliLogitGLM = Distribution(
    name="BernoulliLogitGLM",
    parameters=(("x", Vector(reals)), ("alpha", reals), ("beta", Vector(reals))),
    support=IntegerSet(0, 1),
    variate=variate,
    discrete=True,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case(([1.0, 2.0], 0.1, [0.5, -0.25]), 1, -0.6443966600735709, 1.0),
        Case(([1.0, 2.0], 0.1, [0.5, -0.25]), 0, -0.7443966600735709, 0.47502081252106),
        Case(([1.0, 2.0], 800.0, [0.5, -0.25]), 0, -800.0, 0.0),
        Case(([1.0, 2.0], -40.0, [0.5, -0.25]), 1, -40.0, 1.0),
        Case(([0.5], 0.0, [0.0]), 1, -0.6931471805599453, 1.0),
        Case(([1.0, 2.0, -3.0], -45.0, [3.0, 1.0, -2.0]), 1, -34.0, 1.0),
    ),
)
