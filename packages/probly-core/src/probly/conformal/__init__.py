"""Conformal prediction."""

from probly.conformal.credal import credal_set
from probly.conformal.predictor import ConformalPredictor
from probly.conformal.sets import prediction_set

__all__ = ["ConformalPredictor", "credal_set", "prediction_set"]
