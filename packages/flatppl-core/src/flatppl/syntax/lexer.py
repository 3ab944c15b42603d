"""Text to the tokens of one statement after the other (language.md 1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from flatppl.syntax.faults import Fault
from flatppl.syntax.tree import Doc

__all__ = ["KEYWORDS", "Chunk", "Token", "split"]

#: ``(kind, text, start, end)``; the kind of a sign or keyword is its text.
Token = tuple[str, str, int, int]

KEYWORDS = frozenset({"in", "true", "false", "all", "only"})

_MASTER = re.compile(
    r"""
    [ \t]*(?:
        (?P<NAME>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<NUMBER>0x[0-9A-Fa-f]+(?:_[0-9A-Fa-f]+)*
                  |(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?)
      | (?P<FOREIGN>\*\*|//|[-+*/]=|\.=(?!=)|\.?&(?!&)|\.?\|(?!\|))
      | (?P<SIGN>[,()\[\]]|\.\(|\.&&|\.\|\||\.[=!<>]=|\.[-+*/^<>!]|:=|->|[<>=!]=|&&|\|\||[-+*/^<>!=~:.])
      | (?P<NEWLINE>\r\n?|\n)
      | (?P<STRING>"[^"\\]*(?:\\.[^"\\]*)*")
      | (?P<SEMICOLON>;)
    )
    | (?P<FENCE>(?<![^\r\n])[ \t]*(?:\#\#\#|%%%[^\s;]*)[ \t]*(?=[\r\n]|\Z))
    | [ \t]*(?:
        (?P<COMMENT>\#[^\r\n;]*)
      | (?P<DOC>%[^\r\n;]*)
      | (?P<END>\Z)
      | (?P<FOREIGN_CHARACTER>.)
    )""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_CLOSING = {
    "###": re.compile(r"(?<![^\r\n])[ \t]*###[ \t]*(?=[\r\n]|\Z)"),
    "%%%": re.compile(r"(?<![^\r\n])[ \t]*%%%[ \t]*(?=[\r\n]|\Z)"),
}
_INTEGER = re.compile(r"0x\w+|[\d_]+")
_WORD = re.compile(r"\w*")

_FOREIGN = {
    "**": "'**' is not an operator; write '^' for powers",
    "//": "'//' is not an operator; write div(a, b) for integer division, '#' for a comment",
    ".=": "'.=' is not an operator; write '.==' to compare element by element",
    "&": "'&' is not an operator; write '&&'",
    "|": "'|' is not an operator; write '||'",
    ".&": "'.&' is not an operator; write '.&&'",
    ".|": "'.|' is not an operator; write '.||'",
    "{": "braces are not part of the language; write record(name = value) or an array [a, b]",
    "}": "braces are not part of the language; write record(name = value) or an array [a, b]",
    "'": 'strings stand in double quotes: "text"',
    "?": "'?' is not an operator; write ifelse(condition, a, b)",
    "@": "'@' is not an operator; '*' multiplies matrices",
    "\\": "a backslash does not continue a line; only an open bracket does",
    '"': "this string is never closed",
}


@dataclass(frozen=True, slots=True)
class Chunk:
    """The tokens of one statement, its doc-comment, and the first thing wrong with its characters."""

    tokens: list[Token]
    doc: Doc | None
    fault: Fault | None


def split(text: str, faults: list[Fault]) -> Iterator[Chunk]:
    """Tokens of a text, statement by statement.

    Parameters
    ----------
    text : str
        The whole text.
    faults : list of Fault
        Takes what is wrong between statements.

    Examples
    --------
    >>> [[text for _, text, _, _ in chunk.tokens] for chunk in split("a = 1./x; b = (2", [])]
    [['a', '=', '1.', '/', 'x'], ['b', '=', '(', '2']]
    """
    return _Splitter(text, faults).run()


class _Splitter:
    """One pass over a text; a statement ends at a semicolon, or at a newline outside brackets."""

    __slots__ = ("brackets", "doc", "fault", "faults", "ready", "text", "tokens")

    def __init__(self, text: str, faults: list[Fault]) -> None:
        self.text = text
        self.faults = faults
        self.ready: Chunk | None = None
        self.tokens: list[Token] = []
        self.brackets: list[Token] = []
        self.doc: Doc | None = None
        self.fault: Fault | None = None

    def run(self) -> Iterator[Chunk]:
        """Read the whole text."""
        text, match = self.text, _MASTER.match
        position = 0
        kind = ""
        while kind != "END":
            found = match(text, position)
            assert found is not None
            assert found.lastgroup is not None
            kind = found.lastgroup
            position = found.end()
            word = found[kind]
            if kind == "NAME":
                self.tokens.append((word if word in KEYWORDS else kind, word, position - len(word), position))
            elif kind == "SIGN":
                self.sign(word, position)
            else:
                position = _HANDLERS[kind](self, word, position)
                if self.ready is not None:
                    yield self.ready
                    self.ready = None

    def sign(self, word: str, end: int) -> None:
        """An operator or bracket."""
        token = (word, word, end - len(word), end)
        self.tokens.append(token)
        if word in ("(", "[", ".("):
            self.brackets.append(token)
        elif word in (")", "]") and self.brackets:
            self.brackets.pop()

    def number(self, word: str, end: int) -> int:
        """An integer or real, which no letter, digit or underscore may follow directly."""
        start = end - len(word)
        kind = "INT" if word.isdigit() or _INTEGER.fullmatch(word) else "REAL"
        self.tokens.append((kind, word, start, end))
        rest = _WORD.match(self.text, end)
        if rest is None or not rest[0]:
            return end
        self.refuse(
            "a number cannot run on into letters, digits or '_'; '_' stands between two digits only, "
            "hexadecimal starts with 0x",
            start,
            rest.end(),
        )
        return rest.end()

    def string(self, word: str, end: int) -> int:
        """A string with its quotes."""
        self.tokens.append(("STRING", word, end - len(word), end))
        return end

    def newline(self, _word: str, end: int) -> int:
        """A separator outside brackets, a blank inside."""
        if not self.brackets:
            self.flush()
        return end

    def semicolon(self, _word: str, end: int) -> int:
        """A separator everywhere, hence wrong inside brackets."""
        if self.brackets:
            opener = self.brackets[-1][1]
            self.refuse(
                f"';' ends a statement, but {opener!r} is still open; separate by ',' or newlines", end - 1, end
            )
        self.flush()
        return end

    def comment(self, _word: str, end: int) -> int:
        """Nothing."""
        return end

    def foreign(self, word: str, end: int) -> int:
        """A sign or character of other languages."""
        if not word.isascii():
            message = f"{word!r} may stand only in strings and comments; names and operators are ASCII"
        else:
            message = _FOREIGN.get(word, f"{word!r} is not part of the language")
        self.refuse(message, end - len(word), end)
        return end

    def doc_line(self, word: str, end: int) -> int:
        """``%tag text``, before or after the binding that it documents."""
        tag, _, text = word[1:].partition(" ") if " " in word else (word[1:], "", "")
        if "\t" in tag:
            tag, _, text = word[1:].partition("\t")
        self.document(tag, text.strip(), end - len(word), end)
        return end

    def fence(self, word: str, end: int) -> int:
        """A block of comment or documentation, up to the next line with the same fence."""
        mark = word.strip()
        start = end - len(word.lstrip())
        closing = _CLOSING[mark[:3]].search(self.text, end)
        if closing is None:
            self.refuse(f"this block is never closed; end it by a line {mark[:3]}", start, start + len(mark))
            return len(self.text)
        if mark != "###":
            lines = self.text[end : closing.start()].replace("\r\n", "\n").replace("\r", "\n")
            self.document(mark[3:], lines[1:-1], start, closing.end())
        return closing.end()

    def document(self, tag: str, text: str, start: int, end: int) -> None:
        """Attach a doc-comment to the current statement, or to the next one if there is none."""
        if tag not in ("", "md", "typ"):
            self.refuse(
                f"unknown doc-comment tag {tag!r}; the tags are md and typ, and text starts after a space: % {tag} ...",
                start,
                end,
            )
        elif self.brackets:
            self.refuse("a doc-comment cannot stand inside brackets; use '#' for a comment", start, end)
        elif self.doc is not None:
            self.refuse("a binding has one doc-comment; put several lines between two lines %%%", start, end)
        else:
            self.doc = Doc(start, end, tag or "md", text)

    def finish(self, _word: str, end: int) -> int:
        """The end of the text."""
        if self.brackets:
            kind, _, start, stop = self.brackets[0]
            self.fault = Fault("syntax", f"this {kind!r} is never closed", start, stop)
        self.flush()
        if self.doc is not None:
            message = "this doc-comment documents nothing; put it right before a binding, or after it on the same line"
            self.faults.append(Fault("syntax", message, self.doc.start, self.doc.end))
        return end

    def refuse(self, message: str, start: int, end: int) -> None:
        """Note what is wrong; only the first fault of a statement counts."""
        fault = Fault("syntax", message, start, end)
        if not self.tokens:
            self.faults.append(fault)
        elif self.fault is None:
            self.fault = fault

    def flush(self) -> None:
        """End the current statement."""
        if not self.tokens:
            return
        self.ready = Chunk(self.tokens, self.doc, self.fault)
        self.tokens, self.doc, self.fault = [], None, None
        self.brackets.clear()


_HANDLERS: dict[str, Callable[[_Splitter, str, int], int]] = {
    "NUMBER": _Splitter.number,
    "STRING": _Splitter.string,
    "NEWLINE": _Splitter.newline,
    "SEMICOLON": _Splitter.semicolon,
    "COMMENT": _Splitter.comment,
    "DOC": _Splitter.doc_line,
    "FENCE": _Splitter.fence,
    "FOREIGN": _Splitter.foreign,
    "FOREIGN_CHARACTER": _Splitter.foreign,
    "END": _Splitter.finish,
}
