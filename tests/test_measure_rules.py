"""Rules of the measure algebra one by one: values against closed forms and SciPy, refusals with their places."""

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import expon, multivariate_normal, norm, poisson, t

from flatppl import CompilationError, Integration, flatppl

NUMERICAL = Integration(rtol=1e-10, max_intervals=512)


def answer(source: str, settings: Integration | None = None) -> np.ndarray:
    return np.ravel(flatppl(source).compile(backend="numpy", dtype="float64", integration=settings)())


def log_mixture(x: float, weights: list[float], means: list[float], sigmas: list[float]) -> float:
    return float(np.log(np.dot(weights, norm.pdf(x, means, sigmas))))


def log_integral(f, low: float, high: float) -> float:
    return float(np.log(integrate.quad(f, low, high, epsabs=0, epsrel=1e-12)[0]))


NOISY = log_mixture(0.2, [1.0], [1.0], [np.hypot(2.0, 0.5)])
PAIR = norm.logpdf(0.1) + norm.logpdf(0.2, 0.1, 1.0)
W = np.exp([0.1, 0.4]) / np.exp([0.1, 0.4]).sum()

#: What the source gives, without numerical integration.
VALUES = [
    # kchain of masses other than one: steps that the last one does not depend on count with their mass.
    ("totalmass(kchain(weighted(2.0, Normal(0.0, 1.0)), a -> Normal(a, 1.0)))", 2.0),
    ("totalmass(kchain(Normal(1.0, 2.0), m -> weighted(2.0, Normal(m, 0.5))))", 2.0),
    ("totalmass(kchain(Lebesgue(interval(0.0, 3.0)), m -> Normal(m, 0.5)))", 3.0),
    ("logdensityof(kchain(weighted(2.0, Normal(1.0, 2.0)), m -> Normal(m, 0.5)), 0.2)", np.log(2) + NOISY),
    ("logdensityof(kchain(Normal(1.0, 2.0), m -> weighted(2.0, Normal(m, 0.5))), 0.2)", np.log(2) + NOISY),
    ("logdensityof(normalize(kchain(weighted(2.0, Normal(1.0, 2.0)), m -> Normal(m, 0.5))), 0.2)", NOISY),
    ("logdensityof(kchain(weighted(2.0, Bernoulli(0.3)), m -> Normal(m, 0.5)), 0.2)",
     log_mixture(0.2, [1.4, 0.6], [0.0, 1.0], [0.5, 0.5])),
    ("logdensityof(kchain(weighted(2.0, Normal(1.0, 2.0)), m -> Normal(0.0, 0.5)), 0.2)",
     np.log(2) + norm.logpdf(0.2, 0.0, 0.5)),
    ("logdensityof(kchain(weighted(2.0, Normal(1.0, 2.0)), m -> Normal(0.0, 0.5), m -> Normal(m, 1.0)), 0.2)",
     np.log(2) + norm.logpdf(0.2, 0.0, np.sqrt(1.25))),
    ("logdensityof(kchain(joint(a = weighted(2.0, Normal(0.0, 1.0)), b = Normal(0.0, 1.0)), b -> Normal(b, 1.0)), 0.1)",
     np.log(2) + norm.logpdf(0.1, 0.0, np.sqrt(2))),
    ("logdensityof(kchain(Lebesgue(reals), m -> Normal(m, 0.5)), 0.2)", 0.0),
    ("logdensityof(kchain(b -> weighted(2.0, Normal(b, 1.0)), a -> Normal(a, 1.0))(0.3), 0.1)",
     np.log(2) + norm.logpdf(0.1, 0.3, np.sqrt(2))),
    # A step that takes an earlier value over keeps it: the chain is the joint one.
    ("logdensityof(kchain(Normal(0.0, 1.0), a -> joint(Dirac(value = a), Normal(a, 1.0))), [0.1, 0.2])", PAIR),
    ("logdensityof(kchain(Normal(0.0, 1.0), a -> joint(p = Dirac(value = a), q = Normal(a, 1.0))), "
     "record(p = 0.1, q = 0.2))", PAIR),
    ("logdensityof(kchain(Normal(0.0, 1.0), a -> Dirac(value = 2.0 * a)), 0.1)", norm.logpdf(0.1, 0.0, 2.0)),
    # Mixtures whose weights provably sum to one are laws.
    ("logdensityof(lawof(draw(ksuperpose(Normal, [0.5, 0.5])([0.0, 2.0], 1.0))), 0.5)",
     log_mixture(0.5, [0.5, 0.5], [0.0, 2.0], [1.0, 1.0])),
    ("logdensityof(lawof(draw(ksuperpose(Normal, [0.1, 0.1, 0.1, 0.7])([0.0, 2.0, 3.0, 4.0], 1.0))), 0.5)",
     log_mixture(0.5, [0.1, 0.1, 0.1, 0.7], [0.0, 2.0, 3.0, 4.0], [1.0] * 4)),
    ("totalmass(ksuperpose(Normal, [0.5, 0.5])([0.0, 2.0], 1.0))", 1.0),
    # Operations on kernels.
    ("logdensityof(restrict(a -> joint(a = Normal(a, 1.0), b = Normal(0.0, 1.0)), b = 0.1)(0.2), record(a = 0.3))",
     norm.logpdf(0.3, 0.2) + norm.logpdf(0.1)),
    ("logdensityof(superpose(a -> Normal(a, 1.0), a -> Normal(a, 2.0), Normal(0.0, 1.0))(0.2), 0.3)",
     log_mixture(0.3, [1.0, 1.0, 1.0], [0.2, 0.2, 0.0], [1.0, 2.0, 1.0])),
    ("logdensityof(normalize(ksuperpose(Normal, [1.0, 2.0]))([0.2, 0.1], 1.0), 0.3)",
     log_mixture(0.3, [1 / 3, 2 / 3], [0.2, 0.1], [1.0, 1.0])),
    ("logdensityof(ksuperpose(Normal, [1.0, 2.0])(table(mu = [0.2, 0.1], sigma = [1.0, 0.5])), 0.3)",
     log_mixture(0.3, [1.0, 2.0], [0.2, 0.1], [1.0, 0.5])),
    # Renamed measures keep their parts.
    ('totalmass(restrict(relabel(iid(Normal(0.0, 1.0), 2), ["y", "x"]), y = 0.3))', norm.pdf(0.3)),
    ('totalmass(truncate(relabel(Normal(0.0, 1.0), ["y"]), cartprod(y = posreals)))', 0.5),
    ('totalmass(relabel(iid(weighted(2.0, Normal(0.0, 1.0)), 2), ["y", "x"]))', 4.0),
    ('logdensityof(relabel(iid(joint(a = Normal(0.0, 1.0)), 2), ["y"]), table(y = [0.3, 0.1]))',
     norm.logpdf([0.3, 0.1]).sum()),
    ('logdensityof(Lebesgue(relabel(posreals, ["a"])), record(a = -1.0))', -np.inf),
    # Exactly two points, both positive.
    ("totalmass(truncate(PoissonProcess(weighted(3.0, Normal(0.0, 1.0))), cartpow(posreals, 2)))",
     poisson.pmf(2, 3.0) / 4),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), VALUES)
