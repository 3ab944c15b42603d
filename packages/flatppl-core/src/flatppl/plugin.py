"""The core's own plugin: through the same door as strangers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flatppl.hooks import hookimpl

__all__ = ["flatppl_backends"]


@hookimpl
def flatppl_backends() -> Iterable[Any]:
    """The NumPy reference backend."""
    from flatppl.numpy_backend import NUMPY

    return (NUMPY,)
