"""Module values: loaded FlatPPL modules and standard modules of plugins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flatppl.errors import nearest, refuse
from flatppl.frames import Frame
from flatppl.values.forms import Value

__all__ = ["LoadedModule", "StandardModuleValue"]


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModule(Value):
    """An instance of a FlatPPL module: a root frame of its own."""

    frame: Frame

    def member(self, evaluator: Any, name: str) -> Any:
        """Value of a public binding, or a task for it; refuses what a module does not show."""
        unit = self.frame.unit
        binding = unit.graph.bindings.get(name)
        if binding is None or unit.is_module(name):
            refuse("module", f"{unit.graph.source.name} has no binding {name!r}{nearest(name, unit.public())}")
        if name.startswith("_"):
            refuse("module", f"{name!r} is private to {unit.graph.source.name}")
        if name not in self.frame.cut and unit.dependencies.phase(name) == "stochastic":
            refuse("module", f"{name!r} is a random quantity of {unit.graph.source.name}; export lawof({name}) instead")
        return evaluator.binding(name, self.frame)

    def describe(self) -> str:
        """Name for messages."""
        return f"module {self.frame.unit.graph.source.name}"


@dataclass(frozen=True, slots=True, eq=False)
class StandardModuleValue(Value):
    """A standard module of a plugin."""

    name: str
    members: Mapping[str, Any]

    def member(self, evaluator: Any, name: str) -> Any:
        """A member; refuses unknown names."""
        if name not in self.members:
            refuse("module", f"standard module {self.name!r} has no member {name!r}{nearest(name, self.members)}")
        return self.members[name]

    def describe(self) -> str:
        """Name for messages."""
        return f"standard module {self.name}"