def test_a_rule_gives_the_closed_form(query: str, expected: float) -> None:
    assert answer(f"outputs = {query}") == pytest.approx(expected, rel=1e-9, abs=1e-12)


#: The same with bindings: model, query, expected.
MODELS = [
    ("p ~ Dirichlet([1.0, 1.0])\nx ~ ksuperpose(Normal, p)([0.0, 2.0], 1.0)",
     "logdensityof(lawof(record(p = p, x = x)), record(p = [0.3, 0.7], x = 0.5))",
     log_mixture(0.5, [0.3, 0.7], [0.0, 2.0], [1.0, 1.0])),
    ("p ~ Dirichlet([1.0, 1.0])\nx ~ superpose(weighted(p[2], Normal(0.0, 1.0)), weighted(p[1], Normal(2.0, 1.0)))",
     "logdensityof(lawof(record(p = p, x = x)), record(p = [0.3, 0.7], x = 0.5))",
     log_mixture(0.5, [0.7, 0.3], [0.0, 2.0], [1.0, 1.0])),
    ("p ~ Dirichlet([1.0, 1.0])\nz ~ ksuperpose(Normal, p)([0.0, 2.0], 1.0)\ny ~ Normal(z, 1.0)",
     "logdensityof(lawof(record(p = p, y = y)), record(p = [0.3, 0.7], y = 0.5))",
     log_mixture(0.5, [0.3, 0.7], [0.0, 2.0], [np.sqrt(2)] * 2)),
    ("z ~ normalize(ksuperpose(Normal, [3.0, 7.0])(mu = [0.0, 3.0], sigma = [1.0, 0.5]))\ny ~ Normal(z, 1.0)",
     "logdensityof(lawof(y), 0.5)", log_mixture(0.5, [0.3, 0.7], [0.0, 3.0], [np.sqrt(2), np.sqrt(1.25)])),
    ("z ~ ksuperpose(Bernoulli, [0.4, 0.6])([0.1, 0.5])\ny ~ Normal(z, 1.0)", "logdensityof(lawof(y), 0.5)",
     norm.logpdf(0.5)),
    ("x ~ normalize(kchain(weighted(2.0, Normal(0.0, 1.0)), a -> Normal(a, 1.0)))\ny ~ Normal(x, 1.0)",
     "logdensityof(lawof(y), 0.1)", norm.logpdf(0.1, 0.0, np.sqrt(3))),
]  # fmt: skip


