"""Random generative models: every way to ask for their laws agrees with sums and integrals done here.

A model is two to four draws whose parameters are functions of earlier ones. The oracle knows nothing of the
library: it adds the log densities of all draws and integrates what is not shown over a grid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from flatppl import Integration, flatppl

MODELS = 40
SAMPLES = 2_000

Env = Mapping[str, Any]


@dataclass(frozen=True)
class Term:
    """A scalar expression: its text, its value, and the draws that it mentions."""

    text: str
    value: Callable[[Env], Any]
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Draw:
    """One draw; a vector draw is a list of ``size`` entries with one law for each."""

    text: str
    support: str
    laws: tuple[Callable[[Env], Any], ...]
    parents: frozenset[str]
    vector: bool = False

    def logpdf(self, env: Env, value: Any) -> Any:
        entries = value if self.vector else [value]
        logs = []
        for law, x in zip(self.laws, entries, strict=True):
            frozen = law({**env, "self": entries})
            logs.append(frozen.logpdf(x) if hasattr(frozen.dist, "pdf") else frozen.logpmf(x))
        return sum(logs)

    def sample(self, env: Env, rng: np.random.Generator, count: int) -> Any:
        entries: list[Any] = []
        for law in self.laws:
            entries.append(law({**env, "self": entries}).rvs(size=count, random_state=rng))
        return entries if self.vector else entries[0]


#: Support to grid points and log weights: trapezoids in a variable in which the integrand decays fast.
T = np.arange(-5.3, 5.3, 0.02)
U = np.arange(-26, 7, 0.05)
V = np.arange(-30, 30, 0.1)
GRIDS = {
    "real": (2 * np.sinh(T), np.log(2 * np.cosh(T) * 0.02)),
    "positive": (np.exp(U), U + np.log(0.05)),
    "unit": (special.expit(V), np.log(special.expit(V)) + np.log(special.expit(-V)) + np.log(0.1)),
    "bit": (np.arange(2), np.zeros(2)),
    "category": (np.arange(1, 4), np.zeros(3)),
    "few": (np.arange(5), np.zeros(5)),
}


class Model:
    """A random model; ``scope`` are the draws so far."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.scope: dict[str, Draw] = {}
        for name in "abcd"[: rng.integers(2, 5)]:
            makers = (self.normal, self.normal, self.gamma, self.beta, self.bernoulli, self.categorical, self.poisson,
                      self.binomial, self.iid, self.broadcast, self.mvnormal, self.chain)  # fmt: skip
            self.scope[name] = self.pick(makers)()

    def pick(self, options: Any) -> Any:
        return options[self.rng.integers(len(options))]

    def number(self, lo: float, hi: float) -> float:
        return round(float(self.rng.uniform(lo, hi)), 2)

    def real(self) -> Term:
        """A constant, or an affine function of an earlier scalar or entry."""
        slope, shift = self.number(-1.5, 1.5), self.number(-1, 1)
        if not self.scope or self.rng.random() < 0.2:
            return Term(repr(shift), lambda env: shift)
        name = self.pick(list(self.scope))
        place = int(self.rng.integers(len(self.scope[name].laws))) if self.scope[name].vector else None
        text = name if place is None else f"{name}[{place + 1}]"

        def value(env: Env) -> Any:
            return slope * (env[name] if place is None else env[name][place]) + shift

        return Term(f"({slope} * {text} + {shift})", value, frozenset({name}))

    def positive(self) -> Term:
        inner = self.real()
        return Term(f"exp(0.3 * {inner.text})", lambda env: np.exp(0.3 * inner.value(env)), inner.names)

    def chance(self) -> Term:
        inner = self.real()
        return Term(f"invlogit({inner.text})", lambda env: special.expit(inner.value(env)), inner.names)

    def normal(self) -> Draw:
        mu, sigma = self.real(), self.number(0.5, 1.5)
        return Draw(f"Normal({mu.text}, {sigma})", "real", (lambda env: stats.norm(mu.value(env), sigma),), mu.names)

    def gamma(self) -> Draw:
        shape, rate = self.number(1.2, 4), self.positive()
        law = lambda env: stats.gamma(shape, scale=1 / rate.value(env))  # noqa: E731
        return Draw(f"Gamma({shape}, {rate.text})", "positive", (law,), rate.names)

    def beta(self) -> Draw:
        a, b = self.number(1, 3), self.number(1, 3)
        return Draw(f"Beta({a}, {b})", "unit", (lambda env: stats.beta(a, b),), frozenset())

    def bernoulli(self) -> Draw:
        p = self.chance()
        return Draw(f"Bernoulli({p.text})", "bit", (lambda env: stats.bernoulli(p.value(env)),), p.names)

    def categorical(self) -> Draw:
        law = stats.rv_discrete(values=([1, 2, 3], [0.2, 0.5, 0.3]))
        return Draw("Categorical([0.2, 0.5, 0.3])", "category", (lambda env: law(),), frozenset())

    def poisson(self) -> Draw:
        rate = self.positive()
        return Draw(f"Poisson({rate.text})", "many", (lambda env: stats.poisson(rate.value(env)),), rate.names)

    def binomial(self) -> Draw:
        p = self.chance()
        return Draw(f"Binomial(4, {p.text})", "few", (lambda env: stats.binom(4, p.value(env)),), p.names)

    def iid(self) -> Draw:
        one = self.pick((self.normal, self.gamma, self.bernoulli))()
        return Draw(f"iid({one.text}, 2)", one.support, one.laws * 2, one.parents, True)

    def broadcast(self) -> Draw:
        terms = [self.real(), self.real()]
        laws = tuple(lambda env, term=term: stats.norm(term.value(env), 0.8) for term in terms)
        text = f"Normal.([{terms[0].text}, {terms[1].text}], 0.8)"
        return Draw(text, "real", laws, terms[0].names | terms[1].names, True)

    def mvnormal(self) -> Draw:
        mu = self.real()
        # Covariance [[1, 0.5], [0.5, 2]]: the second entry given the first.
        laws = (
            lambda env: stats.norm(mu.value(env), 1.0),
            lambda env: stats.norm(mu.value(env) + 0.5 * (env["self"][0] - mu.value(env)), 1.75**0.5),
        )
        text = f"MvNormal([{mu.text}, {mu.text}], rowstack([[1.0, 0.5], [0.5, 2.0]]))"
        return Draw(text, "real", laws, mu.names, True)

    def chain(self) -> Draw:
        start, scale = self.real(), self.number(0.5, 1.2)
        laws = (
            lambda env: stats.norm(0.8 * start.value(env), scale),
            lambda env: stats.norm(0.8 * env["self"][0], scale),
        )
        return Draw(f"markovchain(s -> Normal(0.8 * s, {scale}), {start.text}, 2)", "real", laws, start.names, True)

    @property
    def text(self) -> str:
        return "\n".join(f"{name} ~ {draw.text}" for name, draw in self.scope.items())

    def sample(self, count: int) -> dict[str, Any]:
        env: dict[str, Any] = {}
        for name, draw in self.scope.items():
            env[name] = draw.sample(env, self.rng, count)
        return env

    def log_density(self, shown: Mapping[str, Any], given: Mapping[str, Any] | None = None) -> float | None:
        """Log density of some draws, others being given; None if that takes more than one infinite sum or integral."""
        needed, waiting = set(shown), list(shown)
        while waiting:
            parents = self.scope[waiting.pop()].parents - needed - set(given or {})
            needed |= parents
            waiting += parents
        hidden = [name for name in self.scope if name in needed and name not in shown]
        slots = [(name, i) for name in hidden for i in range(len(self.scope[name].laws))]
        supports = [self.scope[name].support for name, _ in slots]
        if "many" in supports or sum(len(GRIDS[support][0]) > 5 for support in supports) > 1:
            return None
        env, total = {**(given or {}), **shown}, 0.0
        for axis, (name, i) in enumerate(slots):
            shape = [1] * len(slots)
            shape[axis] = -1
            points, weights = (part.reshape(shape) for part in GRIDS[self.scope[name].support])
            total = total + weights
            if self.scope[name].vector:
                env[name] = [*env.get(name, [])[:i], points]
            else:
                env[name] = points
        for name in needed:
            total = total + self.scope[name].logpdf(env, env[name])
        return float(special.logsumexp(total))


