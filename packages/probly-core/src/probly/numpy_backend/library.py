"""What the NumPy backend has once it is loaded."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from probly.hooks import Library
from probly.representation._protected_axis.numpy import NumpyAxisProtected
from probly.representation.conformal_set import numpy_sets as conformal
from probly.representation.credal_set import numpy_sets as credal
from probly.representation.distribution import (
    numpy_bernoulli,
    numpy_categorical,
    numpy_dirichlet,
    numpy_gaussian,
    numpy_mixture,
    numpy_sparse,
)
from probly.representation.kinds import KINDS
from probly.representation.sample import numpy_sample

__all__ = ["LIBRARY", "classes_of"]

_MODULES = (
    *(numpy_categorical, numpy_bernoulli, numpy_sparse, numpy_dirichlet, numpy_gaussian, numpy_mixture),
    *(numpy_sample, conformal, credal),
)


def classes_of(modules: tuple[ModuleType, ...]) -> dict[str, type[Any]]:
    """Classes of some modules by the kind of the family that they derive from."""
    public = [getattr(module, name) for module in modules for name in module.__all__]
    return {kind: next(cls for cls in public if issubclass(cls, family)) for kind, family in KINDS.items()}


_NAMES = ("mean", "sum", "average", "stack", "concatenate", "reshape", "squeeze", "moveaxis", "swapaxes", "expand_dims")

LIBRARY = Library(
    base=NumpyAxisProtected,
    classes=classes_of(_MODULES),
    functions={**{name: getattr(np, name) for name in _NAMES}, "size": lambda x: x.size},
)
