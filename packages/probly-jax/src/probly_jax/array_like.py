"""What JAX representations share with JAX arrays: pytrees, devices, ``.at``, conversion (J-8 to J-10)."""

from __future__ import annotations

from typing import Any, Self

import jax
import numpy as np

from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import check_protected, tails_of
from probly_jax.at import AtIndexer
from probly_jax.operators import JaxOperatorsMixin
from probly_jax.pytree import register

__all__ = ["JaxLikeImplementation"]


class JaxLikeImplementation(JaxOperatorsMixin, ProtectedAxes):
    """Pytree registration and the methods of ``jax.Array``.

    Each subclass that declares ``protected_axes`` becomes a pytree node when it is made. Unflattening runs neither the
    constructor nor its checks.

    ``jax.vmap`` maps batch axes: give ``in_axes`` and ``out_axes`` as non-negative numbers below the batch rank. A
    negative ``out_axes`` would put the mapped axis behind the protected ones. A sample's ``sample_axis`` is static, so
    the member axis itself cannot be mapped.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.protected_axes:
            register(cls)

    @property
    def at(self) -> AtIndexer:
        """Out-of-place changes: ``x.at[index].set(value)``."""
        return AtIndexer(self)

    def conj(self) -> Any:
        """Complex conjugate of every field."""
        return self._functions.run("conj", self)

    def astype(self, dtype: Any) -> Any:
        """Fields cast to a dtype."""
        return self._functions.run("astype", self, dtype)

    def view(self, dtype: Any) -> Any:
        """Bits of every field as another dtype of the same size.

        Raises
        ------
        LayoutError
            If a dtype of another size changes the protected shape.
        """
        values = self.protected_values() or {}
        seen = {name: value.view(dtype) for name, value in values.items()}
        check_protected(self, seen, tails_of(self, values))
        return self.with_protected_values(seen)

    def stop_gradient(self) -> Self:
        """The same object, constant for derivatives."""
        result: Self = jax.lax.stop_gradient(self)
        return result

    def to_device(self, device: Any) -> Self:
        """The same object on a device or sharding."""
        result: Self = jax.device_put(self, device)
        return result

    def block_until_ready(self) -> Self:
        """Wait until every field is computed."""
        for leaf in jax.tree.leaves(self):
            if isinstance(leaf, jax.Array):
                leaf.block_until_ready()
        return self

    def devices(self) -> set[jax.Device]:
        """Devices that hold the fields."""
        arrays = [leaf for leaf in jax.tree.leaves(self) if isinstance(leaf, jax.Array)]
        return set().union(*(array.devices() for array in arrays))

    @property
    def sharding(self) -> jax.sharding.Sharding:
        """Sharding of the primary field."""
        result: jax.sharding.Sharding = self.protected_value().sharding
        return result

    def item(self) -> Any:
        """The only number, as a Python number; TypeError for several fields."""
        return np.asarray(self).item()

    def tolist(self) -> Any:
        """Numbers as nested lists, converted as by ``numpy.asarray``; TypeError for several fields."""
        return np.asarray(self).tolist()
