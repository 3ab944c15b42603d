"""A row at fixed parameters, evaluated by NumPy; what the checks share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flatppl.distribution import Case, Distribution, Domain, Rng
from flatppl.tensor.avals import Aval
from flatppl.tensor.evaluate import evaluate_nodes
from flatppl.tensor.mapping import cells, finish_map
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, Region, ancestors
from flatppl.values.sets import IntegerSet

__all__ = ["LEVELS", "Array", "Subject", "compare", "fold", "kind_of", "show", "subjects"]

Array = NDArray[Any]

#: Probabilities of the points at which laws are checked.
LEVELS = np.array([1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])


def kind_of(domain: Domain) -> str:
    """Kind of a parameter."""
    return "integer" if isinstance(domain, IntegerSet) else "real"


def fold(node: Node) -> Array:
    """Value of a node without variables."""
    return np.asarray(evaluate_nodes(ancestors([node]), [node], {})[0])


@dataclass(frozen=True)
class Subject:
    """A row at fixed parameters."""

    row: Distribution
    parameters: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.row.name}({', '.join(show(x) for x in self.parameters)})"

    @cached_property
    def arrays(self) -> tuple[Array, ...]:
        """The parameters as arrays."""
        dtypes = {"integer": np.int64, "real": np.float64}
        domains = [domain for _, domain in self.row.parameters]
        return tuple(np.asarray(p, dtypes[kind_of(d)]) for p, d in zip(self.parameters, domains, strict=True))

    @cached_property
    def support(self) -> Any:
        """The support."""
        builder = Builder(CORE)
        return self.row.support_of([builder.constant(x) for x in self.arrays])

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Least and greatest point of a scalar support."""
        return self.support.interval.lo, self.support.interval.hi

    def member(self, x: Any) -> bool:
        """Whether x is a finite point of the support; a periodic law has any."""
        if self.row.periodic:
            return bool(np.isfinite(x))
        builder = Builder(CORE)
        support = self.row.support_of([builder.constant(p) for p in self.arrays])
        return bool(fold(support.contains(builder.constant(x)))) and bool(np.isfinite(x).all())

    @cached_property
    def sized(self) -> tuple[bool, ...]:
        """Which parameters are sizes: fixed whole numbers that a variate's shape may depend on."""
        vector = self.row.variate is not None
        return tuple(vector and isinstance(domain, IntegerSet) for _, domain in self.row.parameters)

    @cached_property
    def inputs(self) -> tuple[Array, ...]:
        """The parameters that are no sizes."""
        return tuple(x for x, size in zip(self.arrays, self.sized, strict=True) if not size)

    def leaves(self, builder: Builder) -> list[Node]:
        """A variable per parameter, a constant for a size."""
        return [
            builder.constant(x)
            if size
            else builder.variable(Aval("integer" if x.dtype.kind == "i" else "real", x.shape))
            for x, size in zip(self.arrays, self.sized, strict=True)
        ]

    def over(self, function: Callable[..., Any], *points: Any) -> Array:
        """``function(x, ..., *parameters)`` along the first axis of the points."""
        columns = [np.asarray(part, np.float64) for part in points]
        builder = Builder(CORE)
        inputs, leaves = [builder.variable(Aval("real", part.shape)) for part in columns], self.leaves(builder)
        region, axes = Region(builder.root), columns[0].shape[:1]
        variables = cells(builder, inputs, axes, region)
        result = builder.lift(function(*variables, *leaves))
        (whole,) = finish_map(builder, inputs, axes, region, variables, [result])
        values = {node.number: x for node, x in zip((*inputs, *leaves), (*columns, *self.arrays), strict=True)}
        return np.asarray(evaluate_nodes(ancestors([whole]), [whole], values)[0], np.float64)

    def log_density(self, points: Any) -> Array:
        """Log density at every point, also off the support."""
        return self.over(lambda x, *parameters: self.row.density(x, parameters), points)

    def cdf(self, points: Any) -> Array:
        """Distribution function at every point."""
        assert self.row.cdf is not None
        return self.over(self.row.cdf, points)

    def draws(self, count: int) -> Array:
        """Independent draws from a fixed seed."""
        builder = Builder(CORE)
        state, leaves = builder.variable(Aval("rngstate")), self.leaves(builder)
        rng, quantile = Rng(state), self.row.quantile
        sample = self.row.sample or (lambda rng, *parameters: quantile(rng.uniform(), *parameters))  # type: ignore[misc]
        result = builder.lift(sample(rng, *leaves))
        order = ancestors([result])
        values = {leaf.number: x for leaf, x in zip(leaves, self.arrays, strict=True)}
        return np.array(
            [evaluate_nodes(order, [result], {state.number: (20, i), **values})[0] for i in range(count)], np.float64
        )

    @property
    def sampled(self) -> bool:
        """Whether the row has a sampler."""
        return self.row.sample is not None or self.row.quantile is not None

    def knots(self, x: Any) -> Array:
        """Increasing points inside a scalar support between which most of the mass lies; x helps without a cdf."""
        if self.row.quantile is not None:
            inner = self.over(self.row.quantile, LEVELS)
        elif self.row.cdf is not None:
            inner = self._search(float(x))
        else:
            inner = float(x) + np.array([-1.0, 0.0, 1.0]) * max(1.0, abs(float(x)))
        lo, hi = self.ends
        return np.unique(inner[(inner > lo) & (inner < hi) & np.isfinite(inner)])

    def _search(self, start: float) -> Array:
        """Quantiles by bisection."""
        lo, hi = self.ends
        low = np.full(len(LEVELS), max(lo, start - 1e8) - 1.0)
        high = np.full(len(LEVELS), min(hi, start + 1e8))
        for _ in range(80):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < LEVELS
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.round(high) if self.row.discrete else high

    def battery(self, x: Any) -> Array:
        """Points on, next to and off the edges, and far away; infinities for scalars. x is any point of the support."""
        x = np.asarray(x, np.float64)
        if x.ndim:
            ends = (-1.0, 0.0, 0.7, 2.3)
            first = np.arange(x.size).reshape(x.shape) == 0
            return np.array(
                [x, 2.0 * x, x + 1.0, -x, *(np.where(first, e, x) for e in ends), *(0.0 * x + e for e in ends[:2])]
            )
        edges = [end for end in (*self.ends, float(x)) if math.isfinite(end)]
        beside = [np.nextafter(end, far) for end in edges for far in (-math.inf, math.inf)]
        shifted = [end + step for end in edges for step in (-1.0, -0.5, -1e-3, 1e-3, 0.5, 1.0)]
        far = [sign * size for sign in (-1.0, 1.0) for size in (1e3, 1e9, 1e30, 1e300, math.inf)]
        return np.array(
            [*edges, *beside, *shifted] if self.row.periodic else [0.0, 1.0, *edges, *beside, *shifted, *far]
        )


def subjects(row: Distribution) -> list[tuple[Subject, list[Case]]]:
    """The parameters of the truth, each with its cases."""
    found: dict[str, tuple[Subject, list[Case]]] = {}
    for case in row.truth:
        found.setdefault(repr(case.parameters), (Subject(row, case.parameters), []))[1].append(case)
    return list(found.values())


def show(x: Any) -> str:
    """A number or array in few digits."""
    return f"{x:.10g}" if np.ndim(x) == 0 else f"[{', '.join(map(show, np.asarray(x)))}]"


def compare(
    subject: Subject, what: str, points: Any, got: Any, expected: Any, rtol: float = 1e-9, atol: float = 1e-12
) -> Iterator[str]:
    """A sentence for every entry that differs; equal infinities agree, NaN agrees with nothing."""
    for x, a, b in zip(points, np.asarray(got, float), np.asarray(expected, float), strict=True):
        if not (a == b or abs(a - b) <= atol + rtol * abs(b)):
            yield f"{subject} at x = {show(x)}: {what} is {a:.17g}, expected {b:.17g}"
