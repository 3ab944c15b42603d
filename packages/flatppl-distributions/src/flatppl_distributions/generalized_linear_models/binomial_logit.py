"""BinomialLogitGLM(x, n, alpha, beta): Binomial(n, 1 / (1 + exp(-eta))), eta = alpha + x . beta."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng, Vector
from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import betainc, lbeta, log, logistic, maximum, minimum, floor, select
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
    sample=sample,
    truth=(
        #CASES BinomialLogitGLM
    ),
)
