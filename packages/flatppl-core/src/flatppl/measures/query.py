"""``logdensityof``, ``densityof``, ``totalmass``: from measures back to values."""

from __future__ import annotations

from typing import Any

from flatppl.calls import value_form
from flatppl.errors import refuse
from flatppl.measures.base import Likelihood, Measure, MeasureOperation, require_measure, same_form
from flatppl.measures.likelihood import log_likelihood
from flatppl.tensor.ops import exp
from flatppl.values.forms import Tensor, describe

__all__ = ["OPERATIONS"]


def _log_density(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 2:
        refuse("call", "logdensityof(M, x) takes a measure and a point by position")
    target, x = args
    form = value_form(x, "a point", "point")
    if isinstance(target, Likelihood):
        return Tensor((yield log_likelihood(evaluator, target, x)))
    if not isinstance(target, Measure):
        refuse("kind", f"logdensityof needs a measure or a likelihood, got {describe(target)}")
    if not same_form(target.form(), form):
        refuse("point", f"the point is a {describe(x)}, the variate a {describe(target.form())}")
    return Tensor((yield evaluator.density(target, x)))


def _density(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    log_density = yield _log_density(evaluator, args, keywords)
    return Tensor(exp(log_density.node))


def _total_mass(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 1:
        refuse("call", "totalmass(M) takes one positional input")
    return Tensor(exp((yield evaluator.log_mass(require_measure(args[0], "totalmass")))))


OPERATIONS = (
    MeasureOperation("logdensityof", _log_density),
    MeasureOperation("densityof", _density),
    MeasureOperation("totalmass", _total_mass),
)
