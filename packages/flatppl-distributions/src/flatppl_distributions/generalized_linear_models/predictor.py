"""What the models share: the linear predictor, its shapes, and the logistic function's logarithm."""

from __future__ import annotations

from flatppl.errors import refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.ops import dot, exp, log1p, select
from flatppl.tensor.program import Node
from flatppl_distributions.numerics import Number

__all__ = ["check_lengths", "log_logistic", "predictor"]


def check_lengths(name: str, x: Aval, beta: Aval) -> None:
    """Refuse predictors and coefficients that differ in number."""
    if x.shape[0] != beta.shape[0]:
        refuse("shape", f"{name}: x holds {x.shape[0]} values, beta coefficients for {beta.shape[0]}")


def predictor(x: Node, alpha: Node, beta: Node) -> Node:
    """``alpha + x . beta``; a vector where beta is a matrix with a column per class."""
    return alpha + dot(x, beta)


def log_logistic(t: Number) -> Number:
    """``log(1 / (1 + exp(-t)))`` without overflow."""
    positive = t > 0.0
    high, low = select(positive, t, 0.0), select(positive, 0.0, t)
    return select(positive, -log1p(exp(-high)), low - log1p(exp(low)))
