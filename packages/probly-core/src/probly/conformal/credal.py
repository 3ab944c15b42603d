"""Conformal credal sets: balls and level sets of calibrated size (C-4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probly.dispatch import class_of
from probly.errors import InvalidValueError
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.scores.classification import dirichlet_rl
from probly.scores.inputs import read_members, read_prediction
from probly.scores.targets import inner_product, kl_divergence, total_variation, wasserstein

__all__ = ["credal_set"]

_BALLS: dict[Callable[..., Any], str] = {
    each: each.__name__ for each in (inner_product, kl_divergence, total_variation, wasserstein)
}


def credal_set(score: Callable[..., Any], pred: object, q: float) -> Any:
    """Credal set of a calibrated size around a prediction.

    Parameters
    ----------
    score : callable
        ``total_variation``, ``inner_product``, ``kl_divergence`` or ``wasserstein``: the ball of radius q in this
        distance. ``dirichlet_rl``: the level set of threshold 1 - q, which grows with q; the score is a ratio of
        concentrations, not of densities, so this one has no exact guarantee.
    pred : array of shape (..., K), categorical or Dirichlet distribution
    q : float
        The conformal quantile; +inf gives the largest set.

    Raises
    ------
    TypeError
        For another score.
    InvalidValueError
        For a negative q, which leaves no distribution.

    Examples
    --------
    >>> from probly.scores import total_variation
    >>> credal_set(total_variation, [0.75, 0.25], 0.25).upper()
    array([1. , 0.5])
    """
    if not q >= 0:
        raise InvalidValueError(f"a credal set of size {q} is empty")
    if score is dirichlet_rl:
        ops, alphas = read_members(pred)
        threshold = ops.full(tuple(alphas.shape[:-1]), max(0.0, 1.0 - q), alphas)
        return class_of(ops, "level_set_credal")(alphas, threshold)
    if score not in _BALLS:
        raise TypeError(f"{score!r} has no credal set: use {', '.join(_BALLS.values())} or dirichlet_rl")
    ops, p = read_prediction(pred)
    nominal = pred if isinstance(pred, CategoricalDistribution) else class_of(ops, "probability_categorical")(p)
    return class_of(ops, "distance_credal")(nominal, float(q), _BALLS[score])