@pytest.mark.parametrize("settings", [None, NUMERICAL], ids=["exact", "numerical"])
@pytest.mark.parametrize(("model", "query", "expected"), MODELS)
def test_a_mixture_is_drawn_and_integrated(
    model: str, query: str, expected: float, settings: Integration | None
) -> None:
    assert answer(f"{model}\noutputs = {query}", settings) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("declared", "weights", "given"),
    [("stdsimplex(2)", "w", [0.3, 0.7]), ("cartpow(reals, 2)", "softmax(w)", np.log([0.3, 0.7]))],
)
@pytest.mark.parametrize(
    "mixture",
    ["ksuperpose(Normal, p)([0.0, 2.0], 1.0)", "superpose(weighted(p[1], Normal(0.0, 1.0)), weighted(p[2], Normal(2.0, 1.0)))"],
)  # fmt: skip
def test_weights_on_the_simplex_make_a_law(declared: str, weights: str, given: list[float], mixture: str) -> None:
    source = (
        f"w = elementof({declared})\np = {weights}\nx ~ {mixture}\ninputs = w\noutputs = logdensityof(lawof(x), 0.5)"
    )
    got = flatppl(source).compile(backend="numpy", dtype="float64")(np.asarray(given))
    assert got == pytest.approx(log_mixture(0.5, [0.3, 0.7], [0.0, 2.0], [1.0, 1.0]), rel=1e-9)


#: With numerical integration: query, expected.
NUMERICAL_VALUES = [
    ("logdensityof(kchain(truncate(Normal(0.0, 1.0), posreals), m -> Normal(m, 0.5)), 0.2)",
     log_integral(lambda m: norm.pdf(m) * norm.pdf(0.2, m, 0.5), 0, np.inf)),
    ("totalmass(kchain(Uniform(interval(0.0, 1.0)), m -> weighted(exp(m), Normal(0.0, 0.5))))", np.e - 1),
    ("totalmass(truncate(kchain(weighted(2.0, Normal(0.0, 1.0)), a -> Normal(a, 1.0)), posreals))", 1.0),
    ("totalmass(weighted(x -> exp(sin(x)), ksuperpose(Exponential, [0.4, 0.6])([1.0, 2.0])))",
     np.exp(log_integral(lambda x: np.exp(np.sin(x)) * (0.4 * expon.pdf(x) + 0.6 * expon.pdf(x, scale=0.5)), 0, np.inf))),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), NUMERICAL_VALUES)
def test_a_rule_gives_the_integral(query: str, expected: float) -> None:
    assert answer(f"outputs = {query}", NUMERICAL) == pytest.approx(expected, rel=1e-8)


