"""Refusals of the resolver: code, place and message."""

from pathlib import Path

import pytest

from flatppl.errors import CompilationError
from flatppl.graph.resolve import check, parse_and_resolve
from flatppl.spans import Source

DATA = Path(__file__).parent / "data"
BASE = frozenset((DATA / "base_names.txt").read_text().split())
BAD = sorted((DATA / "blocks" / "bad").glob("*.flatppl"))

#: A bad block that uses names of a good one before it -> that block.
CONTEXT = {"005": "014", "010": "029", "013": "033", "018": "046", "019": "055"}

#: Block -> the statements that only types, shapes, masses or other modules refute, and that rule, as the block says.
BEYOND = {
    "003": {"r": "a definition that the wrong one needs"},
    "004": {
        "bad1": "condition must be boolean: a type",
        "bad2": "no equality of reals: a type",
        "bad3": "no string arithmetic: a type",
    },
    "005": {"s1": "scalar + array: a shape", "s2": "vector * vector: a shape", "s3": "array ^ scalar: a shape"},
    "006": {"rs": "records inside an array: a type"},
    "007": {
        "i": "a definition that the wrong one needs",
        "t0": "a definition that the wrong one needs",
        "bad2": "a tuple inside a record: a type",
    },
    "008": {
        "s": "mixed shape classes: a shape",
        "t": "equal values: a value",
        "u": "two arguments only: the arity of an ordinary built-in",
    },
    "009": {"g": "mass is not one: a mass"},
    "010": {"e1": "no parameter c: splatting follows the type", "e2": "splats to a, b: splatting follows the type"},
    "011": {
        "e1": "one argument missing: the arity of an ordinary built-in",
        "e2": "no parameter tau: the names of an ordinary built-in",
        "e3": "y bound twice: the names of an ordinary built-in",
    },
    "017": {"m": "a definition that the wrong ones need", "f": "m.s depends on an elementof: in the other module"},
    "018": {"bad": "2 axes and 1: a shape", "bad2": "a record operand: a type"},
}
SYNTAX = {"001"}
#: Statements that are wrong only together.
CIRCLE = {("003", "a"), ("003", "b")}


def errors(text):
    return check(Source("test", text), BASE)


def error(text):
    with pytest.raises(CompilationError) as caught:
        parse_and_resolve(Source("test", text), BASE)
    return caught.value


def cases():
    for path in BAD:
        if path.stem not in SYNTAX:
            lines = path.read_text().splitlines()
            for line in lines:
                yield pytest.param(path.stem, line, lines, id=f"{path.stem}-{line.split()[0]}")


@pytest.mark.parametrize(("block", "line", "lines"), [*cases()])
def test_bad_statement(block, line, lines):
    name = line.split()[0]
    context = ""
    if block in CONTEXT:
        context = (DATA / "blocks" / "good" / f"{CONTEXT[block]}.flatppl").read_text() + "\n"
    cycle = CIRCLE if (block, name) in CIRCLE else ()
    others = [
        other
        for other in lines
        if other != line and ((block, other.split()[0]) in cycle or other.split()[0] in BEYOND.get(block, {}))
    ]
    found = errors(context + "\n".join([*others, line]))
    if name in BEYOND.get(block, {}):
        assert found == []
    else:
        assert len(found) == 1
        assert cycle or found[0].span.start >= len(context)


def test_bad_block_of_syntax():
    assert [item.code for item in errors((DATA / "blocks" / "bad" / "001.flatppl").read_text())] == ["syntax"] * 2


PRELUDE = 'a = elementof(reals); v = [1, 2]; M = Normal(a, 1.0); h = load_module("h"); t = (1, 2)\n'


