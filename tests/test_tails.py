"""Far tails: transports, samples, masses and gradients of truncations, against mpmath and SciPy."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import jax
import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from flatppl import CompilationError, flatppl
from flatppl.exam import CHECKS
from flatppl_distributions.base import normal
from flatppl_distributions.base.normal import Normal

inf = math.inf
HEP = 'hep = standard_module("particle-physics", "0.1")\n'


def evaluate(expression: str, backend: str = "numpy", inputs: str = "", **values: Any) -> Any:
    """Value of an expression in float64; every input is a real number."""
    names = [name for name in inputs.split() if name]
    declared = "".join(f"{name} = elementof(reals)\n" for name in names)
    signature = f"inputs = ({', '.join(names)})\n" if len(names) > 1 else f"inputs = {names[0]}\n" if names else ""
    module = flatppl(f"{HEP}{declared}{signature}outputs = {expression}")
    with module.context.plugins.backends[backend].session("float64"):
        return np.asarray(module.compile(backend=backend, dtype="float64")(**values))


def gradient(expression: str, **values: float) -> tuple[float, dict[str, float]]:
    """Value on JAX, and its derivatives by all inputs."""
    names = list(values)
    declared = "".join(f"{name} = elementof(reals)\n" for name in names)
    signature = f"inputs = ({', '.join(names)})\n" if len(names) > 1 else f"inputs = {names[0]}\n"
    module = flatppl(f"{declared}{signature}outputs = {expression}")
    with module.context.plugins.backends["jax"].session("float64"), jax.enable_x64(True):
        function = module.compile(backend="jax", dtype="float64")
        value, slopes = jax.value_and_grad(lambda point: function(**point))(values)
        return float(value), {name: float(slope) for name, slope in slopes.items()}


# ---------------------------------------------------------------- transports

GAMMA_TAIL = "upper tail of Gamma(a, 1)"


def gamma_tail(a: Any, y: Any) -> Any:
    return mp.gammainc(a, y, mp.inf, regularized=True)


def beta_tail(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(b, a, 0, 1 - x, regularized=True)


#: (kernel, record of its parameters, upper tail).
UPPER: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("Normal", "mu = 0.5, sigma = 1.3", lambda x: mp.ncdf((mp.mpf("0.5") - x) / mp.mpf("1.3"))),
    ("LogNormal", "mu = 0.0, sigma = 1.0", lambda x: mp.ncdf(-mp.log(x))),
    ("Exponential", "rate = 1.0", lambda x: mp.exp(-x)),
    ("Weibull", "shape = 1.5, scale = 2.0", lambda x: mp.exp(-((x / 2) ** mp.mpf("1.5")))),
    ("Pareto", "shape = 2.5, scale = 1.5", lambda x: (mp.mpf("1.5") / x) ** mp.mpf("2.5")),
    ("Gamma", "shape = 2.5, rate = 0.75", lambda x: gamma_tail(mp.mpf("2.5"), mp.mpf("0.75") * x)),
    ("ChiSquared", "k = 3.0", lambda x: gamma_tail(mp.mpf("1.5"), x / 2)),
    ("InverseGamma", "shape = 3.0, scale = 2.0", lambda x: 1 - gamma_tail(3, 2 / x)),
    ("Beta", "alpha = 2.0, beta = 3.5", lambda x: beta_tail(2, mp.mpf("3.5"), x)),
    ("Logistic", "mu = 0.5, s = 2.0", lambda x: 1 / (1 + mp.exp((x - mp.mpf("0.5")) / 2))),
    ("Cauchy", "location = 1.0, scale = 0.5", lambda x: mp.atan2(1, (x - 1) * 2) / mp.pi),
    ("StudentT", "nu = 7.0", lambda x: mp.betainc(3.5, 0.5, 0, 7 / (7 + x * x), regularized=True) / 2),
    ("GeneralizedNormal", "mean = 0.0, alpha = 1.0, beta = 3.0", lambda x: gamma_tail(mp.mpf(1) / 3, x**3) / 2),
    ("Laplace", "location = 0.5, scale = 2.0", lambda x: mp.exp(-(x - mp.mpf("0.5")) / 2) / 2),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "given", "tail"), UPPER, ids=[row[0] for row in UPPER])
def test_from_normal_in_the_upper_tail(kernel: str, given: str, tail: Callable[[Any], Any]) -> None:
    with mp.workdps(60):
        for z in (6.0, 8.0, 9.0):
            got = float(evaluate(f"builtin_fromnormal({kernel}, record({given}), {z})"))
            expected = mp.findroot(lambda x, z=z: mp.log(tail(x) / mp.ncdf(-z)), (got, got * (1 + 1e-6)))
            assert got == pytest.approx(float(expected), rel=1e-12, abs=0.0), z


TRANSPORTED = [
    *(row[:2] for row in UPPER),
    ("VonMises", "mu = 0.5, kappa = 20.0"),
    ("Uniform", "interval(-1.0, 3.0)"),
    ("hep.RelativisticBreitWigner", "mean = 91.19, width = 2.5"),
    ("hep.CrystalBall", "m0 = 0.0, sigma = 1.0, alpha = 1.5, n = 3.0"),
    ("hep.DoubleSidedCrystalBall",
     "m0 = 0.0, sigmaL = 1.0, sigmaR = 2.0, alphaL = 1.5, alphaR = 1.0, nL = 3.0, nR = 4.0"),
    ("hep.BifurcatedNormal", "mean = 0.0, sigmaL = 1.0, sigmaR = 2.0"),
    ("hep.Argus", "resonance = 10.0, slope = -2.0, power = 0.5"),
]  # fmt: skip
#: Near finite ends that are not 0 points are too coarse for deviates beyond these.
REACH = {"Uniform": (-3.0, 3.0), "hep.Argus": (-8.0, 4.0), "Pareto": (-3.0, 8.0)}


@pytest.mark.parametrize(("kernel", "given"), TRANSPORTED, ids=[row[0] for row in TRANSPORTED])
def test_transports_are_consistent(kernel: str, given: str) -> None:
    least, most = REACH.get(kernel, (-8.0, 8.0))
    deviates = [least, -2.0, -0.5, 0.0, 1.0, most]
    law = f"{kernel}, record({given})" if kernel != "Uniform" else f"{kernel}, {given}"
    back = [f"builtin_tonormal({law}, builtin_fromnormal({law}, {z}))" for z in deviates]
    np.testing.assert_allclose(evaluate(f"[{', '.join(back)}]"), deviates, rtol=1e-9, atol=1e-12)
    levels = [0.02, 0.5, 0.9]
    back = [f"builtin_touniform({law}, builtin_fromuniform({law}, {u}))" for u in levels]
    np.testing.assert_allclose(evaluate(f"[{', '.join(back)}]"), levels, rtol=1e-9)


def test_generalized_normal_quantile_of_a_small_probability() -> None:
    got = evaluate("builtin_fromuniform(GeneralizedNormal, record(mean = 0.0, alpha = 1.0, beta = 2.0), 1e-14)")
    assert float(got) == pytest.approx(stats.norm.ppf(1e-14) / math.sqrt(2.0), rel=1e-13)


@pytest.mark.parametrize("u", [1e-30, 1e-6, 0.3, 0.5, 0.7, 0.999999])
@pytest.mark.parametrize(("m", "width"), [(91.19, 2.5), (1.0, 0.2), (3.0969, 9.3e-05), (0.001, 5.0)])
def test_relativistic_breit_wigner_quantile(m: float, width: float, u: float) -> None:
    """The closed form of the distribution function at the quantile, at 60 digits."""
    law = f"hep.RelativisticBreitWigner, record(mean = {m}, width = {width})"
    got = float(evaluate(f"builtin_fromuniform({law}, {u})"))
    with mp.workdps(60):
        mass, gamma = mp.mpf(m), mp.mpf(width)
        r = mp.sqrt(mass**2 + 1j * mass * gamma)
        g = mass * mp.sqrt(mass**2 + gamma**2)
        norm = mp.pi * mp.sqrt(mass**2 + g) / (2 * mp.sqrt(2) * mass * gamma * g)
        level = -mp.im(mp.atanh(got / r) / r) / (mass * gamma * norm)
        density = 1 / (((mp.mpf(got) ** 2 - mass**2) ** 2 + mass**2 * gamma**2) * norm)
        assert abs((level - u) / density) <= 4e-16 * (got + u / density)


def test_an_upper_quantile_that_is_wrong_is_noticed() -> None:
    wrong = dataclasses.replace(
        Normal, upper_quantile=lambda q, mu, sigma: normal.upper_quantile(1.0001 * q, mu, sigma)
    )
    assert list(CHECKS["upper quantile"](wrong)) != []


# ---------------------------------------------------------------- samples

COUNT = 1000


def draws(measure: str, region: str, backend: str = "numpy") -> Any:
    """Independent draws of a normalized truncation."""
    law = f"normalize(truncate({measure}, {region}))"
    module = flatppl(f"xs, s = rand(rnginit([1, 2, 3]), iid({law}, {COUNT}))\noutputs = xs")
    with module.context.plugins.backends[backend].session("float64"):
        return np.asarray(module.compile(backend=backend, dtype="float64")())


def check_continuous(x: Any, law: Any, lo: float, hi: float) -> None:
    """Kolmogorov and Smirnov's test of the conditional law, by SciPy's smaller tail."""
    assert (x >= lo).all()
    assert (x <= hi).all()
    tail = law.sf if lo > law.median() else law.cdf
    start, end = tail(lo), tail(hi)
    assert stats.kstest((tail(x) - start) / (end - start), "uniform").pvalue > 1e-4


CONTINUOUS = [
    ("Normal(0.0, 1.0)", "interval(9.0, 10.0)", stats.norm(), 9.0, 10.0),
    ("Normal(0.0, 1.0)", "interval(-10.0, -9.0)", stats.norm(), -10.0, -9.0),
    ("Exponential(1.0)", "interval(50.0, inf)", stats.expon(), 50.0, inf),
    ("Gamma(2.0, 1.0)", "interval(60.0, 80.0)", stats.gamma(2.0), 60.0, 80.0),
    ("Beta(2.0, 500.0)", "interval(0.1, 1.0)", stats.beta(2.0, 500.0), 0.1, 1.0),
    ("InverseGamma(3.0, 2.0)", "interval(200.0, inf)", stats.invgamma(3.0, scale=2.0), 200.0, inf),
    ("StudentT(3.0)", "interval(1e6, inf)", stats.t(3.0), 1e6, inf),
    ("Uniform(interval(0.0, 2.0))", "interval(1.0, 5.0)", stats.uniform(0.0, 2.0), 1.0, 2.0),
    ("pushfwd(x -> exp(x), Normal(0.0, 1.0))", "interval(1.0, 20.0)", stats.lognorm(1.0), 1.0, 20.0),
    ("pushfwd(x -> 2.0 - 3.0 * x, Normal(0.0, 1.0))", "interval(32.0, inf)", stats.norm(2.0, 3.0), 32.0, inf),
    ("locscale(Normal(0.0, 1.0), 1.0, 2.0)", "interval(19.0, inf)", stats.norm(1.0, 2.0), 19.0, inf),
    ("normalize(truncate(Gamma(2.0, 1.0), interval(0.5, 40.0)))", "interval(30.0, 50.0)", stats.gamma(2.0), 30.0, 40.0),
    ("truncate(weighted(3.0, Gamma(2.0, 1.0)), interval(0.5, 40.0))", "posreals", stats.gamma(2.0), 0.5, 40.0),
    ("pushfwd(x -> x + 1.0, normalize(truncate(Normal(0.0, 1.0), interval(0.0, 3.0))))", "interval(2.0, 9.0)",
     stats.norm(1.0, 1.0), 2.0, 4.0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "region", "law", "lo", "hi"), CONTINUOUS, ids=[f"{c[0]}-{c[1]}" for c in CONTINUOUS]
)
def test_samples_of_a_truncated_law(measure: str, region: str, law: Any, lo: float, hi: float) -> None:
    check_continuous(draws(measure, region), law, lo, hi)


def test_samples_in_the_tail_on_jax() -> None:
    check_continuous(draws("Normal(0.0, 1.0)", "interval(9.0, 10.0)", "jax"), stats.norm(), 9.0, 10.0)


def test_samples_of_a_truncated_superposition() -> None:
    """The component follows the masses inside the set, not the weights."""
    x = draws("superpose(weighted(0.9, Normal(0.0, 1.0)), weighted(0.1, Normal(10.0, 1.0)))", "interval(2.0, 12.0)")
    near = 0.9 * (stats.norm.sf(2.0) - stats.norm.sf(12.0))
    far = 0.1 * (stats.norm.cdf(2.0) - stats.norm.cdf(-8.0))
    level = 0.9 * (stats.norm.sf(2.0) - stats.norm.sf(x)) + 0.1 * (stats.norm.cdf(x - 10.0) - stats.norm.cdf(-8.0))
    assert stats.kstest(level / (near + far), "uniform").pvalue > 1e-4


DISCRETE = [
    ("Poisson(2.0)", "posreals", stats.poisson(2.0), 1, 60),
    ("Poisson(2.0)", "interval(30.0, inf)", stats.poisson(2.0), 30, 90),
    ("Binomial(30, 0.05)", "interval(19.5, 25.0)", stats.binom(30, 0.05), 20, 25),
    ("Geometric(0.3)", "interval(120.0, inf)", stats.geom(0.3, loc=-1), 120, 300),
    ("NegativeBinomial2(2.0, 3.0)", "posreals", stats.nbinom(3.0, 0.6), 1, 200),
    ("NegativeBinomial(3.0, 1.5)", "interval(60.0, inf)", stats.nbinom(3.0, 0.6), 60, 200),
    ("Categorical([0.2, 0.5, 0.3])", "interval(1.5, 3.0)", stats.binom(1, 0.375, loc=2), 2, 3),
    ("Bernoulli(1e-20)", "posreals", stats.binom(0, 0.5, loc=1), 1, 1),
    ("normalize(truncate(Poisson(2.0), interval(0.0, 8.0)))", "interval(4.5, 20.0)", stats.poisson(2.0), 5, 8),
    ("pushfwd(k -> k + 3, Poisson(2.0))", "interval(4.0, 9.0)", stats.poisson(2.0, loc=3), 4, 9),
]


@pytest.mark.parametrize(("measure", "region", "law", "lo", "hi"), DISCRETE, ids=[f"{c[0]}-{c[1]}" for c in DISCRETE])
def test_samples_of_a_truncated_count(measure: str, region: str, law: Any, lo: int, hi: int) -> None:
    x = draws(measure, region)
    counts = np.arange(lo, hi + 1)
    assert np.isin(x, counts).all()
    expected = law.pmf(counts) / law.pmf(counts).sum() * COUNT
    # Cells of fewer than five draws are pooled.
    cell = np.minimum(np.arange(len(counts)), max(int((expected >= 5.0).sum()) - 1, 0))
    observed = np.bincount(cell, [(x == count).sum() for count in counts])
    if len(observed) > 1:
        assert stats.chisquare(observed, np.bincount(cell, expected)).pvalue > 1e-4


def test_a_part_without_probability_has_no_samples() -> None:
    """Where both tails underflow, a real sample is undefined and a count is refused."""
    assert np.isnan(draws("Exponential(1.0)", "interval(800.0, 900.0)")).all()
    with pytest.raises(CompilationError, match="probability"):
        draws("Poisson(1.0)", "interval(200.0, 300.0)")


@pytest.mark.parametrize(
    "measure", ["weighted(x -> x^2, Normal(0.0, 1.0))", "pushfwd(x -> x^2, Normal(0.0, 1.0))", "hep.Landau(0.0, 1.0)"]
)
def test_no_exact_sampler(measure: str) -> None:
    with pytest.raises(CompilationError):
        evaluate(f"tuple_get(rand(rnginit(1), normalize(truncate({measure}, interval(1.0, 2.0)))), 1)")


# ---------------------------------------------------------------- gradients off a truncation

OFF = [
    ("truncate(weighted(x -> sqrt(x), Lebesgue(reals)), interval(0.5, 2.0))", -1.0),
    ("truncate(weighted(x -> sqrt(x), Lebesgue(reals)), posreals)", 0.0),
    ("truncate(logweighted(x -> log(x), Lebesgue(reals)), interval(0.5, 2.0))", 0.0),
    ("truncate(Gamma(2.0, 1.0), interval(0.2, 0.5))", 0.0),
    ("truncate(Beta(2.0, 2.0), interval(0.2, 0.5))", 1.0),
    ("truncate(pushfwd(x -> exp(x), Normal(0.0, 1.0)), interval(0.5, 2.0))", 0.0),
]


@pytest.mark.parametrize(("measure", "x"), OFF)
def test_gradient_off_a_truncation(measure: str, x: float) -> None:
    value, slopes = gradient(f"logdensityof({measure}, x)", x=x)
    assert value == -inf
    assert slopes == {"x": 0.0}


def test_gradient_off_a_box() -> None:
    measure = "truncate(iid(Gamma(2.0, 1.0), 2), cartpow(interval(0.2, 0.5), 2))"
    assert gradient(f"logdensityof({measure}, [x, y])", x=0.3, y=0.0) == (-inf, {"x": 0.0, "y": 0.0})
    measure = (
        "truncate(joint(a = Gamma(2.0, 1.0), b = Beta(2.0, 2.0)), cartprod(a = interval(0.2, 0.5), b = unitinterval))"
    )
    assert gradient(f"logdensityof({measure}, record(b = x, a = y))", x=0.5, y=0.0) == (-inf, {"x": 0.0, "y": 0.0})


# ---------------------------------------------------------------- masses that underflow


def gamma_mass(a: Any, lo: Any, hi: Any) -> Any:
    return mp.log(mp.gammainc(mp.mpf(a), mp.mpf(lo), mp.mpf(hi), regularized=True))


def beta_mass(a: Any, b: Any, lo: Any, hi: Any) -> Any:
    return mp.log(mp.betainc(mp.mpf(a), mp.mpf(b), mp.mpf(lo), mp.mpf(hi), regularized=True))


#: (law, lo, hi, log of the probability).
MASSES: list[tuple[str, str, str, Callable[[], Any]]] = [
    ("Gamma(2.0, 1.0)", "1000.0", "inf", lambda: gamma_mass(2, 1000, "inf")),
    ("Gamma(2.0, 1.0)", "61.0", "64.0", lambda: gamma_mass(2, 61, 64)),
    ("Gamma(2.0, 1.0)", "0.5", "4.0", lambda: gamma_mass(2, 0.5, 4)),
    ("Gamma(2.0, 1.0)", "3.0", "inf", lambda: gamma_mass(2, 3, "inf")),
    ("Gamma(200.0, 1.0)", "0.0", "0.01", lambda: gamma_mass(200, 0, "0.01")),
    ("Gamma(0.01, 3.0)", "800.0", "900.0", lambda: gamma_mass("0.01", 2400, 2700)),
    ("Gamma(10000.0, 1.0)", "6000.0", "6500.0", lambda: gamma_mass(10000, 6000, 6500)),
    ("Gamma(1000000.0, 1000.0)", "1050.0", "inf", lambda: gamma_mass(10**6, 1050000, "inf")),
    ("ChiSquared(3.0)", "5000.0", "5001.0", lambda: gamma_mass(1.5, 2500, 2500.5)),
    ("GeneralizedNormal(0.5, 1.5, 3.0)", "20.5", "inf",
     lambda: gamma_mass(mp.mpf(1) / 3, (20 / mp.mpf("1.5")) ** 3, "inf") - mp.log(2)),
    ("GeneralizedNormal(0.5, 1.5, 3.0)", "-inf", "-19.5",
     lambda: gamma_mass(mp.mpf(1) / 3, (20 / mp.mpf("1.5")) ** 3, "inf") - mp.log(2)),
    ("InverseGamma(3.0, 2.0)", "0.0", "0.001", lambda: gamma_mass(3, 2000, "inf")),
    ("InverseGamma(300.0, 2.0)", "1e6", "inf", lambda: gamma_mass(300, 0, "2e-6")),
    ("Beta(200.0, 2.0)", "0.0", "0.001", lambda: beta_mass(200, 2, 0, "0.001")),
    ("Beta(2.0, 2000.0)", "0.5", "1.0", lambda: beta_mass(2000, 2, 0, "0.5")),
    ("Beta(2.0, 1e10)", "1e-7", "2e-7", lambda: mp.log(1001 * mp.exp(-1000)) + (mp.mpf(10) ** 10 - 1)
     * mp.log1p(-mp.mpf("1e-7")) + 1000 + mp.log((1 + 1000 - mp.mpf("1e-7")) / 1001)),
    ("Beta(3000.0, 500.0)", "0.25", "0.5", lambda: beta_mass(3000, 500, "0.25", "0.5")),
    ("StudentT(100.0)", "1e5", "inf", lambda: beta_mass(50, 0.5, 0, 100 / (100 + mp.mpf(10) ** 10)) - mp.log(2)),
    ("StudentT(100.0)", "-inf", "-1e5", lambda: beta_mass(50, 0.5, 0, 100 / (100 + mp.mpf(10) ** 10)) - mp.log(2)),
    ("StudentT(4000.0)", "60.0", "inf", lambda: beta_mass(2000, 0.5, 0, mp.mpf(4000) / 7600) - mp.log(2)),
    ("StudentT(3.0)", "-1.0", "2.0", lambda: mp.log(1 - beta_tail_of_t(3, 1) - beta_tail_of_t(3, 2))),
]  # fmt: skip


def beta_tail_of_t(nu: int, x: int) -> Any:
    return mp.exp(beta_mass(mp.mpf(nu) / 2, 0.5, 0, mp.mpf(nu) / (nu + x * x))) / 2


def normalizer(law: str, lo: str, hi: str) -> str:
    """The log mass of a truncation, as the difference of two densities at a point inside."""
    start, end = float(lo), float(hi)
    point = end - 1.0 if start == -inf else start + 0.5 * min(1.0, end - start)
    part = f"truncate({law}, interval({lo}, {hi}))"
    return f"logdensityof({part}, {point!r}) - logdensityof(normalize({part}), {point!r})"


@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_masses(backend: str) -> None:
    got = evaluate(f"[{', '.join(normalizer(*row[:3]) for row in MASSES)}]", backend)
    with mp.workdps(60):
        expected = [float(row[3]()) for row in MASSES]
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_density_of_a_far_truncation() -> None:
    """Gamma(2, 1) beyond 1000, with a fixed and with a runtime bound."""
    expected = math.log(1000.5) - 0.5 - math.log(1001.0)
    law = "normalize(truncate(Gamma(2.0, 1.0), interval({}, inf)))"
    assert float(evaluate(f"logdensityof({law.format('1000.0')}, 1000.5)")) == pytest.approx(expected, rel=1e-12)
    got = evaluate(f"logdensityof({law.format('lo')}, 1000.5)", inputs="lo", lo=1000.0)
    assert float(got) == pytest.approx(expected, rel=1e-12)


#: (law of parameters a and b, values of a, b and both ends).
SLOPES = [
    ("Gamma(a, b)", {"a": 2.0, "b": 1.0, "lo": 900.0, "hi": 901.0}),
    ("Gamma(a, b)", {"a": 2.0, "b": 1.0, "lo": 0.0, "hi": 3.0}),
    ("Gamma(a, b)", {"a": 200.0, "b": 1.0, "lo": 0.01, "hi": 0.02}),
    ("InverseGamma(a, b)", {"a": 3.0, "b": 2.0, "lo": 0.001, "hi": 0.002}),
    ("Beta(a, b)", {"a": 200.0, "b": 2.0, "lo": 0.001, "hi": 0.002}),
    ("Beta(a, b)", {"a": 2.0, "b": 300.0, "lo": 0.99, "hi": 0.995}),
    ("locscale(StudentT(b), a, 1.0)", {"a": 0.0, "b": 100.0, "lo": 1e5, "hi": 2e5}),
]


@pytest.mark.parametrize(("law", "values"), SLOPES, ids=[f"{row[0]}-{row[1]['lo']}" for row in SLOPES])
def test_gradients_of_masses(law: str, values: dict[str, float]) -> None:
    """Against differences of NumPy's values; at an end of the support, finite."""
    point = 0.5 * (values["lo"] + values["hi"])
    expression = f"logdensityof(normalize(truncate({law}, interval(lo, hi))), {point!r})"
    names = " ".join(values)
    value, slopes = gradient(expression, **values)
    assert value == pytest.approx(float(evaluate(expression, inputs=names, **values)), rel=1e-9)
    for name, slope in slopes.items():
        assert math.isfinite(slope)
        if name == "lo" and values["lo"] == 0.0:
            continue
        step = 1e-4 * (abs(values[name]) or 1.0)
        if name in ("lo", "hi"):
            step = min(step, 1e-3 * (values["hi"] - values["lo"]))
        ends = [evaluate(expression, inputs=names, **values | {name: values[name] + s * step}) for s in (-2, -1, 1, 2)]
        expected = float(ends[0] - 8.0 * ends[1] + 8.0 * ends[2] - ends[3]) / (12.0 * step)
        assert slope == pytest.approx(expected, rel=1e-5, abs=1e-6 * (1.0 + abs(value)) / (abs(values[name]) or 1.0))
