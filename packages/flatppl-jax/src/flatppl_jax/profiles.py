"""Profiles: how equal operations are lowered for a kind of device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import jax

from flatppl.errors import nearest, refuse
from flatppl_jax.context import Rule
from flatppl_jax.rules import COMMON
from flatppl_jax.rules.linalg import small_cholesky, small_triangular_solve

__all__ = ["PROFILES", "Profile", "choose", "rules"]


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What a kind of device does differently from the common table.

    Attributes
    ----------
    name : str
    overlay : mapping of str to Rule
    """

    name: str
    overlay: Mapping[str, Rule]


_CPU = Profile("cpu", {"cholesky": small_cholesky(2), "triangular_solve": small_triangular_solve(2, 2)})
_GPU = Profile("gpu", {"cholesky": small_cholesky(8), "triangular_solve": small_triangular_solve(8, 8)})

#: The profiles by name.
PROFILES = {profile.name: profile for profile in (_CPU, _GPU)}


def choose(target: str | None) -> str:
    """Name of the profile for a target; None stands for JAX's default backend.

    Raises
    ------
    Refusal
        For a name that is no profile.
    """
    if target is None:
        return "cpu" if jax.default_backend() == "cpu" else "gpu"
    if target not in PROFILES:
        refuse("backend", f"no profile {target!r}, only {', '.join(sorted(PROFILES))}{nearest(target, PROFILES)}")
    return target


def rules(profile: str) -> dict[str, Rule]:
    """Rules of all core primitives under a profile."""
    return {**COMMON, **PROFILES[profile].overlay}
