"""Convolution and cross-correlation where the kernel lies wholly inside the vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.functions.common import vector
from flatppl.tensor.ops import dot, take
from flatppl.values.callables import Function
from flatppl.values.forms import Tensor

__all__ = ["FUNCTIONS"]


def _sliding(name: str, flip: bool) -> Function:
    """Products of the kernel (reversed where ``flip``) with every window of the vector."""

    def apply(v: Any, kernel: Any) -> Tensor:
        node, weights = vector(v, name), vector(kernel, name)
        n, size = node.shape[0], weights.shape[0]
        if not 1 <= size <= n:
            refuse("shape", f"{name} takes a kernel of 1 to {n} entries for a vector of {n}, got {size}")
        windows = take(node, np.arange(n - size + 1)[:, None] + np.arange(size))
        weights = weights.builder.apply("reverse", weights, axes=(0,)) if flip else weights
        return Tensor(dot(windows, weights), (1,))

    return Function(name, ("v", "kernel"), apply)


FUNCTIONS = (_sliding("conv", True), _sliding("crosscorr", False))
