"""What depends on what in a module graph: reached bindings, affected bindings, inputs found by tracing, phases.

A reification with boundaries at bindings hides what lies only behind them, and one without inputs hides the
``elementof`` leaves, which became its inputs. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import lru_cache

from flatppl.graph.nodes import Builtin, Call, Expr, Graph, Local, Member, Reify
from flatppl.graph.regions import Region, children, region_of

__all__ = ["Dependencies", "references"]

_Key = tuple[str, frozenset[str]]
_NOTHING: frozenset[str] = frozenset()
_LOADS = frozenset({"load_module", "standard_module"})


def references(expr: Expr) -> frozenset[str]:
    """The bindings that an expression itself mentions, less those that are inputs where they are mentioned.

    The alias of a :class:`Member` counts as mentioned.
    """
    found: set[str] = set()
    pending = [(region_of(expr), _NOTHING)]
    while pending:
        region, stop = pending.pop()
        found |= region.refs - stop
        pending += [(inner, stop | (inner.cut or _NOTHING)) for inner in region.inner]
    return frozenset(found)


class Dependencies:
    """Questions about one graph; the answers are cached.

    Parameters
    ----------
    graph : Graph
        A graph without circles.
    member_phase : callable, optional
        The phase of a member of another module. By default a member is as parameterized as what its module was
        loaded with.
    """

    def __init__(self, graph: Graph, member_phase: Callable[[Member], str] | None = None) -> None:
        self.graph = graph
        self.leaves = frozenset(name for name, item in graph.bindings.items() if _calls(item.expr, ("elementof",)))
        self._aliases = frozenset(name for name, item in graph.bindings.items() if _calls(item.expr, _LOADS))
        self._regions: dict[str, Region] = {}
        self._affected: dict[frozenset[str], frozenset[str]] = {}
        self._users: dict[str, list[str]] | None = None
        self._local: dict[Expr, bool] = {}
        self._reach = lru_cache(maxsize=64)(self._trace)
        skip = self._aliases if member_phase is not None else _NOTHING
        phase_of = member_phase or (lambda member: "fixed")
        self._parameterized = _Query(
            self, lambda region, _: region.leaf or any(phase_of(m) != "fixed" for m in region.members), skip=skip
        )
        self._stochastic = _Query(self, lambda region, _: region.draws, absorbed=False, skip=skip)

    def region(self, name: str) -> Region:
        """The region of a binding's right-hand side."""
        region = self._regions.get(name)
        if region is None:
            binding = self.graph.bindings.get(name)
            region = self._regions[name] = region_of(binding.expr) if binding is not None else Region()
        return region

    def hidden(self, region: Region) -> frozenset[str]:
        """The bindings that are inputs inside a region."""
        return self.leaves if region.cut is None else region.cut

    def reach(self, start: Expr | str, stop: frozenset[str] = _NOTHING) -> frozenset[str]:
        """All bindings that an expression, or a reference to a name, needs.

        Parameters
        ----------
        start : Expr or str
            A name is a reference to it: the name itself is part of the answer.
        stop : frozenset of str
            Bindings that are neither listed nor passed through.
        """
        return self._reach(start, stop)

    def affected(self, boundary: frozenset[str]) -> frozenset[str]:
        """The names of a boundary and all bindings whose values depend on any of them."""
        found = self._affected.get(boundary)
        if found is None:
            candidates = self._descendants(boundary)
            query = _Query(self, lambda region, stop: not boundary.isdisjoint(region.refs - stop), only=candidates)
            hits = {name for name in candidates - boundary if query.name(name)}
            found = self._affected[boundary] = frozenset(hits | boundary)
        return found

    def auto_inputs(self, expr: Expr) -> tuple[str, ...]:
        """Sorted names of the ``elementof`` leaves that an expression reaches: the inputs of ``functionof(expr)``.

        For a :class:`Reify` without inputs, those of its body.
        """
        body = expr.body if isinstance(expr, Reify) and expr.inputs is None else expr
        return tuple(sorted(self.reach(body) & self.leaves))

    def phase(self, name: str) -> str:
        """``"fixed"``, ``"parameterized"`` or ``"stochastic"`` (language.md 6)."""
        if name in self._aliases:
            return "fixed"
        if self._stochastic.name(name):
            return "stochastic"
        return "parameterized" if self._parameterized.name(name) else "fixed"

    def uses_local(self, expr: Expr) -> bool:
        """Whether an expression inside a reification depends on inputs of that reification that are no bindings."""
        known = self._local
        stack = [expr]
        while stack:
            node = stack[-1]
            operands = () if node in known or isinstance(node, Reify) else tuple(children(node))
            missing = [operand for operand in operands if operand not in known]
            if missing:
                stack += missing
                continue
            stack.pop()
            if node not in known:
                known[node] = isinstance(node, Local) or any(known[operand] for operand in operands)
        return known[expr]

    def _trace(self, start: Expr | str, stop: frozenset[str]) -> frozenset[str]:
        region = Region(refs={start}) if isinstance(start, str) else region_of(start)
        pending = [(region, stop)]
        seen: set[_Key] = set()
        while pending:
            region, stop = pending.pop()
            fresh = [(name, stop) for name in region.refs - stop if (name, stop) not in seen]
            seen.update(fresh)
            pending += [(self.region(name), stop) for name, stop in fresh]
            pending += [(inner, stop | self.hidden(inner)) for inner in region.inner]
        return frozenset(name for name, _ in seen)

    def _descendants(self, names: Iterable[str]) -> frozenset[str]:
        """All bindings that mention a name, however indirectly and behind whatever boundary."""
        if self._users is None:
            self._users = {}
            for name in self.graph.bindings:
                for used in _mentioned(self.region(name)):
                    self._users.setdefault(used, []).append(name)
        found = set(names)
        pending = list(found)
        while pending:
            users = [user for user in self._users.get(pending.pop(), ()) if user not in found]
            found.update(users)
            pending += users
        return frozenset(found)


