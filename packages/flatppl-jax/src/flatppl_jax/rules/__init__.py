"""How JAX computes each core primitive, one chapter a file."""

from __future__ import annotations

from flatppl_jax.context import Rule
from flatppl_jax.rules import (
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

__all__ = ["COMMON"]

_CHAPTERS = (core, arithmetic, elementary, special, structure, reduction, linalg, control, integration, series, random)

#: Rule of every core primitive, before a profile overlays it.
COMMON: dict[str, Rule] = {name: rule for chapter in _CHAPTERS for name, rule in chapter.RULES.items()}
