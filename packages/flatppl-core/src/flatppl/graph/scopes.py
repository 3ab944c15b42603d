"""What surrounds an expression: the reifications and the aggregation that it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from flatppl.graph.nodes import Axis, Local

__all__ = ["MODULE", "Aggregation", "Frame"]


@dataclass(frozen=True, slots=True, eq=False)
class Aggregation:
    """An ``aggregate`` or ``metricsum`` whose expression is being resolved; ``uses`` collects its axes."""

    form: str
    uses: list[Axis] = field(default_factory=list)
    inner: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The innermost reification around an expression, or the module.

    Parameters
    ----------
    what : str
        What to call it in messages.
    outer : Frame or None
        The reification around it.
    parameters, placeholders : frozenset of str
        The names that stand for its inputs.
    hidden : frozenset of str
        The parameters of all reifications around it, which it cannot use.
    holes : list of Local or None
        The holes met so far; None where none may stand.
    aggregation : Aggregation or None
        The innermost aggregation inside this reification.
    """

    what: str
    outer: Frame | None = None
    parameters: frozenset[str] = frozenset()
    placeholders: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    holes: list[Local] | None = None
    aggregation: Aggregation | None = None

    def enter(
        self,
        what: str,
        parameters: frozenset[str] = frozenset(),
        placeholders: frozenset[str] = frozenset(),
        holes: list[Local] | None = None,
    ) -> Frame:
        """The frame of a reification in this one."""
        hidden = self.hidden | self.parameters if self.parameters else self.hidden
        return Frame(what, self, parameters, placeholders, hidden, holes)

    def enclosing(self) -> Iterator[Frame]:
        """The reifications around this one, innermost first."""
        frame = self.outer
        while frame is not None:
            yield frame
            frame = frame.outer


MODULE = Frame("the module")
