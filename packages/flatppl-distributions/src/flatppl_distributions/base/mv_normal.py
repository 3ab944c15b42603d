"""MvNormal(mu, cov): density exp(-y.y/2) / ((2 pi)^(n/2) det L) with cov = L L^T, L y = x - mu."""

from __future__ import annotations

from flatppl.distribution import Case, Distribution, Rng, SpdMatrix, Vector
from flatppl.errors import refuse
from flatppl.tensor.avals import Aval
from flatppl.tensor.factor import factor_of
from flatppl.tensor.ops import cholesky, dot, solve_lower
from flatppl.tensor.program import Node
from flatppl.values.forms import TensorForm
from flatppl.values.product_sets import Power
from flatppl.values.sets import reals
from flatppl_distributions.numerics import HALF_LOG_2PI, Number


def variate(mu: Aval, cov: Aval) -> TensorForm:
    """A vector as long as mu."""
    n = mu.size
    if cov.shape != (n, n):
        refuse("shape", f"MvNormal: cov must be {n}x{n} for a mu of length {n}, got {'x'.join(map(str, cov.shape))}")
    return TensorForm("real", (n,), (1,))


def log_density(x: Node, mu: Node, cov: Node) -> Number:
    """Log density."""
    factor = factor_of(cov)
    return -mu.shape[0] * HALF_LOG_2PI - factor.log_determinant() - 0.5 * factor.squared_length(x, mu)


def to_normal(x: Node, mu: Node, cov: Node) -> Number:
    """Whitened point."""
    return solve_lower(cholesky(cov), x - mu)


def from_normal(z: Node, mu: Node, cov: Node) -> Number:
    """Inverse of ``to_normal``."""
    return mu + dot(cholesky(cov), z)


def sample(rng: Rng, mu: Node, cov: Node) -> Number:
    """One draw."""
    return from_normal(rng.normal(mu.shape), mu, cov)


MvNormal = Distribution(
    name="MvNormal",
    parameters=(("mu", Vector(reals)), ("cov", SpdMatrix())),
    support=lambda mu, cov: Power(reals, mu.shape),
    variate=variate,
    log_density=log_density,
    to_normal=to_normal,
    from_normal=from_normal,
    sample=sample,
    truth=(
        Case(([0.5], [[4.0]]), [1.5], -1.737085713764618),
        Case(([1.0, -1.0], [[2.0, 0.5], [0.5, 1.0]]), [0.25, 0.75], -4.403399246091342),
        Case(
            ([0.0, 1.0, 2.0], [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]]),
            [1.0, -2.0, 0.5],
            -9.150862054001891,
        ),
        Case(([0.0, 0.0], [[1e-06, 0.0], [0.0, 1000000.0]]), [0.002, -3000.0], -8.337877066409346),
    ),
)
