"""Laws of parameters: what lies outside a parameter's set is refused or flagged, and NaN stays NaN."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from flatppl.distribution import Distribution, Domain, SimplexVector, SpdMatrix, Vector, check_parameter
from flatppl.errors import Refusal
from flatppl.exam.subject import Array, Subject, show, subjects
from flatppl.tensor.avals import Aval
from flatppl.tensor.checks import take_checks
from flatppl.tensor.evaluate import evaluate_nodes
from flatppl.tensor.guards import guard_parameters
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, close
from flatppl.values.sets import IntegerSet, RealSet

__all__ = ["PARAMETERS"]


def _outsiders(domain: Domain, value: Array) -> Iterator[Array]:
    """Values outside a parameter's set, in the shape of ``value``."""
    if isinstance(domain, Vector):
        yield from (_replaced(value, bad) for bad in _outsiders(domain.entry, value))
    elif isinstance(domain, SimplexVector):
        yield from (2.0 * value, value + 1.0, np.where(np.arange(value.size) == 0, -1.0, value))
    elif isinstance(domain, SpdMatrix):
        yield from (-value, np.zeros_like(value))
    elif isinstance(domain, (RealSet, IntegerSet)):
        found = domain.interval
        yield from (np.asarray(end) for end in (found.lo - 1.0, found.hi + 1.0) if math.isfinite(end))
        if isinstance(domain, RealSet) and domain.lo_open and math.isfinite(found.lo):
            yield np.asarray(found.lo)
        if isinstance(domain, IntegerSet):
            yield np.asarray(found.lo + 0.5)


def _replaced(value: Array, first: Array | float) -> Array:
    """The value with another first entry."""
    return np.where(np.arange(value.size).reshape(value.shape) == 0, first, value)


def check_parameters(row: Distribution) -> Iterator[str]:
    """A parameter outside its set is refused where that is provable, otherwise flagged; NaN is not reported."""
    subject, cases = subjects(row)[0]
    x = np.asarray(cases[0].x, np.float64)
    for index, (name, domain) in enumerate(row.parameters):
        for bad in _outsiders(domain, subject.arrays[index]):
            yield from _refused(subject, index, bad)
            if subject.sized[index]:
                continue
            _, ok, silent = _flagged(subject, x, index, bad)
            if ok or silent:
                yield f"{row.name}: {name} = {show(bad)} outside {domain} is not flagged"
        if not isinstance(domain, IntegerSet):
            value, ok, silent = _flagged(subject, x, index, _replaced(subject.arrays[index], math.nan))
            if not silent or (ok and not math.isnan(value)):
                yield f"{row.name}: {name} = NaN gives {value:g}, expected NaN and no report"


def _refused(subject: Subject, index: int, bad: Array) -> Iterator[str]:
    name, domain = subject.row.parameters[index]
    try:
        check_parameter(subject.row, name, domain, Builder(CORE).constant(bad))
    except Refusal as refusal:
        if refusal.code != "domain":
            yield f"{subject.row.name}: {name} = {show(bad)} is refused as {refusal.code!r}"
    else:
        yield f"{subject.row.name}: {name} = {show(bad)} is provably outside {domain} but not refused"


def _flagged(subject: Subject, x: Array, index: int, value: Array) -> tuple[float, bool, bool]:
    """Value, whether nothing is wrong and whether nothing is reported, with one parameter replaced."""
    builder = Builder(CORE)
    leaves = subject.leaves(builder)
    leaves[index] = builder.variable(Aval("real", value.shape))
    point = builder.variable(Aval("real", x.shape))
    results, flags = take_checks(builder, [_guarded(subject.row, point, leaves)])
    program = close(
        [point, *leaves], results + [node for flag in flags for node in (flag.ok, flag.silent)], builder.root
    )
    arrays = [x, *(value if i == index else a for i, a in enumerate(subject.arrays))]
    inputs = {node.number: array for node, array in zip(program.params, arrays, strict=True)}
    result, *found = evaluate_nodes(program.nodes, program.results, inputs)
    return float(result), bool(np.all(found[0::2])), bool(np.all(found[1::2]))


def _guarded(row: Distribution, x: Node, parameters: Sequence[Node]) -> Node:
    value = row.density(x, parameters)
    for (name, domain), parameter in zip(row.parameters, parameters, strict=True):
        found = check_parameter(row, name, domain, parameter)
        if found is not None:
            value = guard_parameters(value, *found, name)
    return value


PARAMETERS = {"parameters": check_parameters}
