"""What one benchmark is: the same log density written three times, with its data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
from numpyro.infer.util import potential_energy

__all__ = ["Case"]

Position = dict[str, jax.Array]


@dataclass(frozen=True)
class Case:
    """One log density in FlatPPL, in JAX and in NumPyro.

    Parameters
    ----------
    title : str
        Row of the table.
    source : str
        FlatPPL text whose inputs are the position (a record) and the data.
    position : dict of str to array
        Where value and gradient are taken; unconstrained coordinates.
    data : tuple of arrays
        Arguments of all three functions after the position.
    by_hand : callable
        ``by_hand(position, *data)``: what a JAX user writes.
    model : callable
        ``model(*data)``: what a NumPyro user writes, if the comparison is made.
    options : mapping
        Of ``Module.compile``.
    sites : mapping of str to str
        NumPyro's name of a coordinate, where it differs.
    """

    title: str
    source: str
    position: Position
    data: tuple[jax.Array, ...]
    by_hand: Callable[..., jax.Array]
    model: Callable[..., None] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    sites: Mapping[str, str] = field(default_factory=dict)

    def numpyro(self, position: Position, *data: jax.Array) -> jax.Array:
        """NumPyro's log density at unconstrained coordinates."""
        renamed: dict[str, Any] = {self.sites.get(name, name): value for name, value in position.items()}
        return -potential_energy(self.model, data, {}, renamed)
