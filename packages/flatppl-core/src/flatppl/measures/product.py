"""Product measures over arrays: ``iid(M, size)`` and the broadcast of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flatppl.errors import refuse
from flatppl.measures.base import (
    FINITE,
    NORMALIZED,
    NULL,
    UNKNOWN,
    Measure,
    MeasureOperation,
    once,
    require_measure,
)
from flatppl.measures.cells import cell_form
from flatppl.measures.constructor import DistributionMeasure
from flatppl.measures.lift import lifted
from flatppl.tensor.ops import sum_
from flatppl.tensor.program import Node
from flatppl.values.callables import fixed_integers
from flatppl.values.forms import Form, describe, flatten, unflatten
from flatppl.values.product_sets import Power, power_form
from flatppl.values.sets import FiniteSet, IntegerSet, RealSet, Set

__all__ = ["OPERATIONS", "Iid", "KernelProduct", "verify"]


def _cellwise(evaluator: Any, arrays: list[Node], axes: tuple[int, ...], x: Any, density: Callable[..., Any]) -> Any:
    """Sum over cells of ``density(cells of arrays, cell of x)``."""
    form, points = flatten(x)
    one = cell_form(form)

    def body(variables: list[Node]) -> Any:
        cell = unflatten(one, iter(variables[len(arrays) :]))
        return [(yield density(variables[: len(arrays)], cell))]

    (result,) = yield evaluator.map_cells([*arrays, *points], axes, body)
    return sum_(result)


@dataclass(frozen=True, eq=False)
class Iid(Measure):
    """Independent copies of one measure along new axes."""

    base: Measure
    axes: tuple[int, ...]

    @cached_property
    def reference(self) -> Any:
        """Product of the base's."""
        return self.base.reference

    @cached_property
    def mass_class(self) -> str:
        """That of the base."""
        return self.base.mass_class

    @once
    def form(self) -> Form:
        return power_form(self.base.form(), self.axes)

    @once
    def support(self) -> Set | None:
        support = self.base.support()
        return None if support is None else Power(support, self.axes)

    def entries(self, evaluator: Any, indices: Any) -> Any:
        if self.mass_class != NORMALIZED or getattr(self.base.form(), "levels", None) != ():
            return super().entries(evaluator, indices)
        return Iid(self.base, (len(indices),))

    def log_density(self, evaluator: Any, x: Any) -> Any:
        return _cellwise(evaluator, [], self.axes, x, lambda _, cell: evaluator.density(self.base, cell))

    def decay(self, evaluator: Any, x: Any) -> Any:
        return self.base.decay(evaluator, x)

    def sample(self, evaluator: Any, stream: Any) -> Any:
        return _sampled(evaluator, [], self.axes, self.form(), stream, lambda cells: self.base)

    def log_mass(self, evaluator: Any) -> Any:
        mass = yield evaluator.log_mass(self.base)
        return mass * float(_count(self.axes))

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        if not isinstance(region, Power) or region.shape != self.axes:
            refuse("mass", f"the mass of independent copies inside {region.describe()} has no closed-form rule")
        mass = yield evaluator.log_mass_within(self.base, region.base)
        return mass * float(_count(self.axes))


def _sampled(
    evaluator: Any, arrays: list[Node], axes: tuple[int, ...], form: Form, stream: Any, cell: Callable[..., Any]
) -> Any:
    """Task: independent samples of ``cell(cells of arrays)``, one random state per cell."""
    states = evaluator.builder.apply("random_split", stream.next(), axes=axes)

    def body(variables: list[Node]) -> Any:
        measure = yield cell(variables[1:])
        value = yield evaluator.sample(measure, type(stream)(variables[0]))
        return flatten(value)[1]

    nodes = yield evaluator.map_cells([states, *arrays], axes, body)
    return unflatten(form, iter(nodes))


def _count(axes: tuple[int, ...]) -> int:
    count = 1
    for size in axes:
        count *= size
    return count


