"""Settings of numerical integration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

__all__ = ["Integration"]


@dataclass(frozen=True, slots=True)
class Integration:
    """Opt-in to numerical integration where no exact rule applies.

    The integral of a scalar continuous variable is computed by adaptive Gauss-Kronrod quadrature until the
    estimated error is at most ``max(atol, rtol * integral)``; if more than ``max_intervals`` panels are needed, the
    result is NaN. Several variables make integrals inside integrals, each with these settings.

    The sum over a latent count without an upper bound ends where what follows is proved to be at most
    ``max(atol, rtol * sum)``; if that takes more than ``32 * max_intervals`` terms, the result is NaN. Derivatives
    are those of the sum so far. A model is refused where no such bound can be proved.

    Attributes
    ----------
    rtol, atol : float
        Relative and absolute tolerance: finite, non-negative, one of them positive.
    max_intervals : int
        At most so many panels, 2 to 2**31 - 1, and 32 times as many terms of a sum, never more than 2**20.

    Raises
    ------
    ValueError
        For settings outside these ranges.

    Examples
    --------
    >>> Integration(rtol=1e-8)
    Integration(rtol=1e-08, atol=0.0, max_intervals=128)
    """

    rtol: float = 1e-5
    atol: float = 0.0
    max_intervals: int = 128

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("rtol", "atol"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
                raise ValueError(f"{name} must be a finite non-negative number, got {value!r}")
        if self.rtol == 0 and self.atol == 0:
            raise ValueError("one of rtol and atol must be positive")
        count: Any = self.max_intervals
        if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count < 2**31:
            raise ValueError(f"max_intervals must be an integer from 2 to 2**31 - 1, got {count!r}")
