"""NormalGLM(x, alpha, beta, sigma): Normal(eta, sigma), eta = alpha + x . beta."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng, Vector
from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Node
from flatppl.values.forms import TensorForm
from flatppl.values.sets import posreals, reals
from flatppl_distributions.base import normal
from flatppl_distributions.generalized_linear_models.predictor import check_lengths, predictor
from flatppl_distributions.numerics import Number


def variate(x: Aval, alpha: Aval, beta: Aval, sigma: Aval) -> TensorForm:
    """A real."""
    check_lengths("NormalGLM", x, beta)
    return TensorForm("real")


def log_density(y: Number, x: Node, alpha: Node, beta: Node, sigma: Node) -> Number:
    """Log density."""
    return normal.log_density(y, predictor(x, alpha, beta), sigma)


def cdf(y: Number, x: Node, alpha: Node, beta: Node, sigma: Node) -> Number:
    """Distribution function."""
    return normal.cdf(y, predictor(x, alpha, beta), sigma)


def survival(y: Number, x: Node, alpha: Node, beta: Node, sigma: Node) -> Number:
    """Upper tail."""
    return normal.survival(y, predictor(x, alpha, beta), sigma)


def log_mass(lo: Number, hi: Number, x: Node, alpha: Node, beta: Node, sigma: Node) -> Number:
    """Log probability of [lo, hi]."""
    return normal.log_mass(lo, hi, predictor(x, alpha, beta), sigma)


def quantile(u: Number, x: Node, alpha: Node, beta: Node, sigma: Node) -> Number:
    """Inverse of the distribution function."""
    return normal.quantile(u, predictor(x, alpha, beta), sigma)


def upper_quantile(q: Number, x: Node, alpha: Node, beta: Node, sigma: Node) -> Number:
    """Inverse of the upper tail."""
    return normal.upper_quantile(q, predictor(x, alpha, beta), sigma)


def sample(rng: Rng, x: Node, alpha: Node, beta: Node, sigma: Node) -> Number:
    """One draw."""
    return normal.sample(rng, predictor(x, alpha, beta), sigma)


NormalGLM = Distribution(
    name="NormalGLM",
    parameters=(("x", Vector(reals)), ("alpha", reals), ("beta", Vector(reals)), ("sigma", posreals)),
    support=reals,
    variate=variate,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    log_mass=log_mass,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case(([1.0, 2.0], 0.1, [0.5, -0.25], 2.0), 1.0, -1.7133357137646181, 0.6736447797120799),
        Case(([1.0, 2.0], 0.1, [0.5, -0.25], 2.0), -60.0, -453.1133357137646, 1.0916527707995643e-198),
        Case(([0.5], -3.0, [4.0], 0.001), -1.0005, 5.863816745777492, 0.3085375387260063),
        Case(([1.0, 2.0, -3.0], 1.0, [3.0, 1.0, -2.0], 5.0), 14.0, -2.6083764456387732, 0.6554217416103242),
    ),
)
