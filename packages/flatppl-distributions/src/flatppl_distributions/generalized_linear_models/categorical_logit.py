"""CategoricalLogitGLM(x, alpha, beta): Categorical(softmax(alpha + x beta)), with a column of beta per class."""

from __future__ import annotations

from dataclasses import dataclass

from flatppl.distribution import Case, Distribution, Vector
from flatppl.errors import refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import all_, convert, exp, logsumexp, take
from flatppl.tensor.program import Node
from flatppl.values.forms import TensorForm
from flatppl.values.sets import IntegerSet, RealSet, reals
from flatppl_distributions.base import categorical
from flatppl_distributions.generalized_linear_models.predictor import check_lengths, predictor
from flatppl_distributions.numerics import Number


@dataclass(frozen=True, slots=True)
class Matrix:
    """Domain of a matrix parameter: every entry in a scalar set."""

    entry: RealSet
    rank = 2

    @property
    def interval(self) -> object:
        """Bounds of the entries."""
        return self.entry.interval

    def contains(self, x: Node) -> Node:
        """Whether all entries are members."""
        return all_(self.entry.contains(x))

    def __str__(self) -> str:
        return f"matrices of {self.entry}"


def variate(x: Aval, alpha: Aval, beta: Aval) -> TensorForm:
    """A class, from 1."""
    check_lengths("CategoricalLogitGLM", x, beta)
    if alpha.shape[0] != beta.shape[1]:
        message = f"alpha holds {alpha.shape[0]} classes, beta columns for {beta.shape[1]}"
        refuse("shape", f"CategoricalLogitGLM: {message}")
    return TensorForm("integer")


def _log_probabilities(x: Node, alpha: Node, beta: Node) -> Node:
    scores = predictor(x, alpha, beta)
    return scores - logsumexp(scores)


def log_density(k: Node, x: Node, alpha: Node, beta: Node) -> Number:
    """Log mass at a class."""
    return take(_log_probabilities(x, alpha, beta), convert(k, "integer") - 1)


def cdf(k: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Distribution function."""
    return categorical.cdf(k, exp(_log_probabilities(x, alpha, beta)))


def survival(k: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """Upper tail."""
    return categorical.survival(k, exp(_log_probabilities(x, alpha, beta)))


def quantile(u: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """First class whose cumulative mass reaches u."""
    return categorical.quantile(u, exp(_log_probabilities(x, alpha, beta)))


def upper_quantile(q: Number, x: Node, alpha: Node, beta: Node) -> Number:
    """First class beyond which the mass is at most q."""
    return categorical.upper_quantile(q, exp(_log_probabilities(x, alpha, beta)))


CategoricalLogitGLM = Distribution(
    name="CategoricalLogitGLM",
    parameters=(("x", Vector(reals)), ("alpha", Vector(reals)), ("beta", Matrix(reals))),
    support=lambda x, alpha, beta: IntegerSet(1, alpha.shape[0]),
    variate=variate,
    discrete=True,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    truth=(
        Case(
            ([1.0, 2.0], [0.1, 0.0, -0.2], [[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]]),
            1,
            -1.435184837362343,
            0.2380713554662065,
        ),
        Case(
            ([1.0, 2.0], [0.1, 0.0, -0.2], [[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]]),
            2,
            -0.535184837362343,
            0.8236324020482402,
        ),
        Case(([1.0, 2.0], [0.1, 0.0, -0.2], [[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]]), 3, -1.735184837362343, 1.0),
        Case(([1.0], [0.0, 800.0], [[0.0, 1.0]]), 1, -801.0, 0.0),
        Case(([1.0, -2.0, 0.5], [0.0, 1.0], [[0.3, 0.2], [-1.0, 0.7], [0.0, 2.5]]), 2, -1.5019290813453727, 1.0),
    ),
)
