"""Depth, linear time, and nothing but CompilationError for any text."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flatppl.errors import CompilationError
from flatppl.graph.resolve import check, parse_and_resolve
from flatppl.spans import Source

DATA = Path(__file__).parent / "data"
BASE = frozenset((DATA / "base_names.txt").read_text().split())
BLOCKS = [path.read_text() for path in sorted((DATA / "blocks").glob("*/*.flatppl"))]

DEEP = {
    "sum": lambda n: "x = 1" + " + 1" * n,
    "power": lambda n: "x = 1" + " ^ 1" * n,
    "parentheses": lambda n: "x = " + "(" * n + "1" + ")" * n,
    "arrays": lambda n: "x = " + "[" * n + "1" + "]" * n,
    "tuples": lambda n: "x = " + "(1, " * n + "1" + ")" * n,
    "calls": lambda n: "x = " + "exp(" * n + "1" + ")" * n,
    "curried calls": lambda n: "x = exp" + "(1)" * n,
    "fields": lambda n: "r = record(a = 1); x = r" + ".a" * n,
    "indices": lambda n: "v = [1]; x = v" + "[1]" * n,
    "signs": lambda n: "x = " + "-" * n + "1",
    "negations": lambda n: "x = " + "!" * n + "true",
    "comparisons": lambda n: "x = 1" + " < 1" * n,
    "lambdas": lambda n: "x = " + "".join(f"reduce(y{i} -> " for i in range(n)) + "1" + ", [1])" * n,
    "chain": lambda n: "x0 = 1\n" + "\n".join(f"x{i + 1} = x{i} + 1" for i in range(n)),
    "arguments": lambda n: "x = cat(1" + ", 1" * n + ")",
    "names": lambda n: ", ".join(f"x{i}" for i in range(n)) + " = [1, 2]",
    "parameters": lambda n: "f(" + ", ".join(f"x{i}" for i in range(n)) + ") = x0",
    "axes": lambda n: "v = [1]; C[" + ", ".join(f".x{i}" for i in range(n)) + "] := v["
    + ", ".join(f".x{i}" for i in range(n)) + "]",
    "kernels": lambda n: "x = " + "lawof(kernelof(" * n + "1" + ", a = _a_))" * n,
}  # fmt: skip


@pytest.mark.parametrize("name", DEEP)
def test_depth(name):
    assert check(Source("test", DEEP[name](2000)), BASE) == []


@pytest.mark.parametrize("name", DEEP)
def test_lines_executed_grow_linearly(name):
    """Python lines executed, which unlike time do not depend on the machine, for sizes 1 and 4."""
    small, large = (_lines(DEEP[name](size)) for size in (100, 400))
    assert large / small < 4.5


def _lines(text):
    count = 0

    def trace(frame, event, _argument):
        nonlocal count
        count += event == "line"
        return trace

    check(Source("warm", text), BASE)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        check(Source("test", text), BASE)
    finally:
        sys.settrace(before)
    return count


def test_long_circle():
    count = 5000
    [found] = check(Source("test", "\n".join(f"x{i} = x{(i + 1) % count}" for i in range(count))), BASE)
    assert found.code == "cycle"


def test_many_unknown_names():
    found = check(Source("test", "\n".join(f"x{i} = nope{i}" for i in range(2000))), BASE)
    assert len(found) == 2000


def refuses_or_resolves(text):
    source = Source("test", text)
    found = check(source, BASE)
    for error in found:
        assert isinstance(error, CompilationError)
        assert 0 <= error.span.start <= error.span.end <= len(text)
        assert error.render()
    try:
        parse_and_resolve(source, BASE)
    except CompilationError:
        assert found
    else:
        assert not found


VOCABULARY = """
+ - * / ^ < > <= >= == != in && || ! .+ .- .* ./ .^ .< .> .<= .>= .== .!= .&& .|| .!
= ~ := : -> , ; . ( ) [ ] .( # % ### %%% all only true false self base _ _x_ __ im pi inf
a b f x y exp Normal record get sum fn functionof kernelof draw lawof elementof aggregate metricsum
load_module standard_module inputs outputs flatppl_compat 1 2.5 .5 1. 0x1F "s" .i .j^ .k_ é @
"""
TOKENS = [*VOCABULARY.split(), "\n"]


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text(text):
    refuses_or_resolves(text)


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=40), st.sampled_from(["", " "]))
def test_any_tokens(tokens, blank):
    refuses_or_resolves(blank.join(tokens))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(BLOCKS), st.data())
def test_cut_and_spliced_blocks(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    refuses_or_resolves(text[start:end])
    refuses_or_resolves(text[:start] + data.draw(st.sampled_from([*TOKENS, ""])) + text[end:])
