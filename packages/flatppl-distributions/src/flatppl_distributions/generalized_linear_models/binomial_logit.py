"""BinomialLogitGLM(x, n, alpha, beta): Binomial(n, 1 / (1 + exp(-eta))), eta = alpha + x . beta."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng, Vector
from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import betainc, floor, lbeta, log, logistic, maximum, minimum, select
from flatppl.tensor.program import Node
from flatppl.values.forms import TensorForm
from flatppl.values.sets import IntegerSet, posintegers, reals
from flatppl_distributions.base import binomial
from flatppl_distributions.generalized_linear_models.predictor import check_lengths, log_logistic, predictor
from flatppl_distributions.numerics import Number

#: Beyond this predictor one of the two probabilities is too small for the saddle-point form.
_STEEP = 30.0


def variate(x: Aval, n: Aval, alpha: Aval, beta: Aval) -> TensorForm:
    """A count."""
    check_lengths("BinomialLogitGLM", x, beta)
    return TensorForm("integer")


def log_density(k: Number, x: Node, n: Node, alpha: Node, beta: Node) -> Number:
    """Log mass: Binomial's own for moderate predictors, from log probabilities for steep ones."""
    eta = predictor(x, alpha, beta)
    steep = (eta > _STEEP) | (eta < -_STEEP)
    mild = binomial.log_density(k, n, logistic(select(steep, 0.0, eta)))
    choices = -log(n + 1.0) - lbeta(k + 1.0, n - k + 1.0)
    return select(steep, choices + k * log_logistic(eta) + (n - k) * log_logistic(-eta), mild)


def _count(k: Number, n: Number) -> Number:
    """Whole part of k, at least 0 and below n."""
    return minimum(maximum(floor(k), 0.0), n - 1.0)


def cdf(k: Number, x: Node, n: Node, alpha: Node, beta: Node) -> Number:
    """Distribution function."""
    c, failure = _count(k, n), logistic(-predictor(x, alpha, beta))
    return select(k < 0.0, 0.0, select(k < n, betainc(n - c, c + 1.0, failure), 1.0))


def survival(k: Number, x: Node, n: Node, alpha: Node, beta: Node) -> Number:
    """Upper tail."""
    return binomial.survival(k, n, logistic(predictor(x, alpha, beta)))


def quantile(u: Node, x: Node, n: Node, alpha: Node, beta: Node) -> Number:
    """Least k whose distribution function reaches u."""
    return binomial.quantile(u, n, logistic(predictor(x, alpha, beta)))


def upper_quantile(q: Node, x: Node, n: Node, alpha: Node, beta: Node) -> Number:
    """Least k whose upper tail is at most q."""
    return binomial.upper_quantile(q, n, logistic(predictor(x, alpha, beta)))


def sample(rng: Rng, x: Node, n: Node, alpha: Node, beta: Node) -> Number:
    """One draw."""
    return rng.binomial(n, logistic(predictor(x, alpha, beta)))


BinomialLogitGLM = Distribution(
    name="BinomialLogitGLM",
    parameters=(("x", Vector(reals)), ("n", posintegers), ("alpha", reals), ("beta", Vector(reals))),
    support=lambda x, n, alpha, beta: IntegerSet(0, n),
    variate=variate,
    discrete=True,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case(([1.0, 2.0], 3, 0.1, [0.5, -0.25]), 2, -0.934577691552603, 0.8553140836711319),
        Case(([1.0, 2.0], 3, 0.1, [0.5, -0.25]), 0, -2.233189980220713, 0.10718596309245598),
        Case(([1.0, 2.0], 3, 0.1, [0.5, -0.25]), 3, -1.9331899802207126, 1.0),
        Case(([1.0, 2.0], 5, -800.0, [0.5, -0.25]), 2, -1597.6974149070059, 1.0),
        Case(([1.0, 2.0], 5, 35.0, [0.5, -0.25]), 5, -3.152558380073494e-15, 1.0),
        Case(([1.0, 2.0], 1000000, -1.0, [0.5, -0.25]), 269500, -7.8072076851103),
        Case(([1.0, 2.0], 1000000, -31.0, [0.5, -0.25]), 1, -17.1844894764605),
    ),
)