def literal(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return repr(value.item())


def record(values: Mapping[str, Any]) -> str:
    return "record(" + ", ".join(f"{name} = {literal(value)}" for name, value in values.items()) + ")"


def names_of(values: Mapping[str, Any]) -> str:
    return "record(" + ", ".join(f"{name} = {name}" for name in values) + ")"


def questions(model: Model, first: dict[str, Any], second: dict[str, Any]) -> dict[str, tuple[float | None, str]]:
    """Query to expected value and what stands before it, for two disjoint groups of draws at their values."""
    both = {**first, **second}
    whole, left, right = (model.log_density(part) for part in (both, first, second))
    conditional = model.log_density(second, first)
    inputs = ", ".join(f"{name} = {name}" for name in first)
    point = ", ".join(f"{name} = {literal(value)}" for name, value in first.items())
    law, prior = f"lawof({names_of(both)})", f"lawof({names_of(first)})"
    joint = "joint(" + ", ".join(f"{name} = lawof({name})" for name in both) + ")"
    kernel = f"kernelof({names_of(second)}, {inputs})"
    labels = [f'"{name}"' for name in second]
    posterior = f"bayesupdate(likelihoodof({kernel}, {record(second)}), {prior})"

    def plus(a: float | None, b: float | None, sign: float = 1.0) -> float | None:
        return None if a is None or b is None else a + sign * b

    return {
        f"logdensityof({law}, {record(both)})": (whole, ""),
        f"logdensityof({joint}, {record(both)})": (whole, ""),
        f"logdensityof(lawof({names_of(second)}), {record(second)})": (right, ""),
        f"logdensityof(pushfwd(fn(get(_, [{', '.join(labels)}])), {law}), {record(second)})": (right, ""),
        f"logdensityof(restrict({law}, {record(first)}), {record(second)})": (whole, ""),
        f"log(totalmass(restrict({law}, {record(first)})))": (left, ""),
        f"logdensityof(normalize(restrict({law}, {record(first)})), {record(second)})": (plus(whole, left, -1), ""),
        f"logdensityof(K({point}), {record(second)})": (
            plus(whole, left, -1),
            f"K, P = disintegrate([{', '.join(labels)}], {law})",
        ),
        f"logdensityof({kernel}({point}), {record(second)})": (conditional, ""),
        f"logdensityof({posterior}, {record(first)})": (plus(left, conditional), ""),
        f"logdensityof(jointchain({prior}, {kernel}), {record(both)})": (plus(left, conditional), ""),
    }


@pytest.mark.parametrize("seed", range(MODELS))
def test_every_question_has_the_oracles_answer(seed: int) -> None:
    model = Model(np.random.default_rng(seed))
    drawn = {name: [x[0] for x in v] if isinstance(v, list) else v[0] for name, v in model.sample(1).items()}
    names = list(model.rng.permutation(list(drawn)))[: model.rng.integers(2, len(drawn) + 1)]
    cut = int(model.rng.integers(1, len(names)))
    first, second = ({name: drawn[name] for name in sorted(part)} for part in (names[:cut], names[cut:]))
    asked = questions(model, first, second)
    query = model.pick([query for query, (expected, _) in asked.items() if expected is not None] or [None])
    if query is None:
        return
    expected, before = asked[query]
    module = flatppl(f"{model.text}\n{before}\noutputs = {query}")
    value = module.compile(backend="numpy", dtype="float64", integration=Integration(rtol=1e-8, max_intervals=256))()
    assert float(value) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(0, MODELS, 5))
def test_samples_have_the_oracles_law(seed: int) -> None:
    model = Model(np.random.default_rng(seed))
    source = f"""
    {model.text.replace(chr(10), chr(10) + "    ")}
    values, _ = rand(rnginit({seed}), iid(lawof({names_of(model.scope)}), {SAMPLES}))
    outputs = ({", ".join(f"values.{name}" for name in model.scope)})
    """
    got = flatppl(source).compile(backend="numpy", dtype="float64")()
    wanted = [x for value in model.sample(SAMPLES).values() for x in (value if isinstance(value, list) else [value])]
    columns = np.concatenate([np.asarray(part, float).reshape(SAMPLES, -1) for part in got], axis=1).T
    for mine, theirs in zip(columns, wanted, strict=True):
        assert stats.ks_2samp(mine, theirs).pvalue > 1e-6
    correlations = [np.nan_to_num(stats.spearmanr(table, axis=1).statistic) for table in (columns, np.array(wanted))]
    # Six standard errors of a difference of rank correlations.
    assert np.abs(correlations[0] - correlations[1]).max() < 6 * np.sqrt(2 / SAMPLES)
