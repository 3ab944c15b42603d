"""Sugar to core nodes: language.md 2.4, 3.3, 8 and 13."""

import json
from pathlib import Path

import pytest

from flatppl.graph.nodes import Axis, Builtin, Call, Literal, Local, Member, Part, Ref, Reify
from flatppl.graph.resolve import check, parse_and_resolve
from flatppl.spans import Source

DATA = Path(__file__).parent / "data"
BASE = frozenset((DATA / "base_names.txt").read_text().split())
GOOD = sorted((DATA / "blocks" / "good").glob("*.flatppl"))


def graph(text):
    return parse_and_resolve(Source("test", text), BASE)


def show(node):
    """A node as text: references as ``%name``, inputs of reifications as ``$name``."""
    match node:
        case Literal(value=value):
            return json.dumps(value)
        case Builtin(name=name):
            return name
        case Ref(name=name):
            return f"%{name}"
        case Local(name=name):
            return f"${name}"
        case Member(alias=alias, name=name):
            return f"%{alias}::{name}"
        case Axis(name=name, variance=variance):
            return f".{name}{variance}"
        case Call(head=head, args=args, keywords=keywords):
            items = [*map(show, args), *(f"{name} = {show(value)}" for name, value in keywords)]
            return f"{show(head)}({', '.join(items)})"
        case Part(source=source, index=index, count=count):
            return f"{show(source)}[{index} of {count}]"
        case Reify(kind=kind, body=body, inputs=inputs):
            given = "" if inputs is None else ", " + ", ".join(f"{item.name} = {show(item.target)}" for item in inputs)
            return f"{kind}({show(body)}{given})"
    raise AssertionError(node)


def core(text):
    """All bindings of a text, without its prelude."""
    prelude = 'a = elementof(reals); b = elementof(reals); M = Normal(a, 1.0); v = [1, 2]; h = load_module("h")\n'
    bindings = graph(prelude + text).bindings
    return {name: show(item.expr) for name, item in bindings.items() if name not in ("a", "b", "M", "v", "h")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "%a"),
        ("(a)", "%a"),
        ("true", "true"),
        ("a + b - 1", "sub(add(%a, %b), 1)"),
        ("-a * b / 2.0", "divide(mul(neg(%a), %b), 2.0)"),
        ("a ^ b", "pow(%a, %b)"),
        ("!true || false && true", "lor(lnot(true), land(false, true))"),
        ("a .+ b", "broadcast(add, %a, %b)"),
        ("a .&& b", "broadcast(land, %a, %b)"),
        (".-a", "broadcast(neg, %a)"),
        (".!a", "broadcast(lnot, %a)"),
        ("a .>= b", "broadcast(ge, %a, %b)"),
        ("a == b", "equal(%a, %b)"),
        ("a != b", "unequal(%a, %b)"),
        ("a in reals", "in(%a, reals)"),
        ("a < b <= 1 > 0", "land(land(lt(%a, %b), le(%b, 1)), gt(1, 0))"),
        ("[a, 2]", "vector(%a, 2)"),
        ("[]", "vector()"),
        ("(a, (b, 2))", "tuple(%a, tuple(%b, 2))"),
        ("record(p = a, q = 1)", "record(p = %a, q = 1)"),
        ("v[1]", "get(%v, 1)"),
        ("v[:, 2, !]", "get(%v, all, 2, only)"),
        ("get(v, all, only, b)", "get(%v, all, only, %b)"),
        ("base.get0(v, 0)", "get0(%v, 0)"),
        ("a.r.s", 'get(get(%a, "r"), "s")'),
        ("exp.(v)", "broadcast(exp, %v)"),
        ("Normal.(v, sigma = b)", "broadcast(Normal, %v, sigma = %b)"),
        ("(x -> x).(v)", "broadcast(functionof($x, x = $x), %v)"),
        ("self.a", "%a"),
        ("base.exp(1.0)", "exp(1.0)"),
        ("h.mu", "%h::mu"),
        ("h.r.f", 'get(%h::r, "f")'),
        ("self.h.mu(1)", "%h::mu(1)"),
        ("h.K.(v)", "broadcast(%h::K, %v)"),
        ("reduce(add, v)", "reduce(add, %v)"),
        ("x -> x + a", "functionof(add($x, %a), x = $x)"),
        ("(a, exp) -> exp(a)", "functionof($exp($a), a = $a, exp = $exp)"),
        ("x -> (x -> x)(x)", "functionof(functionof($x, x = $x)($x), x = $x)"),
        ("h -> h.mu", 'functionof(get($h, "mu"), h = $h)'),
        ("fn(_ / (_ + a))", "functionof(divide($arg1, add($arg2, %a)), arg1 = $arg1, arg2 = $arg2)"),
        ("fn(0 < _ < 1)", "functionof(land(lt(0, $arg1), lt($arg1, 1)), arg1 = $arg1)"),
        ("fn(fn(_)(_))", "functionof(functionof($arg1, arg1 = $arg1)($arg1), arg1 = $arg1)"),
        ("functionof(a + 1)", "functionof(add(%a, 1))"),
        ("kernelof(M, p = a)", "kernelof(%M, p = %a)"),
        ("functionof(a, p = self.a)", "functionof(%a, p = %a)"),
        ("functionof(_x_ * a, y = _x_, a = a)", "functionof(mul($_x_, %a), y = $_x_, a = %a)"),
        ("functionof(1, x = _x_)", "functionof(1, x = $_x_)"),
        ("draw(M)", "draw(%M)"),
        ("aggregate(maximum, [], M[.i])", "aggregate(maximum, vector(), get(%M, .i))"),
        ("aggregate(sum, [.j], get(M, .i, .j, only))",
         "aggregate(sum, vector(.j), get(%M, .i, .j, only))"),
        ("metricsum(M, [.i^], M[.i^, .j_] * v[.j^])",
         "metricsum(%M, vector(.i^), mul(get(%M, .i^, .j_), get(%v, .j^)))"),
        ("(aggregate(sum, [.i], M[.i, .j]))[1] + aggregate(sum, [.i], M[.i, .j])[1]",
         "add(get(aggregate(sum, vector(.i), get(%M, .i, .j)), 1), "
         "get(aggregate(sum, vector(.i), get(%M, .i, .j)), 1))"),
    ],
)  # fmt: skip
def test_expression(text, expected):
    assert core(f"z = {text}") == {"z": expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x ~ M", {"x": "draw(%M)"}),
        ("_ = a", {"__0x1": "%a"}),
        ("_ ~ M", {"__0x1": "draw(%M)"}),
        ("p, q = v", {"__0x1": "%v", "p": "%__0x1[0 of 2]", "q": "%__0x1[1 of 2]"}),
        ("p, _, _ ~ M", {"__0x1": "draw(%M)", "p": "%__0x1[0 of 3]"}),
        ("__0x1 = 1; _ = a", {"__0x1": "1", "__0x2": "%a"}),
        ("f(x, y) = x + y * a", {"f": "functionof(add($x, mul($y, %a)), x = $x, y = $y)"}),
        ("C[] := v[.i]", {"C": "aggregate(sum, vector(), get(%v, .i))"}),
        ("M: C[.i_] := v[.i_]", {"C": "metricsum(%M, vector(.i_), get(%v, .i_))"}),
        ("sum = 3; C[] := v[.i]", {"sum": "3", "C": "aggregate(sum, vector(), get(%v, .i))"}),
        ("exp = 3; y = base.exp(exp)", {"exp": "3", "y": "exp(%exp)"}),
        ("vector = 3; y = [vector]", {"vector": "3", "y": "vector(%vector)"}),
        ("get(q) = q; y = get(1)",
         {"get": "functionof($q, q = $q)", "y": "%get(1)"}),
        ("later = earlier; earlier = 41", {"later": "%earlier", "earlier": "41"}),
        ("_h = 1; x_ = _h", {"_h": "1", "x_": "%_h"}),
        ("s = standard_module(\"m\", \"0.1\"); y = s.f(1)", {"s": 'standard_module("m", "0.1")', "y": "%s::f(1)"}),
        ("s = (base.load_module(\"m\", p = a)); y = s.f", {"s": 'load_module("m", p = %a)', "y": "%s::f"}),
        ("inputs = (a, v); outputs = a", {"inputs": "tuple(%a, %v)", "outputs": "%a"}),
        ('flatppl_compat = "0.9"', {"flatppl_compat": '"0.9"'}),
    ],
)  # fmt: skip
def test_statement(text, expected):
    assert core(text) == expected


