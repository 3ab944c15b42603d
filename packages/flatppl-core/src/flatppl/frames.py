"""Frames: where the nodes of a graph have their values.

An application of a reified callable opens a frame (parent, substitutions, memo). A node's value lives in the
outermost frame that the node does not depend on, so work, draws and closures that do not depend on an
application's arguments are shared by all applications.
"""

from __future__ import annotations

from typing import Any

from flatppl.graph.dependencies import Dependencies, references
from flatppl.graph.nodes import Builtin, Call, Expr, Graph, Reify
from flatppl.tensor.program import Region
from flatppl.values.forms import Value

__all__ = ["Frame", "Unit"]

_LOADS = ("load_module", "standard_module")


class Unit:
    """An instance of a module: its graph, where it was loaded from, and what replaces its inputs.

    Parameters
    ----------
    graph : Graph
    dependencies : Dependencies
    chain : tuple of str
        Labels of the sources that loaded this one, outermost first.
    """

    __slots__ = ("_names", "_references", "chain", "dependencies", "graph")

    def __init__(self, graph: Graph, dependencies: Dependencies, chain: tuple[str, ...] = ()) -> None:
        self.graph = graph
        self.dependencies = dependencies
        self.chain = chain
        self._names = {binding.expr: name for name, binding in graph.bindings.items()}
        self._references: dict[Expr, frozenset[str]] = {}

    def name_of(self, node: Expr) -> str:
        """Name of the binding whose right-hand side is ``node``; its text if there is none."""
        return self._names.get(node, node.span.text)

    def is_module(self, name: str) -> bool:
        """Whether a binding is a module alias."""
        expr = self.graph.bindings[name].expr
        return isinstance(expr, Call) and isinstance(expr.head, Builtin) and expr.head.name in _LOADS

    def public(self) -> list[str]:
        """Names that the module shows."""
        return [name for name in self.graph.bindings if not name.startswith("_") and not self.is_module(name)]

    def references(self, node: Expr) -> frozenset[str]:
        """Bindings that a node mentions (cached)."""
        found = self._references.get(node)
        if found is None:
            found = self._references[node] = references(node)
        return found


class Frame:
    """Values of nodes under a set of simultaneous substitutions.

    Parameters
    ----------
    unit : Unit
    region : Region
        Loop body in which new draws of this frame live.
    parent : Frame, optional
    reify : Reify, optional
        The callable whose application this is.
    parameters : dict, optional
        Values of the callable's placeholders by name.
    cut : dict, optional
        Values that replace bindings.
    """

    __slots__ = ("affected", "cut", "drew", "memo", "parameters", "parent", "region", "reify", "unit")

    def __init__(
        self,
        unit: Unit,
        region: Region,
        parent: Frame | None = None,
        reify: Reify | None = None,
        parameters: dict[str, Value] | None = None,
        cut: dict[str, Value] | None = None,
    ) -> None:
        self.unit = unit
        self.region = region
        self.parent = parent
        self.reify = reify
        self.parameters = parameters or {}
        self.cut = cut or {}
        self.affected = unit.dependencies.affected(frozenset(self.cut)) if self.cut else frozenset()
        self.memo: dict[Expr | str, Any] = {}
        self.drew = False

    def home_of_binding(self, name: str) -> Frame:
        """Outermost frame that the binding's value does not depend on being inside of."""
        frame = self
        while frame.parent is not None and name not in frame.affected:
            frame = frame.parent
        return frame

    def home_of_node(self, node: Expr) -> Frame:
        """The same for a node of the body of this frame's callable."""
        frame = self
        while frame.parent is not None and not frame.depends(node):
            frame = frame.parent
        return frame

    def depends(self, node: Expr) -> bool:
        """Whether the node's value depends on this frame's substitutions."""
        dependencies = self.unit.dependencies
        if self.parameters and dependencies.uses_local(node):
            return True
        return bool(self.affected) and not self.affected.isdisjoint(self.unit.references(node))
