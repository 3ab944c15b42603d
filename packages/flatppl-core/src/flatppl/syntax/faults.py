"""A refusal inside one source, before its place is a span."""

from __future__ import annotations

from flatppl.errors import CompilationError
from flatppl.spans import Source, Span

__all__ = ["Fault"]


class Fault(Exception):
    """The characters ``[start, end)`` are refused.

    Parameters
    ----------
    code : str
        A key of :data:`flatppl.errors.CODES`.
    message : str
        What is wrong, and the nearest thing that works.
    start, end : int
        Character offsets.
    """

    def __init__(self, code: str, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.start = start
        self.end = end

    def located(self, source: Source) -> CompilationError:
        """The error that the user sees."""
        return CompilationError(self.code, self.message, Span(source, self.start, self.end))
