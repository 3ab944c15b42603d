"""Nonconformity scores."""

from probly.scores.classification import aps, dirichlet_rl, lac, raps, saps
from probly.scores.regression import absolute_error, cqr, cqr_r, uacqr
from probly.scores.targets import inner_product, kl_divergence, total_variation, wasserstein

__all__ = [
    "absolute_error",
    "aps",
    "cqr",
    "cqr_r",
    "dirichlet_rl",
    "inner_product",
    "kl_divergence",
    "lac",
    "raps",
    "saps",
    "total_variation",
    "uacqr",
    "wasserstein",
]
