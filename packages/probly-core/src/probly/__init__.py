"""probly: uncertainty representations that behave the same over NumPy, Torch and JAX arrays.

Distributions, samples, conformal and credal sets (:mod:`probly.representation`), nonconformity scores
(:mod:`probly.scores`), conformal prediction (:mod:`probly.conformal`), quantiles (:mod:`probly.quantile`) and measures
of uncertainty (:mod:`probly.quantification`). Importing it loads neither JAX nor Torch: a backend is loaded when the
first of its arrays is seen.

Examples
--------
>>> import numpy as np
>>> from probly.representation.distribution import create_categorical_distribution
>>> d = create_categorical_distribution(np.array([[2.0, 6.0, 2.0], [1.0, 1.0, 2.0]]))
>>> d.shape, d.protected_shape
((2,), (3,))
>>> np.mean(d, axis=0).probabilities
array([0.225, 0.425, 0.35 ])
"""

from probly.errors import (
    BackendNotFoundError,
    InvalidValueError,
    LayoutError,
    NoImplementationError,
    NotPermittedError,
    PluginError,
)
from probly.validation import validation

__all__ = [
    "BackendNotFoundError",
    "InvalidValueError",
    "LayoutError",
    "NoImplementationError",
    "NotPermittedError",
    "PluginError",
    "validation",
]
