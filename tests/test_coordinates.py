"""Functions of draws whose entries are not free real coordinates: no volume is made up for them."""

import math

import pytest
from scipy.stats import norm, poisson

from flatppl import CompilationError, flatppl

REFUSED = [
    ("pushfwd(v -> 2.0 * v, joint(Normal(0.0, 1.0), Poisson(2.0)))", "[0.4, 4.0]"),
    ("locscale(joint(Normal(0.0, 1.0), Poisson(2.0)), [0.0, 0.0], 2.0)", "[0.4, 4.0]"),
    ("pushfwd(v -> [v[1], 2 * v[2]], joint(Normal(0.0, 1.0), Poisson(2.0)))", "[0.4, 4.0]"),
    ("pushfwd(v -> 2.0 * v, Dirichlet([1.0, 2.0, 3.0]))", "[0.4, 0.6, 1.0]"),
    ("pushfwd(v -> log.(v), Dirichlet([1.0, 2.0, 3.0]))", "log.([0.2, 0.3, 0.5])"),
    ("pushfwd(X -> 2.0 * X, Wishart(3.0, eye(2)))", "eye(2)"),
]


@pytest.mark.parametrize(("measure", "point"), REFUSED)
def test_refused(measure: str, point: str) -> None:
    with pytest.raises(CompilationError, match="are not free real coordinates"):
        flatppl(f"outputs = logdensityof({measure}, {point})").compile(backend="numpy")


@pytest.mark.parametrize(
    ("measure", "point", "expected"),
    [
        ("pushfwd(v -> [v[2], v[1]], joint(Normal(0.0, 1.0), Poisson(2.0)))", "[2.0, 0.4]",
         norm.logpdf(0.4) + poisson.logpmf(2, 2.0)),
        ("pushfwd(v -> [2.0 * v[1], v[2]], joint(Normal(0.0, 1.0), Poisson(2.0)))", "[0.4, 4.0]",
         norm.logpdf(0.2) - math.log(2.0) + poisson.logpmf(4, 2.0)),
        ("pushfwd(v -> 2.0 * v, joint(Normal(0.0, 1.0), Exponential(2.0)))", "[0.4, 4.0]",
         norm.logpdf(0.2) + math.log(2.0) - 4.0 - 2.0 * math.log(2.0)),
    ],
)  # fmt: skip
def test_free_coordinates_keep_their_rules(measure: str, point: str, expected: float) -> None:
    value = flatppl(f"outputs = logdensityof({measure}, {point})").compile(backend="numpy", dtype="float64")()
    assert float(value) == pytest.approx(expected, rel=1e-12)
