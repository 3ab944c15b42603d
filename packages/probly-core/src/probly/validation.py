"""Turning value checks off in trusted inner loops; types and shapes are always checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from probly.array_ops import ArrayOps

__all__ = ["check_values", "validation"]

_level: ContextVar[str] = ContextVar("probly_validation", default="full")


@contextmanager
def validation(level: str) -> Iterator[None]:
    """Check values on construction (``"full"``, the default) or only types and shapes (``"shapes"``).

    Raises
    ------
    ValueError
        For another level.

    Examples
    --------
    >>> import numpy as np
    >>> from probly.representation.distribution import create_categorical_distribution
    >>> with validation("shapes"):
    ...     unchecked = create_categorical_distribution(np.array([1.0, -1.0]))
    """
    if level not in ("full", "shapes"):
        raise ValueError(f"validation is 'full' or 'shapes', not {level!r}")
    token = _level.set(level)
    try:
        yield
    finally:
        _level.reset(token)


def check_values(ops: ArrayOps, predicate: Callable[[], Any], message: str) -> None:
    """Let the backend check a predicate, unless value checks are off. Predicates are false for NaN."""
    if _level.get() == "full":
        ops.check(predicate(), message)
