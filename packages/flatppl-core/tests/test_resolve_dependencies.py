"""Reached and affected bindings, traced inputs, phases: language.md 6 and 8."""

from pathlib import Path

import pytest

from flatppl.graph.dependencies import Dependencies, references
from flatppl.graph.resolve import parse_and_resolve
from flatppl.spans import Source

DATA = Path(__file__).parent / "data"
BASE = frozenset((DATA / "base_names.txt").read_text().split())

MODEL = """
a = elementof(reals); b = elementof(posreals); c = 2.5; e = external(reals)
z ~ Normal(a, 1.0)
m = Normal(z, b)
w = a * c
u = w + b
free = x -> x * a
f = functionof(u)                  # inputs a, b
g = functionof(u, p = w)           # hides a, keeps b
k = kernelof(record(z = z), a = a)
k2 = kernelof(record(z = z), q = _q_)
cond = functionof(m, z = z, b = b, a = a)
marginal = lawof(m)
captured = x -> Normal(x, z)
cut = functionof(captured(1.0), z = z)
uses_f = f(a = 1.0, b = 2.0)
uses_g = g(1.0)
uses_free = broadcast(free, [1.0])
law_f = lawof(draw(Normal(0.0, 1.0)))
h = load_module("h", s = w)
hs = h.s
p, q = [w, c]
inner = functionof(functionof(u, p = w)(2.0) + a, r = b)
lazy = functionof(f(a = c, b = c) + a)
"""


@pytest.fixture(scope="module")
def graph():
    return parse_and_resolve(Source("test", MODEL), BASE)


@pytest.fixture(scope="module")
def dependencies(graph):
    return Dependencies(graph)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("u", {"w", "b"}),
        ("g", {"u"}),
        ("free", {"a"}),
        ("hs", {"h"}),
        ("h", {"w"}),
        ("p", {"__0x1"}),
        ("inner", {"u", "a"}),
        ("cond", {"m"}),
        ("k2", {"z"}),
    ],
)
def test_references(graph, name, expected):
    assert references(graph.bindings[name].expr) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("c", {"c"}),
        ("u", {"u", "w", "a", "b", "c"}),
        ("f", {"f", "u", "w", "c"}),
        ("g", {"g", "u", "b"}),
        ("cond", {"cond", "m"}),
        ("k", {"k", "z"}),
        ("uses_free", {"uses_free", "free", "a"}),
        ("inner", {"inner", "u", "a"}),
        ("hs", {"hs", "h", "w", "a", "c"}),
        ("q", {"q", "__0x1", "w", "a", "c"}),
        ("lazy", {"lazy", "f", "u", "w", "c"}),
    ],
)
def test_reach(dependencies, name, expected):
    assert dependencies.reach(name) == expected


def test_reach_stops(graph, dependencies):
    assert dependencies.reach("u", frozenset({"w"})) == {"u", "b"}
    assert dependencies.reach(graph.bindings["u"].expr, frozenset({"b"})) == {"w", "a", "c"}


@pytest.mark.parametrize(
    ("boundary", "expected"),
    [
        ({"b"}, {"b", "m", "u", "g", "marginal", "uses_g"}),
        ({"w"}, {"w", "u", "f", "uses_f", "h", "hs", "__0x1", "p", "q", "inner", "lazy"} - {"inner"}),
        ({"z"}, {"z", "m", "k", "k2", "marginal", "captured"}),
        ({"a"}, {"a", "z", "m", "w", "u", "free", "k2", "marginal", "captured", "uses_free", "h", "hs", "__0x1", "p",
                 "q", "inner"}),
        ({"e"}, {"e"}),
    ],
)  # fmt: skip
def test_affected(dependencies, boundary, expected):
    assert dependencies.affected(frozenset(boundary)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("f", ("a", "b")),
        ("u", ("a", "b")),
        ("uses_free", ("a",)),
        ("uses_g", ("b",)),
        ("uses_f", ()),
        ("lazy", ("a",)),
        ("k2", ("a",)),
        ("c", ()),
    ],
)
def test_auto_inputs(graph, dependencies, name, expected):
    assert dependencies.auto_inputs(graph.bindings[name].expr) == expected


