"""Random states as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["TAG", "rngstate_bytes"]

#: Serialized states begin with it, so that ``rngstate`` knows its own.
TAG = b"flatppl1"


def rngstate_bytes(state: Any) -> np.ndarray:
    """Serialize a random state; ``rngstate(bytes)`` reads it back in a model.

    Parameters
    ----------
    state : array of uint64, shape (2,)
        Key and counter, as a query returns them.

    Returns
    -------
    array of int64, shape (24,)
        A tag of this engine, then both words with the least significant byte first.

    Raises
    ------
    ValueError
        If ``state`` is not a random state.

    Examples
    --------
    >>> rngstate_bytes(np.array([1729, 1], np.uint64))[8:].tolist()
    [193, 6, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    """
    words = np.asarray(state)
    if words.dtype != np.uint64 or words.shape != (2,):
        raise ValueError(f"a random state has dtype uint64 and shape (2,), got {words.dtype} and {words.shape}")
    return np.frombuffer(TAG + words.astype("<u8").tobytes(), np.uint8).astype(np.int64)
