"""LKJCholesky(n, eta): Cholesky factors of correlation matrices, density ``prod_i L_ii^(n - i + 2 eta - 2) / c_n(eta)``.

The reference is the strict lower triangle of L (Lewandowski, Kurowicka and Joe, 2009).
"""

from __future__ import annotations

import numpy as np

from flatppl.distribution import Case, Distribution, Rng
from flatppl.errors import refuse
from flatppl.tensor.ops import concat, diagonal, exp, log, maximum, sqrt, sum_
from flatppl.tensor.program import Node
from flatppl.values.array_sets import MatrixSet
from flatppl.values.forms import TensorForm
from flatppl.values.sets import posintegers, posreals
from flatppl_distributions.matrices import log_lkj_constant
from flatppl_distributions.numerics import Number


def size(n: Node) -> int:
    """The matrix size, which must be fixed."""
    if n.constant is None:
        refuse("shape", "LKJ: the size n must be a fixed value; give it a value in the model or with Module.set")
    return int(n.constant)


def variate(n: Node, eta: Node) -> TensorForm:
    """A square matrix."""
    return TensorForm("real", (size(n), size(n)), (2,))


def log_density(x: Node, n: Node, eta: Node) -> Number:
    """Log density."""
    count = size(n)
    powers = count - np.arange(1, count + 1) + 2.0 * eta - 2.0 if count > 1 else eta * 0.0
    return sum_(powers * log(diagonal(x))) - log_lkj_constant(count, eta)


def sample(rng: Rng, n: Node, eta: Node) -> Number:
    """One draw, by partial correlations: column j has ``2 Beta(b, b) - 1`` with ``b = eta + (n - 1 - j) / 2``."""
    count = size(n)
    builder = eta.builder
    columns = np.broadcast_to((count - 2.0 - np.arange(count)) / 2.0, (count, count))
    b = maximum(eta + builder.constant(columns), 1e-3)
    first, second = rng.loggamma(b), rng.loggamma(b)
    partial = (2.0 / (1.0 + exp(second - first)) - 1.0) * builder.constant(np.tril(np.ones((count, count)), -1))
    kept = builder.apply("cumprod", 1.0 - partial * partial, axis=1)
    ones = builder.constant(np.ones((count, 1)))
    before = concat([ones, builder.apply("slice", kept, start=(0, 0), stop=(count, count - 1), step=(1, 1))], 1)
    return (
        (partial + builder.constant(np.eye(count))) * sqrt(before) * builder.constant(np.tril(np.ones((count, count))))
    )


LKJCholesky = Distribution(
    name="LKJCholesky",
    parameters=(("n", posintegers), ("eta", posreals)),
    support=lambda n, eta: MatrixSet(size(n), "correlation factor"),
    variate=variate,
    log_density=log_density,
    sample=sample,
    truth=(
        Case((2, 1.0), [[1.0, 0.0], [0.6, 0.8]], -0.6931471805599453),
        Case((3, 2.5), [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]], -1.8549825343122845),
        Case((3, 0.5), [[1.0, 0.0, 0.0], [-0.28, 0.96, 0.0], [0.36, 0.48, 0.8]], -2.307880695655081),
    ),
)
