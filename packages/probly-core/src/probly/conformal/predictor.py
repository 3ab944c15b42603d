"""Calibrated predictors (C-3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from probly.conformal.credal import credal_set
from probly.conformal.sets import prediction_set
from probly.errors import InvalidValueError
from probly.quantile import conformal_quantile

__all__ = ["ConformalPredictor"]


class ConformalPredictor:
    """Split conformal prediction: a model, a score, and after calibration a quantile.

    Parameters
    ----------
    model : callable
        ``model(*inputs)`` gives predictions as the score takes them.
    score : callable
        ``score(pred, y)``; see :func:`probly.conformal.sets.prediction_set`. Options are bound with
        ``functools.partial``, so that calibration and prediction use the same.
    clip : bool
        As for :func:`probly.quantile.conformal_quantile`.

    Attributes
    ----------
    quantile : float or None
        None before calibration.

    Examples
    --------
    >>> import numpy as np
    >>> from probly.scores import absolute_error
    >>> predictor = ConformalPredictor(lambda x: 2 * x, absolute_error)
    >>> predictor.calibrate(0.5, np.array([0.0, 3.0, 6.0]), np.array([0.0, 1.0, 2.0])).quantile
    1.0
    >>> predictor(np.array([3.0])).array
    array([[5., 7.]])
    """

    def __init__(self, model: Callable[..., Any], score: Callable[..., Any], clip: bool = False) -> None:
        self.model = model
        self.score = score
        self.clip = clip
        self.quantile: Any = None

    def calibrate(self, alpha: float, y: Any, *inputs: Any) -> Self:
        """Set the quantile from outcomes and inputs that the model has not seen; returns self."""
        self.quantile = conformal_quantile(self.score(self.model(*inputs), y), alpha, clip=self.clip)
        return self

    def __call__(self, *inputs: Any) -> Any:
        """Prediction set for each input.

        Raises
        ------
        InvalidValueError
            Before calibration.
        """
        return prediction_set(self.score, self.model(*inputs), self._calibrated())

    def credal_set(self, *inputs: Any) -> Any:
        """Credal set for each input, for the scores that have one; errors as for a call."""
        return credal_set(self.score, self.model(*inputs), self._calibrated())

    def _calibrated(self) -> Any:
        if self.quantile is None:
            raise InvalidValueError("the predictor is not calibrated: call calibrate(alpha, y, *inputs) first")
        return self.quantile