def verify(
    evaluator: Any, arrays: Sequence[Node], axes: tuple[int, ...], cell: Callable[..., Any], one: Measure
) -> Any:
    """Task: refuse a constructor's parameters that are provably outside their sets in some cell, as for one scalar."""
    if not isinstance(one, DistributionMeasure) or not one.checks:
        return

    def body(variables: list[Node]) -> Any:
        measure = yield cell(variables)
        return [inside | excused for inside, excused, _ in measure.checks]

    flags = yield evaluator.map_cells(list(arrays), axes, body)
    for flag, (_, _, message) in zip(flags, one.checks, strict=True):
        if flag.constant is not None and not flag.constant.all():
            refuse("domain", f"{message}, in some cells")


@dataclass(frozen=True, eq=False)
class KernelProduct(Measure):
    """Independent applications of a kernel, one per cell of its operands.

    Attributes
    ----------
    arrays : tuple of Node
        Operand tensors with the leading ``axes``.
    cell : callable
        ``cell(variables)``: task for the kernel's measure at the cells of ``arrays``.
    axes : tuple of int
    one : Measure
        The measure at a symbolic cell: form, reference and mass class of every cell.
    """

    arrays: tuple[Node, ...]
    cell: Callable[..., Any]
    axes: tuple[int, ...]
    one: Measure

    @cached_property
    def reference(self) -> Any:
        """Product of the cells'."""
        return self.one.reference

    @cached_property
    def mass_class(self) -> str:
        """Normalized if the kernel is."""
        kept = (NORMALIZED, NULL, FINITE)
        return self.one.mass_class if self.one.mass_class in kept else UNKNOWN

    @once
    def form(self) -> Form:
        return power_form(self.one.form(), self.axes)

    @once
    def support(self) -> Set | None:
        support = self.one.support()
        ends = (getattr(support, "lo", None), getattr(support, "hi", None))
        known = isinstance(support, (RealSet, IntegerSet, FiniteSet)) and not any(isinstance(end, Node) for end in ends)
        return Power(support, self.axes) if support is not None and known else None

    def log_density(self, evaluator: Any, x: Any) -> Any:
        def density(variables: list[Node], cell: Any) -> Any:
            measure = yield self.cell(variables)
            return (yield evaluator.density(measure, cell))

        yield verify(evaluator, self.arrays, self.axes, self.cell, self.one)
        return (yield _cellwise(evaluator, list(self.arrays), self.axes, x, density))

    def decay(self, evaluator: Any, x: Any) -> Any:
        """Cell by cell."""
        if (yield self.one.decay(evaluator, evaluator.builder.constant(0))) is None:
            return None

        def body(variables: list[Node]) -> Any:
            measure = yield self.cell(variables[:-1])
            return [(yield measure.decay(evaluator, variables[-1]))]

        (bounds,) = yield evaluator.map_cells([*self.arrays, x], self.axes, body)
        return bounds

    def sample(self, evaluator: Any, stream: Any) -> Any:
        yield verify(evaluator, self.arrays, self.axes, self.cell, self.one)
        return (yield _sampled(evaluator, list(self.arrays), self.axes, self.form(), stream, self.cell))

    def log_mass(self, evaluator: Any) -> Any:
        def body(variables: list[Node]) -> Any:
            measure = yield self.cell(variables)
            return [(yield evaluator.log_mass(measure))]

        (masses,) = yield evaluator.map_cells(list(self.arrays), self.axes, body)
        return sum_(masses)


def _iid(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 2:
        refuse("call", "iid(M, size) takes two positional inputs")
    size = args[1]
    if getattr(size, "kind", None) == "boolean":
        refuse("kind", f"iid: size must be an integer, got a {describe(size)}")
    axes = fixed_integers(size, "iid: size")
    if any(length < 0 for length in axes) or not axes:
        refuse("shape", f"iid: size must be positive, got {list(axes)}")
    return lifted(evaluator, "iid", args[0], lambda measure: Iid(require_measure(measure, "iid"), axes))


OPERATIONS = (MeasureOperation("iid", _iid),)