#: Selector, measure, point of the marginal, of the kernel, and both log densities; model first.
SPLITS = [
    ("", '"x"', 'relabel(iid(Normal(0.0, 1.0), 2), ["x", "y"])', "y", norm.logpdf(0.3), norm.logpdf(0.4)),
    ("", '"x"', 'relabel(joint(Normal(0.0, 1.0), StudentT(3.0)), ["y", "x"])', "y", norm.logpdf(0.3), t.logpdf(0.4, 3)),
    ("", '"x"', 'relabel(joint(p = Normal(0.0, 1.0), q = StudentT(3.0)), ["y", "x"])', "y", norm.logpdf(0.3),
     t.logpdf(0.4, 3)),
    ("", '"x"', 'relabel(jointchain(StudentT(3.0), a -> Normal(exp(a), 1.0)), ["y", "x"])', "y", t.logpdf(0.3, 3),
     norm.logpdf(0.4, np.exp(0.3))),
    ("", '"x"', 'relabel(jointchain(p = StudentT(3.0), q = p -> Normal(exp(p), 1.0)), ["y", "x"])', "y",
     t.logpdf(0.3, 3), norm.logpdf(0.4, np.exp(0.3))),
    # The other way round, by Bayes' rule.
    ("", '"y"', 'relabel(jointchain(Normal(0.0, 1.0), a -> Normal(a, 1.0)), ["y", "x"])', "x",
     norm.logpdf(0.3, 0.0, np.sqrt(2)), norm.logpdf(0.4, 0.15, np.sqrt(0.5))),
    ("a ~ Normal(0.0, 1.0)\nb ~ Normal(a, 1.0)\n", '"x"', 'relabel(lawof(record(a = a, b = b)), ["y", "x"])', "y",
     norm.logpdf(0.3), norm.logpdf(0.4, 0.3)),
    ("", '"b"', "joint(joint(a = Normal(0.0, 1.0)), joint(b = StudentT(3.0)))", "a", norm.logpdf(0.3), t.logpdf(0.4, 3)),
    ("", "2", "joint(Normal(0.0, 1.0), StudentT(3.0))", None, norm.logpdf(0.3), t.logpdf(0.4, 3)),
    ("", "1", "jointchain(Normal(0.0, 1.0), a -> Normal(a, 1.0))", None, norm.logpdf(0.3, 0.0, np.sqrt(2)),
     norm.logpdf(0.4, 0.15, np.sqrt(0.5))),
]  # fmt: skip


@pytest.mark.parametrize(("model", "selector", "measure", "rest", "marginal", "conditional"), SPLITS)
def test_disintegration_splits_renamed_and_merged_measures(
    model: str, selector: str, measure: str, rest: str | None, marginal: float, conditional: float
) -> None:
    point, argument = (f"record({rest} = 0.3)", "0.3") if rest else ("[0.3]", "[0.3]")
    source = f"{model}k, m = disintegrate({selector}, {measure})\n"
    got = answer(f"{source}outputs = (logdensityof(m, {point}), logdensityof(k({argument}), 0.4))")
    assert got == pytest.approx([marginal, conditional], rel=1e-9)


def test_disintegration_keeps_the_order_of_selected_positions() -> None:
    source = "k, m = disintegrate([3, 1], joint(Normal(0.0, 1.0), Normal(5.0, 1.0), Normal(9.0, 2.0)))\n"
    got = answer(f"{source}outputs = (logdensityof(m, [4.0]), logdensityof(k([4.0]), [8.0, 0.5]))")
    selected = multivariate_normal.logpdf([8.0, 0.5], [9.0, 0.0], np.diag([4.0, 1.0]))
    assert got == pytest.approx([norm.logpdf(4.0, 5.0), selected], rel=1e-9)


def test_a_marginal_and_its_kernel_chain_back() -> None:
    split = "k, m = disintegrate([2], jointchain(Normal(0.0, 1.0), a -> Normal(a, 1.0)))\n"
    assert answer(f"{split}outputs = logdensityof(jointchain(m, k), [0.1, 0.2])") == pytest.approx(PAIR, rel=1e-9)


