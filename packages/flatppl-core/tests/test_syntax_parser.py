"""Grammar: language.md 2."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import flatppl.syntax
from flatppl.errors import CompilationError
from flatppl.spans import Source
from flatppl.syntax import tree
from flatppl.syntax.generate import build, render
from flatppl.syntax.parser import parse

BLOCKS = sorted((Path(__file__).parent / "data" / "blocks" / "good").glob("*.flatppl"))


def show(node):  # noqa: C901 - one case per class
    """A tree as text with all brackets."""
    match node:
        case tree.Paren(inner=inner):
            return show(inner)
        case tree.Name(text=text) | tree.Placeholder(text=text):
            return text
        case tree.Hole():
            return "_"
        case tree.Literal(value=value):
            return json.dumps(value)
        case tree.Selector(name=name):
            return name
        case tree.Axis(name=name, variance=variance):
            return f".{name}{variance}"
        case tree.Array(items=items):
            return "[" + ", ".join(map(show, items)) + "]"
        case tree.Tuple(items=items):
            return "(" + ", ".join(map(show, items)) + ")"
        case tree.Field(container=container, name=name):
            return f"{show(container)}.{name.text}"
        case tree.Index(container=container, selectors=selectors):
            return f"{show(container)}[{', '.join(map(show, selectors))}]"
        case tree.Call(head=head, args=args, keywords=keywords, dotted=dotted):
            items = [*map(show, args), *(f"{item.name.text} = {show(item.value)}" for item in keywords)]
            return f"{show(head)}{'.' if dotted else ''}({', '.join(items)})"
        case tree.Unary(operator=operator, operand=operand):
            return f"({sign(operator)}{show(operand)})"
        case tree.Binary(left=left, operator=operator, right=right):
            return f"({show(left)} {sign(operator)} {show(right)})"
        case tree.Comparison(operands=operands, operators=operators):
            rest = "".join(f" {sign(a)} {show(b)}" for a, b in zip(operators, operands[1:], strict=True))
            return f"({show(operands[0])}{rest})"
        case tree.Lambda(parameters=parameters, body=body):
            return f"({', '.join(item.text for item in parameters)} -> {show(body)})"
    raise AssertionError(node)


def sign(operator):
    return ("." if operator.dotted else "") + operator.sign


def expression(text):
    return parse(Source("test", f"x = {text}")).statements[0].value


def error(text):
    with pytest.raises(CompilationError) as caught:
        parse(Source("test", text))
    return caught.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-2^2", "(-(2 ^ 2))"),
        ("2^-1", "(2 ^ (-1))"),
        ("a^b^c", "(a ^ (b ^ c))"),
        ("a.^b^c", "(a .^ (b ^ c))"),
        ("a || b && c", "(a || (b && c))"),
        ("!a && b", "((!a) && b)"),
        ("!a == b", "((!a) == b)"),
        ("x < y <= z", "(x < y <= z)"),
        ("(x < y) <= z", "((x < y) <= z)"),
        ("a in S && b .< c", "((a in S) && (b .< c))"),
        ("a - b + c", "((a - b) + c)"),
        ("a .- b * c ./ d", "(a .- ((b * c) ./ d))"),
        ("- - !a", "(-(-(!a)))"),
        (".-a.b", "(.-a.b)"),
        ("f(x)(y).z[1].(w)", "f(x)(y).z[1].(w)"),
        ("x -> y -> x + y", "(x -> (y -> (x + y)))"),
        ("(x, y) -> e", "(x, y -> e)"),
        ("1 + (x -> x)", "(1 + (x -> x))"),
        ("f(x -> x, y)", "f((x -> x), y)"),
        ("[x -> x]", "[(x -> x)]"),
        ("f(a, b = c, d = x -> x,)", "f(a, b = c, d = (x -> x))"),
        ("f.(a,)", "f.(a)"),
        ("(a, b,)", "(a, b)"),
        ("[a,]", "[a]"),
        ("[]", "[]"),
        ("M[:, 2]", "M[all, 2]"),
        ("v[!]", "v[only]"),
        ("v[!, all, only]", "v[only, all, only]"),
        ("v[!false + 1]", "v[((!false) + 1)]"),
        ("A[.i^, .j_, .k]", "A[.i^, .j_, .k]"),
        ("get(A, .i, all)", "get(A, .i, all)"),
        ("[.r, .c]", "[.r, .c]"),
        ("f(_, _u_, _v)", "f(_, _u_, _v)"),
        ("r.x.y ^ 2", "(r.x.y ^ 2)"),
        ("tot[.c]^2", "(tot[.c] ^ 2)"),
    ],
)
def test_expression(text, expected):
    assert show(expression(text)) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x = 1", tree.Unpack),
        ("x ~ M", tree.Unpack),
        ("a, b = e", tree.Unpack),
        ("_, b ~ e", tree.Unpack),
        ("f(x, y) = x", tree.Definition),
        ("C[] := e", tree.Aggregate),
        ("C[.i, .j] := e", tree.Aggregate),
        ("g: C[.i^, .j_] := e", tree.Aggregate),
    ],
)
def test_statement(text, kind):
    [statement] = parse(Source("test", text)).statements
    assert type(statement) is kind
    assert (statement.start, statement.end) == (0, len(text))


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("s = a +\n    b", 6, "a line goes on only inside brackets"),
        ("x", 0, "defines nothing"),
        ("f(x)", 3, "defines nothing"),
        ("1 = x", 0, "starts with the name that it defines"),
        ("x = ", 2, "an expression would fit"),
        ("x = f()", 6, "at least one argument"),
        ("x = f.()", 7, "at least one argument"),
        ("f() = 1", 2, "at least one argument"),
        ("x = () -> 1", 5, "at least one argument"),
        ("x = (a,)", 7, "at least two items"),
        ("f(x,) = x", 4, "ends without a comma"),
        ("x = a[1,]", 8, "ends without a comma"),
        ("C[.i,] := x", 5, "ends without a comma"),
        ("x = a[]", 6, "at least one selector"),
        ("x = (a) -> 1", 8, "x -> ..., (x, y) -> ..."),
        ("x = 1 + y -> y", 10, "needs parentheses"),
        ("x = (a, 1) -> a", 8, "bare names"),
        ("x = f(b = 1, 2)", 13, "positional arguments stand before"),
        ("x = a .< b .< c", 6, "do not chain"),
        ("x = a < b .< c", 10, "do not chain"),
        ("x = a == b = c", 11, "'==' compares"),
        ("x = reduce(+, v)", 11, "unexpected '+'"),
        ("x = v[1:3]", 7, "no slices"),
        ("x = (y ~ M)", 7, "start of a statement"),
        ("x = r.in", 6, 'by ["in"]'),
        ("x = 3 4", 6, "unexpected '4'"),
        ("x = (a]", 6, "')'"),
        ("x = a)", 5, "unexpected ')'"),
        ("C[.1] := x", 2, "'.'"),
        ("x = A[.mu__]", 7, "no axis"),
        ("x = A[.mu_^]", 7, "no axis"),
        ("x = .i ^ 2", 9, "unexpected '2'"),
    ],
)
def test_syntax_error(text, at, message):
    found = error(text)
    assert found.code == "syntax"
    assert found.span.start == at
    assert message in found.message


@pytest.mark.parametrize(
    ("text", "at"), [("true = 1", 0), ("in ~ M", 0), ("f(in) = 1", 2), ("x = f(all = 1)", 6), ("only, b = c", 0)]
)
def test_keyword_cannot_be_bound(text, at):
    found = error(text)
    assert found.code == "reserved"
    assert found.span.start == at
    assert "keyword" in found.message


def test_spans_cover_the_text_with_its_brackets():
    text = "x = (a) + f(b)[1].c"
    value = parse(Source("test", text)).statements[0].value
    assert text[value.start : value.end] == "(a) + f(b)[1].c"
    assert text[value.right.start : value.right.end] == "f(b)[1].c"
    assert text[value.right.container.start : value.right.container.end] == "f(b)[1]"


@pytest.mark.parametrize("path", BLOCKS, ids=lambda path: path.stem)
def test_block(path):
    parse(Source(path.name, path.read_text()))


def test_table_is_the_grammars():
    written = Path(flatppl.syntax.__file__).with_name("table.json").read_text()
    assert written == render(build()), "run python -m flatppl.syntax.generate"


def test_parsing_does_not_import_the_parser_generator():
    code = "import sys, flatppl.graph.resolve; sys.exit('lark' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})
