"""The core primitives, one chapter a file."""

from __future__ import annotations

from flatppl.tensor.primitives import (
    arithmetic,
    control,
    core,
    elementary,
    integration,
    linalg,
    random,
    reduction,
    series,
    special,
    structure,
)

__all__ = ["CORE"]

_CHAPTERS = (core, arithmetic, elementary, special, structure, reduction, linalg, control, integration, series, random)

#: Every core primitive by name.
CORE = {primitive.name: primitive for chapter in _CHAPTERS for primitive in chapter.PRIMITIVES}
