"""A calibrated predictor that is a Torch module (C-3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from probly.conformal import ConformalPredictor

__all__ = ["TorchConformalPredictor"]


class TorchConformalPredictor(ConformalPredictor, torch.nn.Module):
    """Split conformal prediction whose quantile is a buffer: ``state_dict`` carries it, NaN means uncalibrated.

    Parameters
    ----------
    model : callable
        A module becomes a submodule.
    score, clip
        As for :class:`probly.conformal.ConformalPredictor`.

    Examples
    --------
    >>> from probly.scores import absolute_error
    >>> predictor = TorchConformalPredictor(torch.nn.Identity(), absolute_error)
    >>> _ = predictor.calibrate(0.5, torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, 2.0, 5.0]))
    >>> predictor.state_dict()["calibrated_quantile"]
    tensor(1., dtype=torch.float64)
    """

    calibrated_quantile: torch.Tensor

    def __init__(self, model: Callable[..., Any], score: Callable[..., Any], clip: bool = False) -> None:
        torch.nn.Module.__init__(self)
        self.register_buffer("calibrated_quantile", torch.tensor(math.nan, dtype=torch.float64))
        ConformalPredictor.__init__(self, model, score, clip)

    @property
    def quantile(self) -> float | None:
        """The quantile, None before calibration."""
        value = float(self.calibrated_quantile)
        return None if math.isnan(value) else value

    @quantile.setter
    def quantile(self, value: float | None) -> None:
        self.calibrated_quantile.fill_(math.nan if value is None else value)

    def forward(self, *inputs: Any) -> Any:
        """Prediction set for each input."""
        return ConformalPredictor.__call__(self, *inputs)

    def __call__(self, *inputs: Any) -> Any:
        """Prediction set for each input, through the module's hooks."""
        return torch.nn.Module.__call__(self, *inputs)
