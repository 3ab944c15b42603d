"""What the measure algebra refuses, where it points, and the nearest model that it accepts."""

import pytest

from flatppl import CompilationError, flatppl

JOINT = "joint(a = Normal(0, 1), b = Normal(0, 1))"

#: Model before the query, the construct at fault, a point, and what stands for the construct in a legal model
#: (with another point where the first one does not fit).
LAWS = [
    ("", "pushfwd(abs, Normal(0, 1))", "0.5", "pushfwd(neg, Normal(0, 1))", None),
    ("", "pushfwd(x -> sqrt(x - 1.0), Exponential(1.0))", "0.5", "pushfwd(x -> sqrt(x + 1.0), Exponential(1.0))", None),
    ("", "pushfwd(logit, Gamma(2.0, 1.0))", "0.5", "pushfwd(logit, Beta(2.0, 1.0))", None),
    # The atom at zero has no logarithm; for a density one point does not matter.
    ("", "pushfwd(log, Poisson(2.0))", "0.0", "pushfwd(log, Exponential(2.0))", None),
    ("", "locscale(Normal(0, 1), 1.0, 0.0)", "1.0", "locscale(Normal(0, 1), 1.0, 0.1)", None),
    ("x ~ Normal(0, 1)", "joint(a = lawof(x), b = lawof(exp(x)))", "record(a = 0.1, b = 1.2)",
     "joint(a = lawof(x), b = lawof(draw(Normal(x, 1))))", None),
    ("x ~ Normal(0, 1)\ny ~ Normal(0, 1)", "lawof(record(x = x, y = y, s = x + y))", "record(x = 0.1, y = 0.1, s = 0.2)",
     "lawof(record(x = x, s = x + y))", "record(x = 0.1, s = 0.2)"),
    ("x ~ Normal(0, 1)", "lawof(record(x = x, c = 1.0))", "record(x = 0.1, c = 1.0)", "lawof(record(x = x))",
     "record(x = 0.1)"),
    ("d ~ pushfwd(k -> 0.5 * k, Poisson(1.0))", "lawof(exp(d))", "1.0", "lawof(d)", "0.5"),
    ("", "kchain(Beta(2.0, 2.0), p -> Normal(p, 1.0))", "0.5", "kchain(Beta(2.0, 2.0), p -> Binomial(3, p))", "1"),
    ("a ~ Normal(0, 1)\nb ~ Gamma(2.0, 1.0)\ny ~ Normal(a * b, b)", "lawof(y)", "0.5", "lawof(record(b = b, y = y))",
     "record(b = 1.0, y = 0.5)"),
    ("", "normalize(weighted(0.0, Normal(0, 1)))", "1.0", "normalize(weighted(0.5, Normal(0, 1)))", None),
    ("", "lawof(Lebesgue(unitinterval))", "0.5", "lawof(Uniform(unitinterval))", None),
    # Fields that look alike have different references; so have reals that are images of integers.
    ("x ~ Normal(0, 1)\nk ~ Poisson(1.0)", "superpose(lawof(record(a = x, b = k)), lawof(record(a = k, b = x)))",
     "record(a = 1.0, b = 1.0)", "superpose(lawof(record(a = x, b = k)), lawof(record(b = k, a = x)))", None),
    ("", "superpose(pushfwd(k -> 0.5 * k, Poisson(1.0)), Normal(0, 1))", "0.5",
     "superpose(pushfwd(k -> 0.5 * k, Normal(1, 1)), Normal(0, 1))", None),
    ("", 'pushfwd(fn(get(_, ["a"])), joint(a = Normal(0, 1), b = weighted(2.0, Normal(0, 1))))', "record(a = 0.1)",
     f'pushfwd(fn(get(_, ["a"])), {JOINT})', None),
    ("", 'pushfwd(fn(get(_, ["a"])), jointchain(a = Normal(0, 1), b = a -> weighted(2.0, Normal(a, 1))))',
     "record(a = 0.1)", 'pushfwd(fn(get(_, ["a"])), jointchain(a = Normal(0, 1), b = a -> Normal(a, 1)))', None),
    ("", "pushfwd(fn(get(_, [1, 1])), iid(Normal(0, 1), 3))", "[0.1, 0.1]",
     "pushfwd(fn(get(_, [1, 3])), iid(Normal(0, 1), 3))", None),
    ("", f"restrict({JOINT}, c = 0.1)", "record(a = 0.1, b = 0.1)", f"restrict({JOINT}, b = 0.1)", "record(a = 0.1)"),
    ("", "PoissonProcess(weighted(x -> 1.0 + sin(x) ^ 2, Normal(0, 1)))", "[0.1]",
     "PoissonProcess(weighted(2.0, Normal(0, 1)))", None),
    ("", "lawof(kchain(weighted(2.0, Normal(0, 1)), x -> Normal(x, 1)))", "0.1",
     "lawof(kchain(Normal(0, 1), x -> Normal(x, 1)))", None),
]  # fmt: skip


@pytest.mark.parametrize(("model", "construct", "point", "legal", "other_point"), LAWS)
def test_a_refused_law_is_named_and_its_neighbour_is_scored(
    model: str, construct: str, point: str, legal: str, other_point: str | None
) -> None:
    source = f"{model}\noutputs = logdensityof({construct}, {point})"
    with pytest.raises(CompilationError) as refused:
        flatppl(source).compile(backend="numpy")
    start, span = source.index(construct), refused.value.span
    assert span is not None
    assert start <= span.start < span.end <= start + len(construct)
    flatppl(f"{model}\noutputs = logdensityof({legal}, {other_point or point})").compile(backend="numpy")()
