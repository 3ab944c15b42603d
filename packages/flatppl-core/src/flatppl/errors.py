"""Every refusal: its code, its error type, its text.

A rule that refuses raises :class:`Refusal` with a code of :data:`CODES`; the evaluator adds the span of
the construct at fault and the call trail, and the user sees a :class:`CompilationError`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import NoReturn

from flatppl.spans import Source, Span

__all__ = ["CODES", "CompilationError", "InternalError", "Refusal", "nearest", "refuse"]

#: code -> (stage, one-line meaning). One row and one file in ``tests/bad`` per refusal.
CODES: dict[str, tuple[str, str]] = {
    "syntax": ("parse", "the text is not FlatPPL"),
    "name": ("resolve", "a name that nothing defines"),
    "duplicate": ("resolve", "a name that is defined twice"),
    "reserved": ("resolve", "a reserved name that is bound"),
    "cycle": ("resolve", "bindings that refer to each other in a circle"),
    "scope": ("resolve", "a hole, placeholder, parameter or axis outside its callable"),
    "form": ("resolve", "a special form with a malformed argument list"),
    "module": ("resolve", "a module that cannot be loaded, or a member that it does not show"),
    "call": ("elaborate", "a call whose arguments do not fit the callable's inputs"),
    "kind": ("elaborate", "an operand of the wrong kind"),
    "shape": ("elaborate", "operands whose shapes do not fit"),
    "field": ("elaborate", "a field, column or component that is not there"),
    "index": ("elaborate", "an index outside its range"),
    "domain": ("elaborate", "a value that is provably outside its set"),
    "mass": ("elaborate", "a measure whose total mass is not what the operation needs"),
    "density": ("elaborate", "a density for which no sound rule exists"),
    "reference": ("elaborate", "measures with different reference measures"),
    "point": ("elaborate", "a point that does not have the variate's shape"),
    "signature": ("signature", "a malformed or incomplete query signature"),
    "output": ("signature", "an output that is not a value"),
    "depth": ("elaborate", "nesting beyond the stated bound"),
    "unsupported": ("elaborate", "a construct that this version does not implement"),
    "backend": ("lower", "a backend, profile or package that is not installed"),
}


class Refusal(Exception):
    """A rule declines; the evaluator turns it into a :class:`CompilationError`.

    Parameters
    ----------
    code : str
        A key of :data:`CODES`.
    message : str
        What is wrong, and the nearest thing that works.
    span : Span, optional
        Where; the evaluator supplies the node being evaluated if absent.
    """

    def __init__(self, code: str, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        if code not in CODES:
            raise InternalError(f"unknown refusal code {code!r}")
        self.code = code
        self.message = message
        self.span = span
        self.trail: list[Span] = []


class CompilationError(Exception):
    """A FlatPPL program was refused.

    Attributes
    ----------
    code : str
        Key of :data:`flatppl.errors.CODES`.
    stage : str
        ``parse``, ``resolve``, ``elaborate``, ``signature`` or ``lower``.
    source : str
        Label of the source text.
    span : Span or None
        Where the construct at fault stands.
    import_chain : tuple of str
        Sources that loaded this one, outermost first.
    message : str
        What is wrong and what would work.
    trail : tuple of Span
        Calls that led to the construct, innermost first.
    """

    def __init__(
        self,
        code: str,
        message: str,
        span: Span | None,
        *,
        source: Source | None = None,
        import_chain: Sequence[str] = (),
        trail: Iterable[Span] = (),
    ) -> None:
        self.code = code
        self.stage = CODES[code][0]
        self.message = message
        self.span = span
        where = span.source if span is not None else source
        self.source = where.name if where is not None else "<unknown>"
        self.import_chain = tuple(import_chain)
        self.trail = tuple(trail)
        super().__init__(self.render())

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """Label, line, column, stage and message; the line with a caret; the trail of calls."""
        where = self.span.label() if self.span is not None else self.source
        lines = [f"{where}: {self.stage} error [{self.code}]: {self.message}"]
        if self.span is not None:
            lines += _excerpt(self.span)
        lines += [f"  called from {span.label()}: {_first_line(span.text)}" for span in self.trail[:8]]
        if len(self.trail) > 8:
            lines.append(f"  ... and {len(self.trail) - 8} more calls")
        lines += [f"  loaded by {name}" for name in reversed(self.import_chain)]
        return "\n".join(lines)


class InternalError(Exception):
    """A defect of this library, never the user's fault; please report it."""


def refuse(code: str, message: str, span: Span | None = None) -> NoReturn:
    """Raise a :class:`Refusal`."""
    raise Refusal(code, message, span)


def nearest(name: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` for the closest known name, or an empty string.

    Examples
    --------
    >>> nearest("nromal", ["Normal", "Cauchy"])
    "; did you mean 'Normal'?"
    """
    by_fold = {candidate.casefold(): candidate for candidate in known}
    match = difflib.get_close_matches(name.casefold(), by_fold, n=1, cutoff=0.6)
    return f"; did you mean {by_fold[match[0]]!r}?" if match else ""


def _excerpt(span: Span) -> list[str]:
    number, column = span.source.position(span.start)
    text = span.source.line(number).replace("\t", " ")
    width = max(1, min(span.end - span.start, len(text) - column + 1))
    gutter = f"{number:>5} | "
    return [gutter + text, " " * (len(gutter) + column - 1) + "^" * width]


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= 60 else line[:57] + "..."
