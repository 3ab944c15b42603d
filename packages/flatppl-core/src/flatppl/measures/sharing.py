"""Draws that several measures share: which ones laws have absorbed, and kernels that must draw them together."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields
from typing import Any, NoReturn

from flatppl.errors import refuse
from flatppl.graph.nodes import Ref
from flatppl.measures.base import Measure
from flatppl.measures.draws import Draw, random_leaves
from flatppl.measures.given import Given
from flatppl.measures.law import Law, draws_of
from flatppl.values.callables import Closure
from flatppl.values.forms import flatten

__all__ = ["absorbed_by", "shared_laws"]


def absorbed_by(evaluator: Any, measure: Measure) -> Any:
    """Task: the draws that laws inside a measure integrate out or score."""
    found: dict[Draw, None] = {}
    waiting = [measure]
    while waiting:
        measure = waiting.pop()
        if isinstance(measure, Given):
            found.update((yield draws_of(evaluator, measure.base)))
        elif not isinstance(measure, Law):
            waiting += _measures_in(measure)
        elif measure.own is None:
            found.update((yield draws_of(evaluator, measure)))
        else:
            waiting += [draw.measure for draw in measure.own]
    return found


def _measures_in(measure: Measure) -> list[Measure]:
    values = [getattr(measure, field.name) for field in fields(measure)]  # type: ignore[arg-type]
    parts = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return [part for part in parts if isinstance(part, Measure)]


def shared_laws(evaluator: Any, parts: Sequence[Any], given: Mapping[str, Any]) -> Any:
    """Task: the laws of those ``kernelof`` callables that reach common draws behind their boundaries, by callable.

    Refuses callables that share a draw with each other, or with a measure, but bind what it depends on differently.
    """
    groups = _grouped([part for part in parts if isinstance(part, Closure) and part.reify.kind == "kernelof"])
    outside: set[Draw] = set()
    for part in parts:
        if isinstance(part, Measure):
            outside.update((yield draws_of(evaluator, part)), (yield absorbed_by(evaluator, part)))
    laws: dict[Any, Any] = {}
    for group in groups:
        if outside:
            yield _check_apart(evaluator, group, outside)
        if len(group) > 1 and all(isinstance(target.target, Ref) for target in group[0].targets):
            values = yield evaluator.apply_together(group, given)
            for kernel, value in zip(group, values, strict=True):
                laws[kernel] = yield evaluator.base["lawof"].rule(evaluator, (value,), {})
    return laws


def _grouped(kernels: Sequence[Closure]) -> list[list[Closure]]:
    """Kernels of one boundary together; refuses others that share a draw behind it."""
    groups: dict[Any, list[Closure]] = {}
    for kernel in kernels:
        boundary = frozenset((target.name, target.target.name) for target in kernel.targets)
        groups.setdefault((kernel.frame, boundary), []).append(kernel)
    for one, other in itertools.combinations(groups.values(), 2):
        common = _drawn(one) & _drawn(other) if one[0].frame is other[0].frame else ()
        if common:
            _refuse_boundaries(min(common))
    return list(groups.values())


def _check_apart(evaluator: Any, kernels: Sequence[Closure], outside: Set[Draw]) -> Any:
    """Task: refuse kernels that redraw what measures have drawn outside."""
    for name in sorted(_drawn(kernels)):
        value = yield evaluator.binding(name, kernels[0].frame)
        nodes = [] if isinstance(value, (Measure, Closure)) else flatten(value)[1]
        if any(leaf.params["draw"] in outside for leaf in random_leaves(nodes)):
            _refuse_boundaries(name)


def _refuse_boundaries(name: str) -> NoReturn:
    refuse(
        "call",
        f"joint: two components share the draw {name}, but do not bind what it depends on under the same names; give both "
        "the same inputs",
    )


def _drawn(kernels: Sequence[Closure]) -> frozenset[str]:
    """The random bindings behind the boundary of some kernels that depend on it."""
    dependencies = kernels[0].frame.unit.dependencies
    cut = frozenset(target.target.name for target in kernels[0].targets)
    reached = frozenset[str]().union(*(dependencies.reach(kernel.reify.body, cut) for kernel in kernels))
    return frozenset(name for name in reached & dependencies.affected(cut) if dependencies.phase(name) == "stochastic")