def test_a_relabelled_law_keeps_its_draws_in_a_joint() -> None:
    model = "a ~ Normal(0.0, 1.0)\nb ~ Normal(a, 1.0)\n"
    law = 'joint(relabel(lawof(a), ["a"]), relabel(lawof(b), ["b"]))'
    assert answer(f"{model}outputs = logdensityof({law}, record(a = 0.1, b = 0.2))") == pytest.approx(PAIR, rel=1e-9)


def test_sizes_of_data_may_be_zero() -> None:
    data = "x = filter(t -> t > 5.0, [1.0, 2.0])\nn = lengthof(x)\n"
    assert answer(f"{data}outputs = logdensityof(iid(Normal(0.0, 1.0), n), x)") == 0.0
    assert answer(f"{data}outputs = logdensityof(markovchain(s -> Normal(s, 1.0), 0.0, n), x)") == 0.0


def test_samplers_of_mixtures_and_chains() -> None:
    chain = "normalize(kchain(weighted(2.0, Normal(3.0, 1.0)), a -> Normal(a, 1.0)))"
    mixture = "ksuperpose(Normal, [0.25, 0.75])([0.0, 8.0], 1.0)"
    drawn = f"x, s = rand(rnginit(7), iid({chain}, 4000))\ny, r = rand(s, iid({mixture}, 4000))\noutputs = (x, y)"
    x, y = answer(drawn).reshape(2, -1)
    # Four standard errors.
    assert x.mean() == pytest.approx(3.0, abs=4 * np.sqrt(2 / 4000))
    assert (y > 4.0).mean() == pytest.approx(0.75, abs=4 * np.sqrt(0.1875 / 4000))


HEAVY = "m = weighted(x -> exp(sin(x)), Normal(0.0, 1.0))\n"
POSTERIOR = "post = bayesupdate(likelihoodof(x -> Normal(exp(x), 1.0), 0.3), Normal(0.0, 1.0))\n"
LEAF = "a = elementof(reals)\nL = likelihoodof(functionof(Normal(a, 1.0)), 0.3)\n"
STATE = "s = rnginit(1)\n"

