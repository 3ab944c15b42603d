"""JAX's name for the source of randomness."""

from __future__ import annotations

from typing import Any

from probly.representation.distribution.base import Distribution

__all__ = ["JaxSampling"]


class JaxSampling(Distribution):
    """Distributions whose ``sample`` takes a JAX key, as ``rng`` or as ``prng_key``."""

    def sample(self, num_samples: int = 1, rng: Any = None, *, prng_key: Any = None) -> Any:
        """Draw; the result is a sample with the member axis first.

        Parameters
        ----------
        num_samples : int
            At least 1.
        rng, prng_key : JAX key, optional
            Give one of them; a fresh key from the operating system by default, refused while tracing.

        Raises
        ------
        TypeError
            If both are given, or one that is no key.
        ValueError
            If ``num_samples`` is less than 1, or a key is needed and not given.
        """
        if rng is not None and prng_key is not None:
            raise TypeError("rng and prng_key are two names of one argument: give one")
        return super().sample(num_samples, prng_key if rng is None else rng)
