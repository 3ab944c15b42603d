"""Point processes: ``PoissonProcess(intensity)`` and ``BinnedPoissonProcess(bins, intensity)``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flatppl.calls import bind
from flatppl.distribution import Rng
from flatppl.errors import refuse
from flatppl.measures.base import COUNTING, LOCALLY_FINITE, Measure, MeasureOperation, once, require_measure
from flatppl.measures.cells import cell_form
from flatppl.measures.lift import lifted
from flatppl.tensor.ops import convert, cut, exp, is_integral, lgamma, select, sum_, xlogy
from flatppl.tensor.program import Node
from flatppl.values.forms import (
    Form,
    Record,
    RecordForm,
    TableForm,
    Tensor,
    TensorForm,
    array_part,
    describe,
    flatten,
    unflatten,
)
from flatppl.values.product_sets import Power, RecordProduct
from flatppl.values.sets import RealSet, Set

__all__ = ["OPERATIONS", "BinnedPoissonProcess", "PoissonProcess"]


@dataclass(frozen=True, eq=False)
class PoissonProcess(Measure):
    """Points of an intensity measure; the variate is an array or table of any length.

    The log density of x1..xk is ``sum_j log intensity(x_j) - totalmass(intensity)``.
    """

    intensity: Measure

    @cached_property
    def reference(self) -> Any:
        """Direct sum over k of the k-fold product over k!: not the product reference of arrays."""
        return ("configurations", self.intensity.reference)

    @once
    def form(self) -> Form:
        return _any_length(self.intensity.form())

    def log_density(self, evaluator: Any, x: Any) -> Any:
        form, points = flatten(x)
        one = cell_form(form)
        count = points[0].shape[0]

        def body(variables: list[Node]) -> Any:
            return [(yield evaluator.density(self.intensity, unflatten(one, iter(variables))))]

        mass = yield evaluator.log_mass(self.intensity)
        if mass.constant is not None and not math.isfinite(float(mass.constant)):
            refuse("mass", "a Poisson process needs an intensity of finite mass")
        if count == 0:
            return -exp(mass)
        (terms,) = yield evaluator.map_cells(points, (count,), body)
        return sum_(terms) - exp(mass)

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        """Probability of exactly n points, all in one set: a Poisson count times their places."""
        if not isinstance(region, Power) or len(region.shape) != 1:
            refuse("mass", f"the mass of a Poisson process inside {region.describe()} has no closed-form rule")
        (count,) = region.shape
        mass = yield evaluator.log_mass(self.intensity)
        inside = (yield evaluator.log_mass_within(self.intensity, region.base)) if count else 0.0
        return inside * float(count) - exp(mass) - math.lgamma(count + 1)

    def sample(self, evaluator: Any, stream: Any) -> Any:
        refuse(
            "density",
            "a Poisson process has a random number of points, but arrays of a compiled program have fixed lengths; draw "
            "counts from BinnedPoissonProcess(bins, intensity), or n points from iid(normalize(intensity), n)",
        )


def _any_length(form: Form) -> Form:
    """Form of an array or table of cells whose length is open (size -1)."""
    match form:
        case TensorForm(kind, shape, levels, _):
            return TensorForm(kind, (-1, *shape), (1, *levels))
        case RecordForm(items):
            return TableForm(tuple((name, _any_length(part)) for name, part in items), -1)
    refuse("kind", f"a Poisson process needs an intensity over scalars or records, got one over a {describe(form)}")


@dataclass(frozen=True, eq=False)
class BinnedPoissonProcess(Measure):
    """Independent Poisson counts of an intensity in bins.

    Attributes
    ----------
    edges : tuple of (str or None, Node)
        Edges of each axis; the last bin is closed.
    intensity : Measure
    """

    edges: tuple[tuple[str | None, Node], ...]
    intensity: Measure

    @cached_property
    def reference(self) -> str:
        """Counting."""
        return COUNTING

    @once
    def form(self) -> Form:
        shape = tuple(edges.shape[0] - 1 for _, edges in self.edges)
        return TensorForm("integer", shape, (len(shape),))

    def log_density(self, evaluator: Any, x: Any) -> Any:
        masses = yield self._log_masses(evaluator)
        counts = convert(x.node, "real")
        inside = (counts >= 0.0) & is_integral(counts)
        safe = select(inside, counts, 0.0)
        mean = exp(masses)
        return sum_(select(inside, xlogy(safe, mean) - mean - lgamma(safe + 1.0), -math.inf))

    def sample(self, evaluator: Any, stream: Any) -> Any:
        masses = yield self._log_masses(evaluator)
        return Tensor(Rng(stream.next()).poisson(exp(masses)), (len(masses.shape),))

    def _log_masses(self, evaluator: Any) -> Any:
        """Task: log of the intensity's mass in every bin."""
        arrays = []
        shape = array_part(self.form()).shape
        for axis, (_, edges) in enumerate(self.edges):
            for start in (0, 1):
                ends = cut(edges, start, start + shape[axis])
                arrays.append(evaluator.builder.apply("broadcast", ends, shape=shape, dims=(axis,)))
            last = evaluator.builder.constant(np.arange(shape[axis]) < shape[axis] - 1)
            arrays.append(evaluator.builder.apply("broadcast", last, shape=shape, dims=(axis,)))

        def body(variables: list[Node]) -> Any:
            return [(yield evaluator.log_mass_within(self.intensity, self._bin(variables)))]

        (masses,) = yield evaluator.map_cells(arrays, shape, body)
        return masses

    def _bin(self, ends: list[Node]) -> Any:
        sets = [RealSet(lo, hi, hi_open=opened) for lo, hi, opened in zip(*[iter(ends)] * 3, strict=True)]
        names = [name for name, _ in self.edges]
        if names[0] is None:
            return sets[0]
        return RecordProduct(tuple(zip(names, sets, strict=True)))  # type: ignore[arg-type]


def _finite(measure: Any, name: str) -> Measure:
    intensity = require_measure(measure, name)
    if intensity.mass_class == LOCALLY_FINITE:
        refuse("mass", f"{name} needs an intensity of finite mass; truncate it")
    return intensity


def _poisson_process(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    (intensity,) = bind("PoissonProcess", ("intensity",), args, keywords, whole=True)
    return lifted(evaluator, "PoissonProcess", intensity, lambda m: PoissonProcess(_finite(m, "PoissonProcess")))


def _binned(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    bins, intensity = bind("BinnedPoissonProcess", ("bins", "intensity"), args, keywords, whole=True)
    parts = bins.items if isinstance(bins, Record) else ((None, bins),)
    edges = []
    for name, part in parts:
        if not isinstance(part, Tensor) or part.levels != (1,) or part.node.shape[0] < 2:
            refuse("kind", f"BinnedPoissonProcess: edges are a vector of at least two reals, got {describe(part)}")
        edges.append((name, convert(part.node, "real")))

    def build(measure: Any) -> BinnedPoissonProcess:
        return BinnedPoissonProcess(tuple(edges), _finite(measure, "BinnedPoissonProcess"))

    return lifted(evaluator, "BinnedPoissonProcess", intensity, build)


OPERATIONS = (
    MeasureOperation("PoissonProcess", _poisson_process),
    MeasureOperation("BinnedPoissonProcess", _binned),
)
