"""InverseWishart(nu, scale): law of the inverse of a Wishart matrix with scale matrix ``scale^-1``.

``|Psi|^(nu/2) |X|^(-(nu + n + 1)/2) exp(-tr(Psi X^-1)/2) / (2^(nu n/2) Gamma_n(nu/2))`` with respect to the lower triangle.
"""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng, SpdMatrix
from flatppl.tensor.ops import cholesky, dot, select, square, sum_, transpose
from flatppl.tensor.program import Node
from flatppl.values.array_sets import MatrixSet
from flatppl.values.sets import posreals
from flatppl_distributions.base.wishart import variate
from flatppl_distributions.matrices import bartlett, log_determinant, log_multigamma
from flatppl_distributions.numerics import Number


def log_density(x: Node, nu: Node, scale: Node) -> Number:
    """Log density; undefined (NaN) unless nu > n - 1."""
    n = x.shape[0]
    factor, root = cholesky(x), cholesky(scale)
    trace = sum_(square(x.builder.apply("triangular_solve", factor, root, lower=True, transposed=False)))
    kernel = -0.5 * (nu + n + 1.0) * log_determinant(factor) - 0.5 * trace
    norm = 0.5 * nu * (n * math.log(2.0) - log_determinant(root)) + log_multigamma(n, 0.5 * nu)
    return select(nu > n - 1.0, kernel - norm, math.nan)


def sample(rng: Rng, nu: Node, scale: Node) -> Number:
    """One draw: the inverse of a Wishart draw."""
    builder, n = scale.builder, scale.shape[0]
    root = cholesky(builder.apply("inv", scale))
    drawn = dot(root, bartlett(rng, nu, n))
    return builder.apply("inv", dot(drawn, transpose(drawn)))


InverseWishart = Distribution(
    name="InverseWishart",
    parameters=(("nu", posreals), ("scale", SpdMatrix())),
    support=lambda nu, scale: MatrixSet(scale.shape[0], "spd"),
    variate=variate,
    log_density=log_density,
    sample=sample,
    truth=(
        Case((3.0, [[2.0]]), [[1.5]], -1.5595471993018324),
        Case((4.0, [[2.0, 0.5], [0.5, 1.0]]), [[3.0, 1.0], [1.0, 2.0]], -8.337972545177742),
        Case(
            (5.5, [[1.0, 0.2, 0.1], [0.2, 2.0, -0.3], [0.1, -0.3, 0.5]]),
            [[4.0, 0.5, 0.25], [0.5, 6.0, -1.0], [0.25, -1.0, 2.0]],
            -26.63681881699716,
        ),
    ),
)
