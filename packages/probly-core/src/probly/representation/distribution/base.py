"""What all distributions have in common (D-1)."""

from __future__ import annotations

from typing import Any, ClassVar

from probly.dispatch import class_of
from probly.representation._protected_axis.base import ProtectedAxes

__all__ = ["Distribution"]


class Distribution(ProtectedAxes):
    """A batch of distributions, one per batch element.

    A family supplies ``_draw(num, generators)``, ``_entropy()`` in nats, and ``_generators`` if sampling needs several
    independent sources.
    """

    type: ClassVar[str] = "distribution"
    _generators: ClassVar[int] = 1

    def sample(self, num_samples: int = 1, rng: Any = None) -> Any:
        """Draw; the result is a sample with the member axis first.

        Parameters
        ----------
        num_samples : int
            At least 1.
        rng : numpy.random.Generator, torch.Generator or JAX key, optional
            Source of randomness; fresh from the operating system by default (refused while tracing).

        Raises
        ------
        ValueError
            If ``num_samples`` is less than 1, or a key is needed and not given.
        """
        if num_samples < 1:
            raise ValueError(f"num_samples is {num_samples}, at least one member is needed")
        sources = self._ops.generators(rng, self._generators, self._reference())
        return class_of(self._ops, "sample")(self._draw(num_samples, sources), 0)

    def entropy(self, base: Any = None) -> Any:
        """Entropy in nats, or in units of ``base``; see :func:`probly.quantification.entropy`."""
        from probly.quantification import entropy

        return entropy(self, base)

    def _reference(self) -> Any:
        """Return an array whose device and tracing decide where draws are made."""
        primary = self.protected_value()
        return primary._reference() if isinstance(primary, Distribution) else self._ops.to_floating(primary)

    def _draw(self, num: int, sources: tuple[Any, ...]) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no sampler")

    def _entropy(self) -> Any:
        raise TypeError(f"the entropy of a {type(self).__name__} has no closed form here")

    def _classes(self) -> int | None:
        """Return the number of classes, None for a continuous distribution."""
        return None

    def _mask(self, equal: Any, count: int) -> Any:
        """Reduce a fieldwise comparison over the last ``count`` axes."""
        rank = len(equal.shape)
        return self._ops.all(equal, axis=tuple(range(rank - count, rank))) if count else equal