def test_middle_operand_of_a_chain_is_one_node():
    chain = graph("a ~ Normal(0, 1); b = 0 < a * 2 < 1").bindings["b"].expr
    left, right = chain.args
    assert left.args[1] is right.args[0]


def test_hole_of_the_inputs_is_the_hole_of_the_body():
    reify = graph("f = fn(_ + 1)").bindings["f"].expr
    assert reify.body.args[0] is reify.inputs[0].target


def test_tilde_spans():
    expr = graph("M = Normal(0, 1)\n  x ~ M").bindings["x"].expr
    assert [node.span.text for node in (expr, expr.head, expr.args[0])] == ["x ~ M", "x ~ M", "M"]


def test_spans():
    text = "r = record(s = [1, 2])\nz = (r.s[1] + 2) .* exp.(r.s) # end"
    node = graph(text).bindings["z"].expr
    assert node.span.text == "(r.s[1] + 2) .* exp.(r.s)"
    assert node.head.span.text == ".*"
    assert node.args[1].span.text == "r.s[1] + 2"
    assert node.args[1].args[0].span.text == "r.s[1]"
    assert node.args[1].args[0].args[0].span.text == "r.s"
    assert node.args[1].args[0].args[0].args[1].span.text == "s"
    assert node.args[2].span.text == "exp.(r.s)"
    assert node.args[2].args[0].span.label() == "test:2:21"


def test_bindings_carry_span_and_doc():
    bindings = graph("% text\nx = 1; p, q = [1, 2]; f(x) = x %typ $x$").bindings
    assert [(item.span.text, item.doc, item.doc_tag) for item in bindings.values()] == [
        ("x = 1", "text", "md"),
        ("p, q = [1, 2]", None, "md"),
        ("p, q = [1, 2]", None, "md"),
        ("p, q = [1, 2]", None, "md"),
        ("f(x) = x", "$x$", "typ"),
    ]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_good_block(path):
    source = Source(path.name, path.read_text())
    assert check(source, BASE) == []
    assert parse_and_resolve(source, BASE).bindings
