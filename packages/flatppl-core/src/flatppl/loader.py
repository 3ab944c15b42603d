"""Find and resolve the modules that ``load_module`` names: registered names and relative files."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from flatppl.errors import CompilationError, nearest, refuse
from flatppl.frames import Unit
from flatppl.graph.dependencies import Dependencies
from flatppl.graph.resolve import parse_and_resolve
from flatppl.spans import Source

__all__ = ["Loader"]

#: Modules that load modules deeper than this are refused.
NESTING_LIMIT = 64


class Loader:
    """Resolved modules by registered name and by file; append-only.

    Parameters
    ----------
    base_names : collection of str
        Every name of the built-in namespace.
    note : str
        Text for the end of an "unknown name" error: plugins that were left out.
    """

    def __init__(self, base_names: Collection[str], note: str) -> None:
        self._base_names = base_names
        self._note = note
        self._named: dict[str, Unit] = {}
        self._files: dict[str, Unit] = {}

    @property
    def named(self) -> Mapping[str, Unit]:
        """Registered modules."""
        return self._named

    def register(self, name: str, unit: Unit) -> None:
        """Make a module loadable by name."""
        self._named[name] = unit

    def unit(self, source: Source, chain: tuple[str, ...] = ()) -> Unit:
        """Resolved module of a source text that the sources of ``chain`` load."""
        try:
            graph = parse_and_resolve(source, self._base_names)
        except CompilationError as error:
            message = error.message + (self._note if error.code == "name" else "")
            raise CompilationError(error.code, message, error.span, import_chain=chain, trail=error.trail) from None
        return Unit(graph, Dependencies(graph), chain)

    def find(self, location: str, unit: Unit) -> Unit:
        """The module that ``load_module(location)`` of a unit means."""
        source = unit.graph.source
        chain = (*unit.chain, source.name)
        if len(chain) > NESTING_LIMIT:
            refuse("module", f"modules load each other deeper than {NESTING_LIMIT}, or in a circle")
        named = self._named.get(_relative(source.name, location)) or self._named.get(location)
        if named is not None:
            return Unit(named.graph, named.dependencies, chain)
        if source.path is None and not os.path.isabs(location):
            known = ", ".join(sorted(self._named)) or "none"
            refuse("module", f"no module {location!r} is registered, only: {known}{nearest(location, self._named)}")
        folder = os.path.dirname(source.path) if source.path else ""
        return self.file(os.path.join(folder, location), (*chain[:-1], source.path or source.name))

    def file(self, path: str, chain: tuple[str, ...] = ()) -> Unit:
        """The module of a file, or of a directory's ``main.flatppl``."""
        target = os.path.realpath(os.path.join(path, "main.flatppl") if os.path.isdir(path) else path)
        if target in chain:
            refuse("module", f"{os.path.basename(target)} loads itself: {' -> '.join((*chain, target))}")
        if target not in self._files:
            self._files[target] = self.unit(Source(target, _text(path, target), target), chain)
        found = self._files[target]
        return Unit(found.graph, found.dependencies, chain)


def _text(path: str, target: str) -> str:
    try:
        return Path(target).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
    refuse("module", f"cannot read {path!r}: {reason}")


def _relative(importer: str, location: str) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(importer), location)).replace(os.sep, "/")
