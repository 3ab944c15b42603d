"""LKJ(n, eta): correlation matrices with density ``|C|^(eta - 1) / c_n(eta)`` in the strict lower triangle.

Lewandowski, Kurowicka and Joe (2009).
"""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import cholesky, dot, transpose
from flatppl.tensor.program import Node
from flatppl.values.array_sets import MatrixSet
from flatppl.values.sets import posintegers, posreals
from flatppl_distributions.base.lkj_cholesky import sample as sample_factor
from flatppl_distributions.base.lkj_cholesky import size, variate
from flatppl_distributions.matrices import log_determinant, log_lkj_constant
from flatppl_distributions.numerics import Number


def log_density(x: Node, n: Node, eta: Node) -> Number:
    """Log density."""
    return (eta - 1.0) * log_determinant(cholesky(x)) - log_lkj_constant(size(n), eta)


def sample(rng: Rng, n: Node, eta: Node) -> Number:
    """One draw: the product of a drawn factor with its transpose."""
    factor = sample_factor(rng, n, eta)
    return dot(factor, transpose(factor))


LKJ = Distribution(
    name="LKJ",
    parameters=(("n", posintegers), ("eta", posreals)),
    support=lambda n, eta: MatrixSet(size(n), "correlation"),
    variate=variate,
    log_density=log_density,
    sample=sample,
    truth=(
        Case((2, 1.0), [[1.0, 0.6], [0.6, 1.0]], -0.6931471805599453),
        Case((3, 2.5), [[1.0, 0.6, 0.0], [0.6, 1.0, 0.48], [0.0, 0.48, 1.0]], -1.6318389829980748),
        Case((3, 0.5), [[1.0, -0.28, 0.36], [-0.28, 1.0, 0.36], [0.36, 0.36, 1.0]], -2.2670587011348258),
    ),
)
