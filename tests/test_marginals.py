"""Laws of values that show some draws, or some entries of a draw, and hide others: log densities by hand."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import betaln
from scipy.stats import bernoulli, binom, gamma, laplace, multivariate_normal, norm, poisson

from flatppl import Integration, flatppl


def check(source: str, expected: float) -> None:
    value = flatppl(source).compile(backend="numpy", dtype="float64")()
    assert float(value) == pytest.approx(expected, rel=1e-9)


def test_a_latent_between_two_observed_draws() -> None:
    source = """
    a ~ Normal(0, 1)
    b ~ Normal(a, 2)
    c ~ Normal(b, 1)
    outputs = logdensityof(lawof(record(a = a, c = c)), record(a = 0.3, c = 0.5))
    """
    check(source, norm.logpdf(0.3) + norm.logpdf(0.5, 0.3, 5**0.5))


def test_a_latent_mixture_whose_parts_depend_on_an_observed_draw() -> None:
    source = """
    a ~ Normal(0, 1)
    b ~ normalize(superpose(weighted(0.3, Normal(a, 1)), weighted(0.7, Normal(-a, 2))))
    c ~ Normal(b, 1)
    outputs = logdensityof(lawof(record(a = a, c = c)), record(a = 0.2, c = 0.5))
    """
    mixture = 0.3 * norm.pdf(0.5, 0.2, 2**0.5) + 0.7 * norm.pdf(0.5, -0.2, 5**0.5)
    check(source, norm.logpdf(0.2) + np.log(mixture))


def test_a_latent_at_the_place_of_another_latent() -> None:
    source = """
    z ~ Normal(0, 1)
    d ~ Dirac(z)
    y ~ Normal(d, 1)
    outputs = logdensityof(lawof(y), 0.3)
    """
    check(source, norm.logpdf(0.3, 0, 2**0.5))


def test_gaussian_integrals_come_before_finite_sums() -> None:
    source = """
    b ~ Bernoulli(0.3)
    a ~ Normal(0, 1)
    v ~ iid(Normal(a * b, 1.0), 2)
    outputs = logdensityof(lawof(v), [0.3, 0.2])
    """
    parts = [multivariate_normal.logpdf([0.3, 0.2], [0, 0], np.eye(2) + extra) for extra in (0, 1)]
    check(source, np.logaddexp(np.log(0.7) + parts[0], np.log(0.3) + parts[1]))


#: Draws of several components, what is shown, a point, its log density.
PARTS = [
    # A hidden entry and a shown one of one vector both reach a sibling.
    ("v ~ iid(Normal(0, 1), 2)\ny ~ Normal(v[1] + v[2], 1)", "a = v[1], y = y", "a = 0.3, y = 1.1",
     norm.logpdf(0.3) + norm.logpdf(1.1, 0.3, 2**0.5)),
    ("v ~ iid(Normal(0, 1), 2)\ny ~ Normal(v[1], 1)", "a = v[2], y = y", "a = 0.3, y = 1.1",
     norm.logpdf(0.3) + norm.logpdf(1.1, 0, 2**0.5)),
    ("v ~ iid(Logistic(0, 1), 3)\ny ~ Normal(v[1], 1)", "a = [v[1], v[3]], y = y", "a = [0.5, 0.5], y = 1.1",
     2 * (-0.5 - 2 * np.log1p(np.exp(-0.5))) + norm.logpdf(1.1, 0.5)),
    ("r ~ joint(p = Normal(0, 1), q = Normal(0, 2))\ny ~ Normal(r.p + r.q, 1)", "a = r.p, y = y", "a = 0.3, y = 0.4",
     norm.logpdf(0.3) + norm.logpdf(0.4, 0.3, 5**0.5)),
    ("r ~ jointchain(p = Normal(0, 1), q = p -> Normal(p, 2))\ny ~ Normal(r.q, 1)", "a = r.p, y = y", "a = 0.3, y = 0.4",
     norm.logpdf(0.3) + norm.logpdf(0.4, 0.3, 5**0.5)),
    ("v ~ markovchain(s -> Normal(s, 1), 0.0, 3)", "a = v[3]", "a = 0.3", norm.logpdf(0.3, 0, 3**0.5)),
    ("v ~ Normal.([0.0, 1.0], [1.0, 2.0])", "a = v[2]", "a = 0.3", norm.logpdf(0.3, 1, 2)),
    # Functions of the entries of one vector.
    ("v ~ iid(Normal(0, 1), 2)", "a = exp(v[2]), b = v[1]", "a = 2.0, b = 0.1",
     norm.logpdf(np.log(2.0)) - np.log(2.0) + norm.logpdf(0.1)),
    ("v ~ iid(Normal(0, 1), 2)", "a = v[1] + v[2], b = v[1] - v[2]", "a = 0.5, b = 0.1",
     norm.logpdf(0.3) + norm.logpdf(0.2) - np.log(2.0)),
]  # fmt: skip


@pytest.mark.parametrize(("draws", "shown", "point", "expected"), PARTS)
def test_parts_of_a_draw_are_coordinates_of_their_own(draws: str, shown: str, point: str, expected: float) -> None:
    check(f"{draws}\noutputs = logdensityof(lawof(record({shown})), record({point}))", expected)


#: A measure of finite mass, and the atoms of a discrete law that lie in its bin.
BINS = [
    ("[1, 3]", "pushfwd(k -> 2 * k + 1, Poisson(1.0))", [0, 1]),
    ("[1, 3, 5]", "pushfwd(k -> 2 * k + 1, Poisson(1.0))", [0]),
    ("[-3, -1, 1]", "pushfwd(k -> -2 * k - 1, Poisson(1.0))", [1]),
    ("[-5, -3, 0]", "pushfwd(k -> 2 * k + 1, Poisson(1.0))", []),
]


@pytest.mark.parametrize(("edges", "measure", "atoms"), BINS)
def test_the_first_bin_counts_the_atoms_whose_images_it_holds(edges: str, measure: str, atoms: list[int]) -> None:
    mass = sum(poisson.pmf(k, 1.0) for k in atoms)
    counts = "[" + ", ".join("0" for _ in edges.split(",")[1:]) + "]"
    rest = "totalmass(truncate(M, interval({}, {})))".format(*edges.strip("[]").split(", ")[:: edges.count(",")])
    source = f"M = {measure}\nN = weighted(10.0, M)\n"
    whole = flatppl(f"{source}outputs = {rest}").compile(backend="numpy", dtype="float64")()
    empty = flatppl(f"{source}outputs = logdensityof(BinnedPoissonProcess({edges}, N), {counts})")
    assert -float(empty.compile(backend="numpy", dtype="float64")()) == pytest.approx(10.0 * float(whole))
    first = flatppl(f"{source}outputs = logdensityof(BinnedPoissonProcess({edges}, N), {counts.replace('0', '1', 1)})")
    expected = np.log(10.0 * mass) - 10.0 * float(whole) if atoms else -np.inf
    assert float(first.compile(backend="numpy", dtype="float64")()) == pytest.approx(expected)


def test_a_sum_below_the_image_of_its_positive_part_is_impossible() -> None:
    source = """
    x ~ Normal(0, 1)
    z ~ Normal(0, 1)
    outputs = densityof(lawof(record(z = z, y = exp(x) + z)), record(z = 0.5, y = 0.2))
    """
    check(source, 0.0)


#: What is drawn with a kernel at a draw z ~ Normal(0, 1), a point y, and the log density of (z = 0.2, y). The kernel
#: K draws b around its input with a latent w of its own.
KERNELS = [
    ("K(z)", "0.5", norm.logpdf(0.5, 0.2, 2**0.5)),
    ("lawof(m -> Normal(m, 1))(z)", "0.5", norm.logpdf(0.5, 0.2)),
    ("iid(K(z), 2)", "[0.5, 0.1]", norm.logpdf([0.5, 0.1], 0.2, 2**0.5).sum()),
    ("pushfwd(x -> 2 * x, K(z))", "1.0", norm.logpdf(0.5, 0.2, 2**0.5) - np.log(2)),
    ("kchain(Normal(z, 1), K)", "0.5", norm.logpdf(0.5, 0.2, 3**0.5)),
    ("markovchain(K, z, 2)", "[0.5, 0.3]", norm.logpdf(0.5, 0.2, 2**0.5) + norm.logpdf(0.3, 0.5, 2**0.5)),
    ("joint(p = K, q = m -> Normal(m, 1))(z, z)", "record(p = 0.5, q = 0.1)",
     norm.logpdf(0.5, 0.2, 2**0.5) + norm.logpdf(0.1, 0.2)),
    ("normalize(superpose(weighted(0.5, K(z)), weighted(0.5, Normal(0, 1))))", "0.5",
     np.log(0.5 * norm.pdf(0.5, 0.2, 2**0.5) + 0.5 * norm.pdf(0.5))),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "point", "expected"), KERNELS)
def test_a_kernel_at_a_draw_is_conditional_on_it(measure: str, point: str, expected: float) -> None:
    source = f"""
    a ~ Normal(0, 5)
    w ~ Normal(0, 1)
    b ~ Normal(a + w, 1)
    K = kernelof(b, a = a)
    z ~ Normal(0, 1)
    y ~ {measure}
    outputs = logdensityof(lawof(record(z = z, y = y)), record(z = 0.2, y = {point}))
    """
    check(source, norm.logpdf(0.2) + expected)


def test_a_kernel_at_a_draw_is_sampled_at_its_value() -> None:
    source = """
    a ~ Normal(0, 5)
    b ~ Normal(a, 1)
    K = kernelof(b, a = a)
    z ~ Normal(0, 3)
    y ~ K(z)
    values, _ = rand(rnginit(20261130), iid(lawof(record(z = z, y = y)), 4000))
    outputs = (values.y, values.z)
    """
    y, z = flatppl(source).compile(backend="numpy", dtype="float64")()
    # Six standard errors of a standard deviation.
    assert np.std(y - z) == pytest.approx(1.0, abs=6 / np.sqrt(2 * 4000))


#: Masses with a closed form.
MASSES = [
    # Evidence of a Gaussian likelihood under the law of a record, and of a kernel that integrates a latent.
    ("prior = lawof(record(a = z))\nL = likelihoodof(K, 0.7)\noutputs = totalmass(bayesupdate(L, prior))",
     norm.pdf(0.7, 0, 3**0.5)),
    ("outputs = totalmass(logweighted(x -> logdensityof(Normal(0.5, 1), x), Normal(0, 1)))", norm.pdf(0.5, 0, 2**0.5)),
    ("outputs = totalmass(logweighted(x -> logdensityof(K(x), 0.7), Normal(0, 1)))", norm.pdf(0.7, 0, 3**0.5)),
    ("outputs = totalmass(weighted(x -> x ^ 2, Exponential(1.5)))", 2 / 1.5**2),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), MASSES)
def test_masses_of_reweighted_measures(query: str, expected: float) -> None:
    model = "a ~ Normal(0, 5)\nw ~ Normal(0, 1)\nb ~ Normal(a + w, 1)\nK = kernelof(b, a = a)\nz ~ Normal(0, 1)\n"
    check(model + query, expected)


COVARIANCE = "rowstack([[1.0, 0.5], [0.5, 2.0]])"

#: Vectors that are integrated out whole: model, point of y, and the covariance of y, whose mean is zero.
VECTORS = [
    (f"v ~ MvNormal([0.0, 0.0], {COVARIANCE})\ny ~ Normal.(v, 1.0)", [[2, 0.5], [0.5, 3]]),
    (f"v ~ MvNormal([0.0, 0.0], {COVARIANCE})\ny ~ MvNormal(v, {COVARIANCE})", [[2, 1], [1, 4]]),
    (f"a ~ Normal(0, 1)\ny ~ MvNormal([a, 2 * a], {COVARIANCE})", [[2, 2.5], [2.5, 6]]),
    (f"A = rowstack([[1.0, 1.0], [0.0, 2.0]])\nv ~ MvNormal([0.0, 0.0], {COVARIANCE})\ny ~ Normal.(A * v, 1.0)",
     [[5, 5], [5, 9]]),
    (f"a ~ Normal(0, 1)\nv ~ MvNormal([a, a], {COVARIANCE})\nw ~ MvNormal(v, {COVARIANCE})\ny ~ Normal.(w, 1.0)",
     [[4, 2], [2, 6]]),
    ("v ~ markovchain(s -> Normal(s, 1), 0.0, 2)\ny ~ Normal.(v, 1.0)", [[2, 1], [1, 3]]),
    (f"v ~ MvNormal([0.0, 0.0], {COVARIANCE})\ns ~ Normal(sum(v), 1)\nt ~ Normal(v[2], 1)\ny = [s, t]", [[5, 2.5], [2.5, 3]]),
]  # fmt: skip


@pytest.mark.parametrize(("model", "covariance"), VECTORS)
def test_gaussian_vectors_are_integrated_out(model: str, covariance: list[list[float]]) -> None:
    expected = multivariate_normal.logpdf([0.3, -0.4], [0, 0], covariance)
    check(f"{model}\noutputs = logdensityof(lawof(y), [0.3, -0.4])", expected)


def test_a_long_gaussian_vector_is_one_factorization() -> None:
    n = 60
    steps = np.minimum.outer(np.arange(1, n + 1), np.arange(1, n + 1)) + np.eye(n)
    source = f"""
    v ~ markovchain(s -> Normal(s, 1), 0.0, {n})
    y ~ Normal.(v, 1.0)
    outputs = logdensityof(lawof(y), {[0.1] * n})
    """
    check(source, multivariate_normal.logpdf([0.1] * n, np.zeros(n), steps))


#: Images of laws with atoms, and sums of laws over one space.
ATOMS = [
    ("pushfwd(exp, pushfwd(k -> 0.5 * k, Poisson(1.0)))", "exp(0.5)", poisson.logpmf(1, 1.0)),
    ("pushfwd(x -> 3.0 * x, Dirac(0.5))", "1.5", 0.0),
    ("superpose(pushfwd(k -> 0.5 * k, Poisson(1.0)), Dirac(0.5))", "0.5", np.log1p(poisson.pmf(1, 1.0))),
    ("superpose(lawof(record(b = k, a = x)), joint(a = Normal(1, 1), b = Poisson(2.0)))", "record(a = 1.0, b = 1)",
     np.log(norm.pdf(1.0) * poisson.pmf(1, 1.0) + norm.pdf(0.0) * poisson.pmf(1, 2.0))),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "point", "expected"), ATOMS)
def test_atoms_have_no_volume_and_add_to_atoms(measure: str, point: str, expected: float) -> None:
    check(f"x ~ Normal(0, 1)\nk ~ Poisson(1.0)\noutputs = logdensityof({measure}, {point})", expected)


def test_a_draw_whose_density_has_no_rule_can_still_be_sampled() -> None:
    source = """
    z ~ Normal(0, 1)
    y ~ kchain(Beta(2.0, 2.0), p -> Normal(p + z, 1))
    values, _ = rand(rnginit(20261130), iid(lawof(record(z = z, y = y)), 4000))
    outputs = values.y - values.z
    """
    rest = flatppl(source).compile(backend="numpy", dtype="float64")()
    # Mean 1/2 and variance 1/20 + 1; six standard errors.
    assert np.mean(rest) == pytest.approx(0.5, abs=6 * np.sqrt(1.05 / 4000))


#: Trials with a beta-distributed chance, what is observed, its log probability.
CHANCES = [
    ("y ~ Bernoulli(z)", "y", "1", np.log(2 / 5)),
    ("y ~ Geometric(z)", "y", "4", betaln(3, 7) - betaln(2, 3)),
    ("y ~ iid(Bernoulli(z), 4)", "y", "[1, 0, 1, 1]", betaln(5, 4) - betaln(2, 3)),
    ("a ~ Bernoulli(z)\nb ~ Bernoulli(z)\nc ~ Binomial(5, z)", "record(a = a, b = b, c = c)", "record(a = 1, b = 0, c = 2)",
     betaln(5, 7) - betaln(2, 3) + np.log(10)),
]  # fmt: skip


@pytest.mark.parametrize(("draws", "shown", "point", "expected"), CHANCES)
def test_trials_of_a_beta_distributed_chance(draws: str, shown: str, point: str, expected: float) -> None:
    check(f"z ~ Beta(2.0, 3.0)\n{draws}\noutputs = logdensityof(lawof({shown}), {point})", expected)


#: Arrays of latents that meet their observations cell by cell, and the probability of each point.
CELLS = [
    ("z ~ iid(Bernoulli(0.2), 40)\ny ~ Normal.(2 * z, 0.5)",
     lambda y: 0.8 * norm.pdf(y, 0, 0.5) + 0.2 * norm.pdf(y, 2, 0.5)),
    ("z ~ Bernoulli.(linspace(0.1, 0.9, 40))\ny ~ Normal.(2 * z, 0.5)",
     lambda y: (1 - P) * norm.pdf(y, 0, 0.5) + P * norm.pdf(y, 2, 0.5)),
    ("z ~ iid(Binomial(3, 0.4), 40)\nw ~ iid(Bernoulli(0.2), 40)\ny ~ Normal.(z + w, 0.5)",
     lambda y: sum(
         binom.pmf(j, 3, 0.4) * bernoulli.pmf(b, 0.2) * norm.pdf(y, j + b, 0.5) for j in range(4) for b in range(2)
     )),
]  # fmt: skip
P = np.linspace(0.1, 0.9, 40)


@pytest.mark.parametrize(("draws", "density"), CELLS)
def test_arrays_of_latents_are_integrated_cell_by_cell(draws: str, density: Any) -> None:
    source = f"{draws}\noutputs = logdensityof(lawof(y), linspace(-1.0, 3.0, 40))"
    check(source, np.log(density(np.linspace(-1.0, 3.0, 40))).sum())


def test_quadrature_of_an_array_of_latents_does_not_nest() -> None:
    source = """
    z ~ iid(Gamma(2.0, 1.7), 4)
    y ~ Laplace.(z, 0.5)
    outputs = logdensityof(lawof(y), [0.3, 1.2, 5.0, -1.0])
    """
    value = flatppl(source).compile(backend="numpy", dtype="float64", integration=Integration(rtol=1e-9))()
    fine = np.linspace(0.0, 40.0, 400_001)
    cells = [
        trapezoid(gamma.pdf(fine, 2, scale=1 / 1.7) * laplace.pdf(y, fine, 0.5), fine) for y in (0.3, 1.2, 5.0, -1.0)
    ]
    assert float(value) == pytest.approx(np.log(cells).sum(), rel=1e-7)


#: Measures of counts inside sets with open ends, and the atoms that they keep.
OPEN = [
    ("truncate(Poisson(1.7), posreals)", range(1, 60)),
    ("truncate(truncate(Poisson(1.7), posreals), interval(-1.0, 2.0))", [1, 2]),
    ("truncate(truncate(Poisson(1.7), interval(0.0, 2.0)), interval(5.0, 8.0))", []),
    ("truncate(Poisson(1.7), interval(0.5, 2.5))", [1, 2]),
    ("truncate(pushfwd(x -> 2 * x, Poisson(1.7)), posreals)", range(1, 60)),
    ("truncate(pushfwd(x -> 3 - 2 * x, Poisson(1.7)), interval(-2.0, 1.0))", [1, 2]),
]


@pytest.mark.parametrize(("measure", "atoms"), OPEN)
def test_open_ends_exclude_atoms(measure: str, atoms: list[int]) -> None:
    check(f"outputs = totalmass({measure})", poisson.pmf(list(atoms), 1.7).sum())


def test_a_law_truncated_to_an_open_set_is_normalized_without_its_end() -> None:
    check(
        "outputs = logdensityof(normalize(truncate(Poisson(1.7), posreals)), 2)",
        poisson.logpmf(2, 1.7) - np.log1p(-np.exp(-1.7)),
    )
