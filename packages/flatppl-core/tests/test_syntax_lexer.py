"""Lexical rules: language.md 1."""

import pytest

from flatppl.errors import CompilationError
from flatppl.spans import Source
from flatppl.syntax.lexer import split
from flatppl.syntax.parser import parse, read


def kinds(text):
    faults = []
    chunks = list(split(text, faults))
    assert not faults
    assert all(chunk.fault is None for chunk in chunks)
    return [" ".join(text for _, text, _, _ in chunk.tokens) for chunk in chunks]


def value(text):
    return parse(Source("test", f"x = {text}")).statements[0].value.value


def error(text):
    with pytest.raises(CompilationError) as caught:
        parse(Source("test", text))
    return caught.value


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("1./x", "1. / x"),
        ("1 ./ x", "1 ./ x"),
        ("1.+x", "1. + x"),
        ("1..+x", "1. .+ x"),
        ("a.-b", "a .- b"),
        ("f .(x)", "f .( x )"),
        ("r.x", "r . x"),
        (".mu^", ". mu ^"),
        ("a.!=b", "a .!= b"),
        ("a.!b", "a .! b"),
        ("a->-b", "a -> - b"),
        ("a<-b", "a < - b"),
        ("C[]:=e", "C [ ] := e"),
        ("a:b", "a : b"),
        ("!a!=b", "! a != b"),
        ("x.&&y.||z", "x .&& y .|| z"),
        ("1e-3 .5E+2 0xF7 1_000.5_0", "1e-3 .5E+2 0xF7 1_000.5_0"),
    ],
)
def test_longest_match(text, tokens):
    assert kinds(text) == [tokens]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("", []),
        ("\n;\n ; \t\n", []),
        ("a = 1; b = 2", ["a = 1", "b = 2"]),
        ("a = 1\rb = 2\r\nc = 3\n", ["a = 1", "b = 2", "c = 3"]),
        ("s = (a\n     + b)  # continues", ["s = ( a + b )"]),
        ("s = f.(\r\n a,\n\n[\nb])", ["s = f .( a , [ b ] )"]),
        ("x = 1 # up to here; y = 2", ["x = 1", "y = 2"]),
        ('###\nanything ( " ;\n  ### \nz = 1', ["z = 1"]),
        ("a = [1,\n  ###\n inside ]\n\t###\t\n 2]", ["a = [ 1 , 2 ]"]),
        ("### not a fence\nz = 1", ["z = 1"]),
        ("####\nz = 1", ["z = 1"]),
        ('x = "# % ; ### " + y', ['x = "# % ; ### " + y']),
        ("###\n###", []),
    ],
)
def test_statements(text, statements):
    assert kinds(text) == statements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("1_000_000", 1000000),
        ("007", 7),
        ("0xF7", 247),
        ("0x3e", 62),
        ("0xFF_FF", 65535),
        ("9223372036854775807", 2**63 - 1),
        ("3.14", 3.14),
        ("1.", 1.0),
        ("1.e3", 1000.0),
        ("1e3", 1000.0),
        ("1.45E+7", 1.45e7),
        (".5e-1_0", 0.5e-10),
        (r'"a\"b\\c\n\t\r\0"', 'a"b\\c\n\t\r\0'),
        ('"ünï\ncode"', "ünï\ncode"),
        ('""', ""),
        ("true", True),
        ("false", False),
    ],
)
def test_literal(text, expected):
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("x = 1__0", 4, "between two digits only"),
        ("x = 1_", 4, "between two digits only"),
        ("x = 0x_f", 4, "hexadecimal starts with 0x"),
        ("x = 0X1", 4, "hexadecimal starts with 0x"),
        ("x = 2a", 4, "cannot run on into letters"),
        ("x = 1.x", 4, "cannot run on into letters"),
        ("x = 1e", 4, "cannot run on into letters"),
        ("x = 9223372036854775808", 4, "at most 64 bits"),
        ("x = " + "9" * 5000, 4, "at most 64 bits"),
        ("x = 1e999", 4, "beyond double precision"),
        (r'x = "a\q"', 6, r"'\\q' is no escape sequence"),
        ('x = "abc', 4, "never closed"),
        ("x = a ** 2", 6, "write '^'"),
        ("x = a // 2", 6, "div(a, b)"),
        ("x += 2", 2, "not part of the language"),
        ("x = a .= b", 6, "write '.=='"),
        ("x = a & b", 6, "write '&&'"),
        ("x = a | b", 6, "write '||'"),
        ("x = a .& b", 6, "write '.&&'"),
        ("x = {1}", 4, "braces"),
        ("x = 'a'", 4, "double quotes"),
        ("x = c ? a : b", 6, "ifelse"),
        ("x = a @ b", 6, "multiplies matrices"),
        ("x = a + \\\n b", 8, "only an open bracket"),
        ("x = é", 4, "ASCII"),
        ("x = 1 \0", 6, "not part of the language"),
        ("x = (1; y = 2", 6, "still open"),
        ("x = [1,\n y = 3", 4, "never closed"),
        ("###\nx = 1", 0, "block is never closed"),
        ("%%%\nx = 1", 0, "block is never closed"),
        ("x = 1\n\n;\x0b", 8, "not part of the language"),
    ],
)
def test_lexical_error(text, at, message):
    found = error(text)
    assert found.code == "syntax"
    assert found.span.start == at
    assert message in found.message


@pytest.mark.parametrize(
    ("text", "tag", "doc"),
    [
        ("% Prior width.\ntau = 2.5", "md", "Prior width."),
        ("rho = 0.1   % Correlation. \nz = 1", "md", "Correlation."),
        ("%typ $x$; rho = 0.1", "typ", "$x$"),
        ("%md\ttext\nrho = 0.1", "md", "text"),
        ("%\nrho = 0.1", "md", ""),
        ("% d\n\n# plain\n;\n###\nblock\n###\n x = 1", "md", "d"),
        (" %%%typ\nTwo lines,\r\n  second % line.\n\t%%% \nkappa = 7", "typ", "Two lines,\n  second % line."),
        ("%%%\n%%%\nkappa = 7", "md", ""),
        ("f(x) = x % body", "md", "body"),
        ("C[] := x % sum", "md", "sum"),
    ],
)
def test_doc(text, tag, doc):
    statement = parse(Source("test", text)).statements[0]
    assert (statement.doc.tag, statement.doc.text) == (tag, doc)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("%foo bar\nx = 1", 0, "unknown doc-comment tag 'foo'"),
        ("%$x$\nx = 1", 0, "unknown doc-comment tag '$x$'"),
        ("x = 1 %% two", 6, "unknown doc-comment tag '%'"),
        ("% a\n% b\nx = 1", 4, "one doc-comment"),
        ("% a\nx = 1 % b", 10, "one doc-comment"),
        ("x = (1 % a\n)", 7, "inside brackets"),
        ("x = (1\n%%%\na\n%%%\n)", 7, "inside brackets"),
        ("a, b = c % both", 9, "decomposition"),
        ("x = 1\n% nothing", 6, "documents nothing"),
    ],
)
def test_doc_error(text, at, message):
    found = error(text)
    assert found.code == "syntax"
    assert found.span.start == at
    assert message in found.message


def test_every_statement_reports_its_own_error():
    module, errors = read(Source("test", "a = 1 +\nb = 2\nc = 'x'; d = f()\ne = a"))
    assert [error.span.label() for error in errors] == ["test:1:7", "test:3:5", "test:3:16"]
    assert [statement.names[0].text for statement in module.statements] == ["b", "e"]
    assert module.broken == {"a", "c", "x", "d", "f"}