@pytest.mark.parametrize(
    ("text", "code", "at", "message"),
    [
        # names
        ("x = nromal(0, 1)", "name", 4, "did you mean 'Normal'"),
        ("x = y", "name", 4, "nothing defines 'y'"),
        ("f(alpha) = alpah", "name", 11, "did you mean 'alpha'"),
        ("x = self.y", "name", 9, "this module binds no 'y'"),
        ("x = self.exp", "name", 9, "this module binds no 'exp'"),
        ("x = base.a", "name", 9, "no built-in is called 'a'"),
        ("x = base.epx(1)", "name", 9, "did you mean 'exp'"),
        ("x = self", "name", 4, "write self.name"),
        ("x = base", "name", 4, "write base.name"),
        ("x = flatppl_compat", "name", 4, "nothing defines"),
        ("x = _1", "name", 4, "nothing defines '_1'"),
        # what may be bound
        ("pi = 3.0", "reserved", 0, "'pi' is a constant and cannot be bound"),
        ("im ~ M", "reserved", 0, "imaginary unit"),
        ("x, inf = v", "reserved", 3, "'inf' is a constant"),
        ("self = 1", "reserved", 0, "namespace"),
        ("base(x) = x", "reserved", 0, "namespace"),
        ("_x_ = 1", "reserved", 0, "is a placeholder"),
        ("_1 = 1", "reserved", 0, "starts with a letter"),
        ("__ = 1", "reserved", 0, "cannot be bound"),
        ("_(x) = x", "reserved", 0, "give it a name"),
        ("_[] := v[.i]", "reserved", 0, "give it a name"),
        ("inputs ~ M", "reserved", 0, "bound as inputs = "),
        ("outputs(x) = x", "reserved", 0, "bound as outputs = "),
        ("x, outputs = v", "reserved", 3, "bound as outputs = "),
        ("flatppl_compat = 1", "form", 17, "version string"),
        ("f = pi -> pi", "reserved", 4, "cannot be a parameter"),
        ("f(x, self) = x", "reserved", 5, "cannot be a parameter"),
        ("f(_x_) = 1", "reserved", 2, "cannot be a parameter"),
        ("f = (_, x) -> x", "reserved", 5, "give it a name"),
        ("f(x, x) = x", "duplicate", 5, "parameter 'x' is named twice"),
        ("f = (x, y, x) -> x", "duplicate", 11, "parameter 'x' is named twice"),
        ("v = 3", "duplicate", 0, "already bound in line 1"),
        ("p, p = v", "duplicate", 3, "already bound in line 2"),
        ("v(x) = x", "duplicate", 0, "already bound in line 1"),
        # circles
        ("x = x + 1", "cycle", 0, "x -> x"),
        ("x = y; y = x", "cycle", 0, "x -> y -> x"),
        ("p, q = [p, 1]", "cycle", 0, "p -> p"),
        ("f(x) = g(x); g(x) = f(x)", "cycle", 0, "f -> g -> f"),
        ("x = h2.y; h2 = load_module(\"h\", p = x)", "cycle", 0, "x -> h2 -> x"),
        # callables
        ("x = pi(2)", "kind", 4, "constant and cannot be called"),
        ("x = reals.(v)", "kind", 4, "constant and cannot be called"),
        ("x = base.inf(2)", "kind", 4, "constant and cannot be called"),
        ("x = 2.(a)", "kind", 4, "write '*'"),
        ("x = true(1)", "kind", 4, "cannot be called"),
        ("x = [1](1)", "kind", 4, "an array cannot be called"),
        ("x = record(u = 1, u = 2)", "form", 18, "'u' is named twice"),
        ("x = Normal(mu = 1, mu = 2)", "form", 19, "'mu' is named twice"),
        ("x = functionof", "form", 4, "special form"),
        ("x = reduce(base.kernelof, v)", "form", 11, "special form"),
        # holes, placeholders, parameters
        ("x = 1 + _", "scope", 8, "only inside fn"),
        ("f = fn(broadcast(y -> _ * y, v))", "scope", 22, "separates this hole"),
        ("f = x -> _", "scope", 9, "only inside fn"),
        ("f = fn(a)", "form", 4, "at least one hole"),
        ("f = fn(_, _)", "form", 4, "one expression"),
        ("f = fn(x = _)", "form", 4, "one expression"),
        ("x = _y_ + 1", "scope", 4, "outside functionof"),
        ("f = functionof(_x_ * 2)", "scope", 15, "declare it there as x = _x_"),
        ("f = functionof(functionof(_x_ + _z_, x = _x_)(1.0), z = _z_)", "scope", 32, "'_z_' is not declared"),
        ("f = x -> x + _y_", "scope", 13, "not declared by the callable of (x)"),
        ("f = fn(_ + _y_)", "scope", 11, "not declared by this fn"),
        ("f = x -> y -> x + y", "scope", 9, "cannot return a lambda"),
        ("f(x) = (y -> y)", "scope", 8, "cannot return a lambda"),
        ("f = x -> broadcast(y -> x * y, v)", "scope", 24, "'x' is a parameter of the callable of (x)"),
        ("f(exp) = fn(exp(_))", "scope", 12, "cannot be used inside this fn"),
        ("f = a -> functionof(a)", "scope", 20, "cannot be used inside this functionof"),
        ("f = a -> functionof(M, p = a)", "scope", 27, "cannot be used inside this functionof"),
        ("f = functionof(_x_, x = _x_)(y -> _x_)", "scope", 34, "not declared"),
        # reification
        ("f = functionof(M, p = a, p = v)", "form", 25, "input 'p' is named twice"),
        ("f = functionof(M, p = a, q = a)", "form", 25, "replace 'a'"),
        ("f = functionof(_x_, x = _x_, y = _x_)", "form", 29, "replace '_x_'"),
        ("f = functionof(M, p = a + 1)", "form", 22, "replaces a binding"),
        ("f = functionof(M, p = exp)", "form", 22, "replaces a binding"),
        ("f = functionof(M, p = nope)", "name", 22, "nothing defines"),
        ("f = functionof(M, _p_ = a)", "reserved", 18, "cannot name an input"),
        ("f = kernelof(M, a)", "form", 4, "then the inputs by name"),
        ("f = functionof(p = a)", "form", 4, "takes one expression"),
        ("f = functionof(M, p = h.s)", "module", 22, "another module"),
        ("f = functionof(M, p = self.h.s)", "module", 22, "another module"),
        ("k = 1.0; f = functionof(M * k, k = k)", "form", 35, "'k' is fixed"),
        # modules
        ("x = h", "module", 4, "use a member, h.member"),
        ("x = [self.h]", "module", 5, "use a member"),
        ("x = load_module(\"p\").y", "module", 4, "bound directly to a name"),
        ("x, y = load_module(\"p\")", "module", 7, "bound directly to a name"),
        ("x = load_module(\"p\" + \"q\")", "form", 16, "string literal"),
        ("x = standard_module(\"p\", 1)", "form", 25, "string literal"),
        ("x = standard_module(\"p\")", "form", 4, "standard_module(\"name\", \"version\")"),
        ("x = standard_module(\"p\", compat = \"1\")", "form", 25, "have no names"),
        ("x = load_module(\"p\", k = a, k = a)", "form", 28, "named twice"),
        # special forms
        ("x = normalize(M = M)", "form", 14, "write normalize(M)"),
        ("x = broadcast(f = exp, x = v)", "form", 4, "write broadcast(f, x, ...)"),
        ("x = elementof(reals, reals)", "form", 4, "2 positional arguments; write elementof(S)"),
        ("x = elementof.(v)", "form", 4, "cannot be broadcast"),
        ("x = joint(M, b = M)", "form", 13, "not both"),
        ("x = record(v, v)", "form", 4, "record(name = value, ...)"),
        ("x = tuple(v)", "form", 4, "1 positional argument;"),
        ("x = get(v)", "form", 4, "get(container, selector, ...)"),
        ("x = checked(v)", "form", 4, "condition = c"),
        # selectors and tuples
        ("x = all", "scope", 4, "selects inside an index"),
        ("x = f(only)", "name", 4, "nothing defines 'f'"),
        ("x = exp(only)", "scope", 8, "selects inside an index"),
        ("x = t[a]", "index", 6, "one integer literal"),
        ("x = t[3]", "index", 6, "outside this tuple of 2: 1 to 2"),
        ("x = get0(t, 2)", "index", 12, "outside this tuple of 2: 0 to 1"),
        ("x = (1, 2)[1, 1]", "index", 11, "one integer literal"),
        # axes
        ("x = .i", "scope", 4, "is no value"),
        ("x = v[.i]", "scope", 6, "outside an aggregation"),
        ("x[] := v[.i] + .i", "scope", 15, "is no value"),
        ("x[] := v[.i + 1]", "scope", 9, "is no value"),
        ("x[] := (y -> v[.i] + y)(1)", "scope", 15, "outside an aggregation"),
        ("x = aggregate(sum, [.i, .i], v[.i])", "form", 24, "listed twice"),
        ("x = aggregate(sum, [.z], v[.i])", "form", 20, "does not occur"),
        ("x = aggregate(sum, [1], v[.i])", "form", 19, "list of axes"),
        ("x = aggregate(sum, v, v[.i])", "form", 19, "list of axes"),
        ("x = aggregate(sum, [.i])", "form", 4, "aggregate(reduction"),
        ("x = aggregate.(sum, [.i], v[.i])", "form", 4, "cannot be broadcast"),
        ("x[.i^] := v[.i^]", "form", 2, "variance belongs to metricsum"),
        ("M: x[.i] := v[.i]", "form", 5, "needs its variance"),
        ("M: x[.i^] := v[.i_]", "form", 5, "other variance"),
        ("M: x[] := v[.i^] * v[.i^]", "form", 12, "occurs once, or twice"),
        ("x[] := v[.i] * aggregate(sum, [], v[.i])", "form", 9, "rename one"),
    ],
)  # fmt: skip
def test_refusal(text, code, at, message):
    found = error(PRELUDE + text)
    assert (found.code, found.span.start - len(PRELUDE)) == (code, at)
    assert message in found.message


def test_caret_stands_under_the_text():
    lines = error("x = 1\n  y = exp(nope) + x").render().splitlines()
    assert lines[0].startswith("test:2:11: resolve error [name]: nothing defines 'nope'")
    assert lines[1].index("nope") == lines[2].index("^")
    assert lines[2].count("^") == len("nope")


def test_check_reports_one_error_per_statement_in_order():
    text = "a = 1 +\nb = nope\nc = a + 1\nd = fn(1); e = 'x'\npi = 3\nb = 4\nf = g; g = f"
    assert [(item.code, item.span.start) for item in errors(text)] == [
        ("syntax", 6),
        ("name", 12),
        ("form", 31),
        ("syntax", 42),
        ("reserved", 46),
        ("duplicate", 53),
        ("cycle", 59),
    ]


def test_circle_that_is_long_is_shortened():
    text = "\n".join(f"x{i} = x{(i + 1) % 100}" for i in range(100))
    [found] = errors(text)
    assert "x0 -> x1 -> " in found.message
    assert found.message.endswith("... -> x0")


def test_separate_circles_are_separate_errors():
    assert [item.code for item in errors("a = b; b = a; c = c; d = a")] == ["cycle", "cycle"]
