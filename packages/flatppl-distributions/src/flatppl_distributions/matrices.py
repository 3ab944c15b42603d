"""What the matrix-variate distributions share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flatppl.distribution import Rng
from flatppl.tensor.ops import diagonal, exp, lbeta, lgamma, log, sqrt, sum_
from flatppl.tensor.program import Node

__all__ = ["bartlett", "log_determinant", "log_lkj_constant", "log_multigamma"]


def log_determinant(factor: Node) -> Node:
    """Log determinant of the matrix whose Cholesky factor this is."""
    return 2.0 * sum_(log(diagonal(factor)))


def log_multigamma(n: int, a: Node) -> Any:
    """Logarithm of the multivariate gamma function."""
    steps = a.builder.constant((1.0 - np.arange(1, n + 1)) / 2.0)
    return n * (n - 1) / 4.0 * math.log(math.pi) + sum_(lgamma(a + steps))


def bartlett(rng: Rng, nu: Node, n: int) -> Node:
    """Lower factor A of a standard Wishart matrix A A^T: chi variates on the diagonal, normals below."""
    builder = nu.builder
    halves = (nu - builder.constant(np.arange(n, dtype=float))) / 2.0
    chi = sqrt(2.0 * exp(rng.loggamma(halves)))
    below = rng.normal((n, n)) * builder.constant(np.tril(np.ones((n, n)), -1))
    spread = builder.apply("broadcast", chi, shape=(n, n), dims=(0,))
    return below + spread * builder.constant(np.eye(n))


def log_lkj_constant(n: int, eta: Node) -> Any:
    """Logarithm of the normalizer of the LKJ law."""
    if n == 1:
        return eta * 0.0
    left = eta.builder.constant(np.arange(n - 1, 0, -1, dtype=float))
    b = eta + (left - 1.0) / 2.0
    return sum_((2.0 * eta - 2.0 + left) * left * math.log(2.0) + left * lbeta(b, b))
