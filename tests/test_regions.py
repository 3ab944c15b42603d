"""Measures of whole numbers and of listed values, and truncations to sets of every kind: masses and densities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, norm, poisson

from flatppl import CompilationError, flatppl

INSIDE = norm.cdf(1.0) - norm.cdf(-1.0)
MASSES = [
    # The integers of an interval.
    ("weighted(k -> 1.0 * k, Counting(interval(1, 4)))", 10.0),
    ("weighted(k -> polynomial([1.0, 0.5], k), Counting(interval(0, 4)))", 10.0),
    ("logweighted(k -> -0.5 * k, Counting(interval(0, 4)))", np.exp(-0.5 * np.arange(5)).sum()),
    ("truncate(Counting(interval(0, 4)), posreals)", 4.0),
    ("Counting(cartpow(interval(1, 3), 2))", 9.0),
    ("Counting(cartprod(a = interval(1, 3), b = booleans))", 6.0),
    ('Counting(finiteset("a", "b"))', 2.0),
    # Listed values.
    ("truncate(Categorical([0.2, 0.3, 0.5]), finiteset(1, 3))", 0.7),
    ("truncate(Binomial(5, 0.3), finiteset(1, 4))", binom.pmf([1, 4], 5, 0.3).sum()),
    ("truncate(Poisson(3.0), finiteset(1, 4))", poisson.pmf([1, 4], 3.0).sum()),
    ("truncate(Poisson(3.0), finiteset(-1, -4))", 0.0),
    ("truncate(Counting(finiteset(1, 4, 7)), finiteset(4, 9))", 1.0),
    ("truncate(Counting(interval(0, 10)), finiteset(1, 3, 40))", 2.0),
    ("truncate(iid(Bernoulli(0.3), 2), cartpow(finiteset(1), 2))", 0.09),
    ("truncate(weighted(k -> 1.0 * k, Binomial(3, 0.4)), finiteset(1, 3))", binom.pmf([1, 3], 3, 0.4) @ [1, 3]),
    # Atoms that are no integers.
    ("truncate(pushfwd(k -> 0.5 * k, Poisson(2.0)), interval(0.4, 1.6))", poisson.pmf([1, 2, 3], 2.0).sum()),
    ("truncate(pushfwd(k -> 0.5 * k, Poisson(2.0)), posreals)", poisson.sf(0, 2.0)),
    ("truncate(pushfwd(k -> 1.0 - 0.5 * k, Poisson(2.0)), posreals)", poisson.cdf(1, 2.0)),
    # Boxes.
    ("truncate(joint(Normal(0.0, 1.0), Exponential(1.0)), cartprod(interval(-1.0, 1.0), interval(0.0, 1.0)))",
     INSIDE * (1.0 - math.exp(-1.0))),
    ("truncate(joint(a = Normal(0.0, 1.0), b = Poisson(2.0)), cartprod(a = posreals, b = finiteset(0, 1)))",
     0.5 * poisson.cdf(1, 2.0)),
    ("truncate(Lebesgue(cartpow(reals, 2)), cartpow(unitinterval, 2))", 1.0),
    ("truncate(Lebesgue(cartprod(a = reals, b = reals)), cartprod(a = unitinterval, b = interval(0.0, 3.0)))", 3.0),
    ("truncate(Uniform(cartpow(interval(0.0, 2.0), 2)), cartpow(unitinterval, 2))", 0.25),
    # Polynomials over a part of the reals.
    ("truncate(weighted(x -> polynomial([1.0, 0.5, 0.25], x), Lebesgue(reals)), interval(0.0, 2.0))", 11.0 / 3.0),
    ("weighted(x -> polynomial([1.0, 0.5, 0.25], x), truncate(Lebesgue(reals), interval(0.0, 2.0)))", 11.0 / 3.0),
    ("truncate(Normal(0.0, 1.0), anything)", 1.0),
    ("Lebesgue(reals)", math.inf),
    ("Counting(posreals)", math.inf),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "expected"), MASSES)
def test_masses(measure: str, expected: float) -> None:
    value = flatppl(f"outputs = totalmass({measure})").compile(backend="numpy", dtype="float64")()
    assert float(value) == pytest.approx(expected, rel=1e-12, abs=1e-15)


FOUR = norm.pdf(0.5, [1, 2, 3, 4]).mean()
DENSITIES = [
    ("normalize(weighted(k -> 1.0 * k, Counting(interval(1, 4))))", "2", math.log(0.2)),
    ("kchain(normalize(Counting(interval(1, 4))), k -> Normal(1.0 * k, 1.0))", "0.5", math.log(FOUR)),
    ("pushfwd(k -> 2 * k, normalize(Counting(interval(1, 4))))", "6", -math.log(4.0)),
    ("BinnedPoissonProcess([0, 2, 5], Counting(interval(1, 4)))", "[1, 3]",
     poisson.logpmf(1, 1) + poisson.logpmf(3, 3)),
    ("Counting(cartpow(interval(1, 3), 2))", "[1.5, 2.0]", -math.inf),
    ('Counting(finiteset("a", "b"))', '"b"', 0.0),
    ('Counting(finiteset("a", "b"))', '"c"', -math.inf),
    ("normalize(truncate(Categorical([0.2, 0.3, 0.5]), setof([1, 3])))", "3", math.log(5.0 / 7.0)),
    ("kchain(normalize(truncate(Poisson(3.0), finiteset(1, 4))), k -> Normal(1.0 * k, 1.0))", "0.5",
     math.log(poisson.pmf([1, 4], 3.0) @ norm.pdf(0.5, [1, 4]) / poisson.pmf([1, 4], 3.0).sum())),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "point", "expected"), DENSITIES)
def test_densities(measure: str, point: str, expected: float) -> None:
    value = flatppl(f"outputs = logdensityof({measure}, {point})").compile(backend="numpy", dtype="float64")()
    assert float(value) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "measure",
    [
        "truncate(Normal(0.0, 1.0), integers)",
        "truncate(Exponential(1.0), posintegers)",
        "truncate(Normal(0.0, 1.0), finiteset(0.0, 1.0))",
        "truncate(joint(a = Normal(0.0, 1.0), b = Normal(0.0, 1.0)), cartprod(a = finiteset(1.0, 2.0), b = reals))",
    ],
)
def test_points_of_a_continuous_law_are_refused(measure: str) -> None:
    with pytest.raises(CompilationError, match="has no length, so nothing"):
        flatppl(f"outputs = totalmass({measure})").compile(backend="numpy")


def test_an_interval_that_is_empty_at_run_time_is_no_law() -> None:
    source = "s = elementof(reals)\ninputs = s\noutputs = logdensityof(Uniform(interval(s, 0.0)), -0.25)"
    f = flatppl(source).compile(backend="numpy", dtype="float64")
    assert f(-0.5) == pytest.approx(math.log(2.0))
    assert math.isnan(f(0.5))