class _Query:
    """Whether a region that passes a test is reached from a binding; linear over all questions.

    Parameters
    ----------
    dependencies : Dependencies
        Whose graph it is.
    test : callable
        Of a region and the bindings that are inputs there.
    absorbed : bool
        Whether to look inside ``lawof`` and ``kernelof``.
    only : frozenset of str, optional
        Bindings outside of which nothing passes.
    skip : frozenset of str
        Bindings not to look into.
    """

    def __init__(
        self,
        dependencies: Dependencies,
        test: Callable[[Region, frozenset[str]], bool],
        *,
        absorbed: bool = True,
        only: frozenset[str] | None = None,
        skip: frozenset[str] = _NOTHING,
    ) -> None:
        self.dependencies = dependencies
        self.test = test
        self.absorbed = absorbed
        self.only = only
        self.skip = skip
        self.known: dict[_Key, bool] = {}

    def name(self, name: str) -> bool:
        """The answer for a binding."""
        start = (name, _NOTHING)
        stack = [start]
        while stack:
            key = stack[-1]
            if key in self.known:
                stack.pop()
                continue
            answer, missing = self.look(key)
            if missing:
                stack += missing
            else:
                self.known[key] = answer
        return self.known[start]

    def look(self, key: _Key) -> tuple[bool, list[_Key]]:
        """The answer for a binding, or the bindings whose answers it waits for."""
        missing: list[_Key] = []
        pending = [(self.dependencies.region(key[0]), key[1])]
        while pending:
            region, stop = pending.pop()
            if self.test(region, stop):
                return True, []
            names = region.refs - stop - self.skip
            keys = [(name, stop) for name in (names if self.only is None else names & self.only)]
            if any(self.known.get(key) for key in keys):
                return True, []
            missing += [key for key in keys if key not in self.known]
            inner = [region for region in region.inner if self.absorbed or not region.absorbs]
            pending += [(region, stop | self.dependencies.hidden(region)) for region in inner]
        return False, missing


def _mentioned(region: Region) -> set[str]:
    """All names in a region, behind boundaries too."""
    found: set[str] = set()
    pending = [region]
    while pending:
        region = pending.pop()
        found |= region.refs
        pending += region.inner
    return found


def _calls(expr: Expr, names: Container[str]) -> bool:
    return isinstance(expr, Call) and isinstance(expr.head, Builtin) and expr.head.name in names