@pytest.mark.parametrize(
    ("phase", "names"),
    [
        ("fixed", ["c", "e", "f", "law_f", "uses_f", "k", "h", "cond"]),
        ("parameterized", ["a", "w", "u", "free", "g", "k2", "marginal", "uses_free", "uses_g", "hs", "p", "inner"]),
        ("stochastic", ["z", "m", "captured"]),
    ],
)
def test_phase(dependencies, phase, names):
    assert {name: dependencies.phase(name) for name in names} == dict.fromkeys(names, phase)


def test_phase_of_the_reference():
    text = "a = elementof(reals); b = external(posreals); c = a * b; x ~ Normal(c, b); y = x + 1; m = lawof(y)"
    dependencies = Dependencies(parse_and_resolve(Source("test", text), BASE))
    assert [dependencies.phase(name) for name in "abcxym"] == [
        *("parameterized", "fixed", "parameterized", "stochastic", "stochastic", "parameterized")
    ]


def test_boundary_frees_a_captured_draw_through_any_depth():
    text = """
    g ~ Normal(0.0, 1.0)
    decay(acc, u) = exp(-g * g) * acc + u
    tr = scan(decay, 0.0, [1.0, 2.0])
    obs ~ Normal.(tr, 1.0)
    K = kernelof(record(obs = obs), g = g)
    track = functionof(tr, g = g)
    """
    dependencies = Dependencies(parse_and_resolve(Source("test", text), BASE))
    assert [dependencies.phase(name) for name in ("decay", "tr", "obs", "K", "track")] == [
        *("stochastic", "stochastic", "stochastic", "fixed", "fixed")
    ]
    assert dependencies.affected(frozenset({"g"})) == {"g", "decay", "tr", "obs"}
    assert dependencies.reach("K") == {"K", "obs", "tr", "decay"}


def test_member_phase_is_asked_for():
    graph = parse_and_resolve(
        Source("test", 'p = elementof(reals); m = load_module("m", p = p); x = m.s; y = m.t'), BASE
    )
    dependencies = Dependencies(graph, lambda member: "fixed" if member.name == "s" else "parameterized")
    assert [dependencies.phase(name) for name in ("m", "x", "y")] == ["fixed", "fixed", "parameterized"]


def test_uses_local(graph, dependencies):
    body = graph.bindings["free"].expr.body
    assert dependencies.uses_local(body)
    assert dependencies.uses_local(body.args[0])
    assert not dependencies.uses_local(body.args[1])
    assert not dependencies.uses_local(graph.bindings["free"].expr)


def test_long_chains():
    count = 5000
    lines = [
        "x0 = elementof(reals)",
        *(f"x{i} = x{i - 1} + {'x'}{i - 1}" for i in range(1, count)),
        f"f = functionof(x{count - 1}, p = x1)",
        "deep = x0" + " + x0" * count,
    ]
    graph = parse_and_resolve(Source("test", "\n".join(lines)), BASE)
    dependencies = Dependencies(graph)
    assert len(dependencies.reach(f"x{count - 1}")) == count
    assert len(dependencies.reach("f")) == count - 1
    assert len(dependencies.affected(frozenset({"x1"}))) == count - 1
    assert {dependencies.phase(name) for name in graph.bindings} == {"fixed", "parameterized"}
    assert not dependencies.uses_local(graph.bindings["deep"].expr)


def test_shared_operands_of_chains_are_visited_once():
    text = "1"
    for _ in range(60):
        text = f"(0 < {text} < 2)"
    graph = parse_and_resolve(Source("test", f"a = {text}"), BASE)
    assert references(graph.bindings["a"].expr) == frozenset()
    assert not Dependencies(graph).uses_local(graph.bindings["a"].expr)
