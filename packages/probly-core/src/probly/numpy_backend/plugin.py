"""Entry point of the NumPy backend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from probly.array_ops import ArrayOps
from probly.hooks import Backend, Library, hookimpl

__all__ = ["probly_backends"]


@hookimpl
def probly_backends() -> Iterable[Backend]:
    """Give the NumPy backend."""
    return [Backend("numpy", "probly-core", claim, load, ops, convert)]


def claim(value: object) -> bool:
    """Claim arrays and scalars of NumPy, and what has no array library: numbers, lists and tuples."""
    return isinstance(value, np.ndarray | np.generic | bool | int | float | complex | list | tuple)


def ops() -> ArrayOps:
    """Array vocabulary."""
    from probly.numpy_backend.ops import NUMPY

    return NUMPY


def load() -> Library:
    """Representation classes and functions."""
    from probly.numpy_backend.library import LIBRARY

    return LIBRARY


def convert(value: object, like: Any) -> Any:
    """Any array-like as a NumPy array; TypeError if it has no array form."""
    from probly.dispatch import backend_of
    from probly.numpy_backend.ops import to_array

    found = None if isinstance(value, list | tuple) else backend_of(value)
    return to_array(value if found is None or found.name == "numpy" else found.ops().to_numpy(value))
