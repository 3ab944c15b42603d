"""Abstract values: the kind and shape of a tensor, known when its node is built."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flatppl.errors import refuse

__all__ = ["ARITHMETIC", "Aval", "aval_of", "join"]

#: Promotion order of the numeric kinds.
ARITHMETIC = ("boolean", "integer", "real", "complex")

_DTYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "real", "c": "complex"}


@dataclass(frozen=True, slots=True)
class Aval:
    """Kind (``boolean integer real complex rngstate``) and static shape of a tensor.

    Examples
    --------
    >>> str(Aval("real", (2, 3)))
    'real[2,3]'
    """

    kind: str
    shape: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def __str__(self) -> str:
        return f"{self.kind}[{','.join(map(str, self.shape))}]" if self.shape else self.kind


def join(*kinds: str) -> str:
    """Least kind that holds all arithmetic kinds (boolean < integer < real < complex)."""
    for kind in kinds:
        if kind not in ARITHMETIC:
            refuse("kind", f"{kind} has no arithmetic")
    return max(kinds, key=ARITHMETIC.index)


def aval_of(value: NDArray[np.generic]) -> Aval:
    """Abstract value of a NumPy array."""
    return Aval(_DTYPES[value.dtype.kind], value.shape)
