"""Joint measures whose components reach the same draws, behind whatever operation."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from flatppl import CompilationError, flatppl

DRAWS = "z ~ Normal(0.0, 1.0)\na ~ Normal(z, 1.0)\nb ~ Normal(z, 1.0)\n"
COVARIANCE = [[2.0, 1.0], [1.0, 2.0]]
PAIR = multivariate_normal.logpdf([0.1, 0.2], [0.0, 0.0], COVARIANCE)
MARGIN = norm.logpdf(0.1, 0.0, 2**0.5)

ANSWERED = [
    ("joint(a = lawof(a), b = lawof(b))", "record(a = 0.1, b = 0.2)", PAIR),
    ('joint(relabel(lawof(a), ["a"]), relabel(lawof(b), ["b"]))', "record(a = 0.1, b = 0.2)", PAIR),
    ("joint(a = pushfwd(exp, lawof(a)), b = lawof(b))", "record(a = exp(0.1), b = 0.2)", PAIR - 0.1),
    ("joint(a = locscale(lawof(a), 1.0, 2.0), b = lawof(b))", "record(a = 1.2, b = 0.2)", PAIR - np.log(2.0)),
    ("joint(u = joint(a = lawof(a)), b = lawof(b))", "record(u = record(a = 0.1), b = 0.2)", PAIR),
    # Nothing is shared: products.
    ("joint(u = weighted(2.0, lawof(a)), v = Normal(0.0, 1.0))", "record(u = 0.1, v = 0.2)",
     MARGIN + np.log(2.0) + norm.logpdf(0.2)),
    ("joint(u = weighted(2.0, Normal(0.0, 1.0)), v = lawof(a))", "record(u = 0.2, v = 0.1)",
     MARGIN + np.log(2.0) + norm.logpdf(0.2)),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "point", "expected"), ANSWERED)
def test_shared_draws_are_one(measure: str, point: str, expected: float) -> None:
    value = flatppl(f"{DRAWS}outputs = logdensityof({measure}, {point})").compile(backend="numpy", dtype="float64")()
    assert float(value) == pytest.approx(expected, rel=1e-12)


REFUSED = [
    "joint(a = weighted(2.0, lawof(a)), b = lawof(b))",
    "joint(a = lawof(a), b = normalize(weighted(2.0, lawof(b))))",
    "joint(a = jointchain(x = lawof(a), y = x -> Normal(x, 1.0)), b = lawof(b))",
    "joint(a = kchain(lawof(a), x -> Normal(x, 1.0)), b = lawof(b))",
    "joint(a = normalize(superpose(weighted(0.5, lawof(a)), weighted(0.5, Normal(0.0, 1.0)))), b = lawof(b))",
]


@pytest.mark.parametrize("measure", REFUSED)
def test_what_cannot_share_is_refused(measure: str) -> None:
    source = f"{DRAWS}m = {measure}\noutputs = totalmass(m)"
    with pytest.raises(CompilationError, match="holds a law whose draws another component shares"):
        flatppl(source).compile(backend="numpy")


KERNELS = "t = elementof(reals)\ns = elementof(reals)\nz ~ Normal(t, 1.0)\na ~ Normal(z, 1.0)\nb ~ Normal(z, 1.0)\n"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("logdensityof(joint(kernelof(a, t = t), kernelof(b, t = t))(t = 0.4), [0.1, 0.2])",
         multivariate_normal.logpdf([0.1, 0.2], [0.4, 0.4], COVARIANCE)),
        ("logdensityof(joint(x = kernelof(a, t = t), y = kernelof(b, t = t))(0.4), record(x = 0.1, y = 0.2))",
         multivariate_normal.logpdf([0.1, 0.2], [0.4, 0.4], COVARIANCE)),
        ("logdensityof(joint(kernelof(a, t = t), c -> Normal(c, 1.0))(t = 0.4, c = 0.3), [0.1, 0.2])",
         norm.logpdf(0.1, 0.4, 2**0.5) + norm.logpdf(0.2, 0.3)),
    ],
)  # fmt: skip
def test_kernels_with_one_boundary_draw_together(query: str, expected: float) -> None:
    value = flatppl(f"{KERNELS}outputs = {query}").compile(backend="numpy", dtype="float64")()
    assert float(value) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "measure",
    ["joint(kernelof(a, t = t), kernelof(b, s = t))(t = 0.4, s = 0.4)", "joint(kernelof(a, t = t), lawof(b))(t = 0.4)"],
)
def test_kernels_that_share_a_draw_behind_unlike_boundaries_are_refused(measure: str) -> None:
    with pytest.raises(CompilationError, match="share the draw z, but do not bind"):
        flatppl(f"{KERNELS}inputs = t\noutputs = logdensityof({measure}, [0.1, 0.2])").compile(backend="numpy")
