"""Sources and spans: where a piece of FlatPPL text stands."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Source", "Span"]


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A named text.

    Parameters
    ----------
    name : str
        Label shown in messages (a file path or a logical name).
    text : str
        The whole text.
    path : str or None
        Host file that relative paths inside the text resolve against.
    """

    name: str
    text: str
    path: str | None = None

    def position(self, offset: int) -> tuple[int, int]:
        """One-based line and column of a character offset."""
        offset = min(max(offset, 0), len(self.text))
        before = self.text[:offset].replace("\r\n", "\n\0").replace("\r", "\n")
        line = before.count("\n") + 1
        return line, len(before) - (before.rfind("\n") + 1) + 1

    def line(self, number: int) -> str:
        """Text of a one-based line, without its line end."""
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range ``[start, end)`` of character offsets in a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters that the span covers."""
        return self.source.text[self.start : self.end]

    def label(self) -> str:
        """``name:line:column`` of the first character."""
        line, column = self.source.position(self.start)
        return f"{self.source.name}:{line}:{column}"