#: Source, code, and the construct at fault, where the refusal points exactly.
REFUSALS = [
    # Arguments of a wrong kind.
    ("outputs = logdensityof(Lebesgue(relabel(posreals, 2.0)), 1.0)", "kind", "relabel(posreals, 2.0)"),
    ("outputs = logdensityof(markovchain(x -> Normal(x, 1.0), Normal(0.0, 1.0), 2), [1.0, 2.0])", "kind",
     "markovchain(x -> Normal(x, 1.0), Normal(0.0, 1.0), 2)"),
    ("outputs = logdensityof(kscan((s, x) -> Normal(s, x), posreals, [1.0]), [1.0])", "kind",
     "kscan((s, x) -> Normal(s, x), posreals, [1.0])"),
    ("outputs = logdensityof(restrict(joint(a = Normal(0, 1), b = Normal(0, 1)), a = Normal(0, 1)), record(b = 1.0))",
     "kind", "restrict(joint(a = Normal(0, 1), b = Normal(0, 1)), a = Normal(0, 1))"),
    ("outputs = logdensityof(iid(Normal(0.0, 1.0), true), [1.0])", "kind", "iid(Normal(0.0, 1.0), true)"),
    ("outputs = logdensityof(markovchain(x -> Normal(x, 1.0), 0.0, true), [1.0])", "kind",
     "markovchain(x -> Normal(x, 1.0), 0.0, true)"),
    # Written sizes, weights and parameters.
    ("outputs = logdensityof(iid(Normal(0.0, 1.0), 0), [])", "shape", "iid(Normal(0.0, 1.0), 0)"),
    ("outputs = logdensityof(iid(Normal(0.0, 1.0), [2, 0]), [])", "shape", "iid(Normal(0.0, 1.0), [2, 0])"),
    ("outputs = logdensityof(markovchain(x -> Normal(x, 1.0), 0.0, 0), [])", "shape",
     "markovchain(x -> Normal(x, 1.0), 0.0, 0)"),
    ("outputs = logdensityof(ksuperpose(Exponential, [0.5, -0.5])([1.0, 2.0]), 1.0)", "domain",
     "ksuperpose(Exponential, [0.5, -0.5])"),
    ("outputs = logdensityof(ksuperpose(Exponential, [0.5, 0.5])([1.0, -2.0]), 1.0)", "domain",
     "ksuperpose(Exponential, [0.5, 0.5])([1.0, -2.0])"),
    ("outputs = logdensityof(Normal.([0.0, 1.0], [1.0, -1.0]), [1.0, 2.0])", "domain",
     "Normal.([0.0, 1.0], [1.0, -1.0])"),
    # A bare parameter point needs an input with a place.
    (f"{LEAF}outputs = logdensityof(L, 0.1)", "point", "logdensityof(L, 0.1)"),
    ("a = elementof(reals)\nb = elementof(posreals)\noutputs = logdensityof(likelihoodof(Normal(a, b), 0.3), 0.1)", "point",
     "logdensityof(likelihoodof(Normal(a, b), 0.3), 0.1)"),
    ("outputs = logdensityof(superpose(PoissonProcess(Normal(0, 1)), iid(Normal(0, 1), 2)), [1.0, 2.0])", "reference",
     "superpose(PoissonProcess(Normal(0, 1)), iid(Normal(0, 1), 2))"),
    # Masses that are not provably one.
    ("x ~ kchain(weighted(2.0, Normal(0, 1)), a -> Normal(a, 1))\noutputs = logdensityof(lawof(x), 0.1)", "mass",
     "x ~ kchain(weighted(2.0, Normal(0, 1)), a -> Normal(a, 1))"),
    ("outputs = logdensityof(normalize(kchain(Lebesgue(reals), m -> Normal(m, 0.5))), 0.2)", "mass",
     "normalize(kchain(Lebesgue(reals), m -> Normal(m, 0.5)))"),
    ("w = 0.3333333333333333\nx ~ ksuperpose(Normal, [w, w, w])([0, 1, 2], 1)\noutputs = logdensityof(lawof(x), 0.1)",
     "mass", "x ~ ksuperpose(Normal, [w, w, w])([0, 1, 2], 1)"),
    ("x ~ ksuperpose(Normal, [inf, 1.0])([0, 1], 1)\noutputs = logdensityof(lawof(x), 0.1)", "mass",
     "x ~ ksuperpose(Normal, [inf, 1.0])([0, 1], 1)"),
    ("p ~ Dirichlet([1, 1, 1])\nx ~ superpose(weighted(p[1], Normal(0, 1)), weighted(p[2], Normal(2, 1)))\n"
     "outputs = logdensityof(lawof(x), 0.1)", "mass",
     "x ~ superpose(weighted(p[1], Normal(0, 1)), weighted(p[2], Normal(2, 1)))"),
    ("p ~ Dirichlet([1, 1])\nx ~ superpose(weighted(p[1], Normal(0, 1)), weighted(p[1], Normal(2, 1)))\n"
     "outputs = logdensityof(lawof(x), 0.1)", "mass",
     "x ~ superpose(weighted(p[1], Normal(0, 1)), weighted(p[1], Normal(2, 1)))"),
    (f"{STATE}x, r = rand(s, normalize(kchain(Normal(0, 1), a -> weighted(2.0, Normal(a, 1)))))\noutputs = x", "mass",
     "rand(s, normalize(kchain(Normal(0, 1), a -> weighted(2.0, Normal(a, 1)))))"),
    # The other side of a disintegration must have a law of its own.
    ("k, m = disintegrate([1, 2], iid(Normal(0, 1), 2))\noutputs = logdensityof(m, [0.3])", "density",
     "disintegrate([1, 2], iid(Normal(0, 1), 2))"),
    ("k, m = disintegrate([3], iid(Normal(0, 1), 2))\noutputs = logdensityof(m, [0.3])", "index",
     "disintegrate([3], iid(Normal(0, 1), 2))"),
    ("k, m = disintegrate([1, 1], iid(Normal(0, 1), 2))\noutputs = logdensityof(m, [0.3])", "index",
     "disintegrate([1, 1], iid(Normal(0, 1), 2))"),
    ('k, m = disintegrate("a", iid(Normal(0, 1), 2))\noutputs = logdensityof(m, [0.3])', "kind",
     'disintegrate("a", iid(Normal(0, 1), 2))'),
    ('k, m = disintegrate("b", joint(joint(a = Normal(0, 1)), joint(b = weighted(2.0, Normal(0, 1)))))\n'
     "outputs = logdensityof(m, record(a = 0.1))", "density",
     'disintegrate("b", joint(joint(a = Normal(0, 1)), joint(b = weighted(2.0, Normal(0, 1)))))'),
    # A mass or a sample without a rule is the fault of who asks for it ...
    (f"{HEAVY}outputs = totalmass(m)", "mass", "totalmass(m)"),
    (f"{HEAVY}n = normalize(m)\noutputs = logdensityof(n, 0.1)", "mass", "normalize(m)"),
    (f"{HEAVY}p = PoissonProcess(m)\noutputs = logdensityof(p, [0.1])", "mass", "PoissonProcess(m)"),
    (f"{POSTERIOR}outputs = totalmass(post)", "mass", "totalmass(post)"),
    (f"{POSTERIOR}n = normalize(post)\noutputs = logdensityof(n, 0.1)", "mass", "normalize(post)"),
    (f"{STATE}{HEAVY}n = normalize(m)\nx, r = rand(s, n)\noutputs = x", "mass", "rand(s, n)"),
    (f"{STATE}y ~ normalize(weighted(x -> x ^ 2, Normal(0, 1)))\nx, r = rand(s, lawof(y))\noutputs = x", "mass",
     "rand(s, lawof(y))"),
    # ... and what a lifted operation cannot do is the fault of the operation, not of the call of its kernel.
    ("K = lawof(m -> weighted(2.0, Normal(m, 1.0)))\noutputs = logdensityof(K(0.1), 0.2)", "mass",
     "lawof(m -> weighted(2.0, Normal(m, 1.0)))"),
    ("K = normalize(m -> Lebesgue(reals))\noutputs = logdensityof(K(0.1), 0.2)", "mass",
     "normalize(m -> Lebesgue(reals))"),
    ("K = normalize(m -> weighted(x -> exp(sin(x)), Normal(m, 1.0)))\noutputs = logdensityof(K(0.1), 0.2)", "mass",
     "normalize(m -> weighted(x -> exp(sin(x)), Normal(m, 1.0)))"),
    ("K = pushfwd(x -> x + sin(x), m -> Normal(m, 1.0))\noutputs = logdensityof(K(0.1), 0.2)", "density",
     "pushfwd(x -> x + sin(x), m -> Normal(m, 1.0))"),
    ("K = truncate(m -> Normal(m, 1.0), cartpow(reals, 2))\noutputs = logdensityof(K(0.1), 0.2)", "shape",
     "truncate(m -> Normal(m, 1.0), cartpow(reals, 2))"),
    ("K = superpose(a -> Normal(a, 1.0), a -> Dirac(value = a))\noutputs = logdensityof(K(0.1), 0.2)", "reference",
     "superpose(a -> Normal(a, 1.0), a -> Dirac(value = a))"),
    # What the call itself gets wrong stays there.
    ("K = normalize(Normal)\noutputs = logdensityof(K(0.1, -1.0), 0.2)", "domain", "K(0.1, -1.0)"),
    ("K = iid(m -> Normal(m, 1.0), 2)\noutputs = logdensityof(K(0.1, 0.2), [0.2, 0.1])", "call", "K(0.1, 0.2)"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "code", "construct"), REFUSALS)
def test_a_refusal_points_at_the_call_at_fault(source: str, code: str, construct: str) -> None:
    with pytest.raises(CompilationError) as refused:
        flatppl(source).compile(backend="numpy")
    assert refused.value.code == code
    assert refused.value.span is not None
    assert refused.value.span.text == construct


@pytest.mark.parametrize("point", ["record(a = 0.1)", "0.1"])
def test_a_bare_parameter_fits_a_positional_input(point: str) -> None:
    source = "a = elementof(reals)\nL = likelihoodof(functionof(Normal(a, 1.0), a = a), 0.3)\n"
    assert answer(f"{source}outputs = logdensityof(L, {point})") == pytest.approx(norm.logpdf(0.3, 0.1), rel=1e-12)
