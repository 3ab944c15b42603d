"""Sparse log-categorical distributions over NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.distribution.sparse import SparseLogCategorical

__all__ = ["NumpySparseLogCategoricalDistribution"]


@dataclass(frozen=True, eq=False)
class NumpySparseLogCategoricalDistribution(SparseLogCategorical, NumpyAxisProtected[np.ndarray]):
    """Categorical distributions by logits of a few classes, over NumPy arrays; see the family for laws and errors."""

    group_ids: np.ndarray
    entry_logits: np.ndarray
