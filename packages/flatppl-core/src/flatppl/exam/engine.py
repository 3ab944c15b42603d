"""A backend beside NumPy: values, batching, derivatives and precision."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from flatppl.backend import Executable, Signature
from flatppl.distribution import Distribution, SpdMatrix
from flatppl.exam.subject import Array, Subject, compare, kind_of, show, subjects
from flatppl.tensor.avals import Aval
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, close
from flatppl.values.forms import TensorForm
from flatppl.values.sets import IntegerSet, RealSet

__all__ = ["ENGINE_CHECKS", "Engine"]

Function = Callable[..., Any]

#: Relative and absolute tolerance against NumPy at the same, rounded inputs.
TOLERANCES = {"float64": (1e-9, 1e-11), "float32": (3e-5, 3e-5)}


class Engine(Protocol):
    """A backend and its library's transformations."""

    def precision(self, dtype: str) -> AbstractContextManager[Any]:
        """Where functions of this precision (``float64`` or ``float32``) are compiled and called."""

    def compile(self, executable: Executable, dtype: str) -> Function:
        """A function of the program's inputs, in order."""

    def jit(self, function: Function) -> Function:
        """The function, compiled."""

    def vmap(self, function: Function, batched: tuple[bool, ...]) -> Function:
        """The function over a leading axis of the batched inputs."""

    def grad(self, function: Function, inputs: tuple[int, ...]) -> Function:
        """Reverse-mode derivatives with respect to some inputs, as a tuple."""


def _executable(subject: Subject, x: Any) -> Executable:
    """The log density, unchecked, as a query of x and the parameters."""
    builder = Builder(CORE)
    point = builder.variable(Aval("real", np.shape(x)))
    leaves = [point, *subject.leaves(builder)]
    forms = [TensorForm(leaf.kind, leaf.shape, (len(leaf.shape),) if leaf.shape else ()) for leaf in leaves]
    result = builder.lift(subject.row.density(point, leaves[1:]))
    names = ["x", *(name for name, _ in subject.row.parameters)]
    signature = Signature(tuple(zip(names, forms, strict=True)), ((None, TensorForm("real")),), False)
    return Executable(close(leaves, [result], builder.root), signature, ())


def _rounded(x: Any, dtype: str) -> Array:
    """Reals of a precision; integers as 32-bit."""
    x = np.asarray(x)
    with np.errstate(over="ignore"):
        return x.astype(np.int32 if x.dtype.kind == "i" else dtype)


def _precise(subject: Subject, dtype: str) -> Subject:
    """The subject at its parameters as the precision holds them."""
    return Subject(subject.row, tuple(_rounded(a, dtype) for a in subject.arrays))


def _agree(subject: Subject, what: str, points: Array, got: Any, dtype: str) -> Iterator[str]:
    """Values against NumPy's; what the precision cannot hold may overflow."""
    expected = subject.log_density(points)
    expected[abs(expected) > np.finfo(dtype).max] = -math.inf
    yield from compare(subject, f"{what} ({dtype})", points, got, expected, *TOLERANCES[dtype])


def check_values(row: Distribution, engine: Engine, dtype: str) -> Iterator[str]:
    """A plain call, a compiled call and a batched call equal NumPy, on and off the support and at its edges."""
    with engine.precision(dtype):
        for subject, cases in subjects(row):
            precise = _precise(subject, dtype)
            function = engine.compile(_executable(subject, cases[0].x), dtype)
            points = _rounded(subject.battery(cases[0].x), dtype)
            x = _rounded([case.x for case in cases], dtype)
            for what, call in (("plain", function), ("compiled", engine.jit(function))):
                got = [call(point, *precise.parameters) for point in x]
                yield from _agree(precise, f"{what} value", x, got, dtype)
            batched = engine.jit(engine.vmap(function, (True, *(False for _ in row.parameters))))
            yield from _agree(precise, "batched value", points, batched(points, *precise.parameters), dtype)


def check_gradients(row: Distribution, engine: Engine, dtype: str) -> Iterator[str]:
    """Reverse-mode derivatives are finite wherever the log density is, and off the support; inside, they are right."""
    inputs = (0, *(i + 1 for i, (_, domain) in enumerate(row.parameters) if kind_of(domain) == "real"))
    flags = (True, *(False for _ in row.parameters))
    with engine.precision(dtype):
        for subject, cases in subjects(row):
            precise = _precise(subject, dtype)
            function = engine.compile(_executable(subject, cases[0].x), dtype)
            gradient = engine.jit(engine.vmap(engine.grad(function, inputs), flags))
            points = _rounded(subject.battery(cases[0].x), dtype)
            inner = _rounded([case.x for case in cases] if points.ndim > 1 or row.discrete else subject.knots(cases[0].x), dtype)
            found = gradient(points, *precise.parameters)
            yield from _finite(precise, points, [np.asarray(part) for part in found])
            if dtype == "float64":
                found = gradient(inner, *precise.parameters)
                for index, part in zip(inputs, found, strict=True):
                    yield from _differences(precise, index, inner, np.asarray(part))


def _finite(subject: Subject, points: Array, gradients: list[Array]) -> Iterator[str]:
    values = subject.log_density(points)
    for index, (x, value) in enumerate(zip(points, values, strict=True)):
        off = not subject.member(x)
        edge = np.ndim(x) == 0 and x in subject.ends
        for position, gradient in enumerate(gradients):
            relevant = off or (math.isfinite(value) and abs(value) < 1e30 and not (edge and position))
            if relevant and not np.isfinite(gradient[index]).all():
                where = "off the support" if off else "on the support"
                yield f"{subject} at x = {show(x)} ({where}): derivative {position} is {gradient[index]} ({x.dtype})"


def _differences(subject: Subject, index: int, points: Array, gradients: Array) -> Iterator[str]:
    """Derivatives against central differences of the NumPy evaluation, entry by entry."""
    arrays = [points, *subject.arrays]
    symmetric = index > 0 and isinstance(subject.row.parameters[index - 1][1], SpdMatrix)
    shape = arrays[index].shape[1:] if index == 0 else arrays[index].shape
    for entry in np.ndindex(*shape):
        direction = np.zeros(shape)
        direction[entry] = 1.0
        if symmetric:
            direction = np.maximum(direction, direction.T)
        got = (gradients * direction).reshape(len(points), -1).sum(1)
        for x, derivative, (expected, error) in zip(points, got, _slopes(subject, index, points, direction), strict=True):
            if math.isfinite(expected) and not abs(derivative - expected) <= error + 1e-6 * abs(expected):
                yield f"{subject} at x = {show(x)}: derivative {index} is {derivative:.10g}, expected {expected:.10g}"


def _slopes(subject: Subject, index: int, points: Array, direction: Array) -> Iterator[tuple[float, float]]:
    """Derivative along a direction at every point, by fourth-order differences, and its rounding error."""
    for x in points:
        base = x if index == 0 else subject.arrays[index - 1]
        sizes = abs(base * direction)
        step = 1e-3 * (sizes.max() or 1.0)
        if subject.row.discrete and index == 0:
            yield math.nan, 0.0
            continue
        values = []
        for multiple in (-2.0, -1.0, 1.0, 2.0):
            moved = base + multiple * step * direction
            at = moved if index == 0 else x
            parameters = [moved if i + 1 == index else a for i, a in enumerate(subject.arrays)]
            values.append(float(Subject(subject.row, tuple(parameters)).log_density([at])[0]))
        slope = (values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * step)
        yield slope, 1e-14 * (1.0 + max(map(abs, values))) / step


def check_precision(row: Distribution, engine: Engine, dtype: str) -> Iterator[str]:
    """Parameters from 1e-6 to 1e6, at points where the mass lies."""
    if not all(isinstance(domain, (RealSet, IntegerSet)) for _, domain in row.parameters):
        return
    with engine.precision(dtype):
        function = None
        for parameters in itertools.product(*(_range(domain) for _, domain in row.parameters)):
            subject = Subject(row, tuple(_rounded(p, dtype) for p in parameters))
            x = _rounded(_typical(subject), dtype)
            x = x[[subject.member(point) for point in x]]
            if function is None:
                function = engine.jit(engine.vmap(engine.compile(_executable(subject, 0.0), dtype), (True, *(False for _ in parameters))))
            if len(x):
                yield from _agree(subject, "value", x, function(x, *subject.parameters), dtype)


def _range(domain: RealSet | IntegerSet) -> list[Any]:
    if isinstance(domain, IntegerSet):
        return [n for n in (1, 30, 1000, 1_000_000) if domain.interval.contains(n)]
    sizes = (-1e6, 0.0, 1e-6, 1e-3, 0.3, 1.0, 30.0, 1e3, 1e6)
    return [size for size in sizes if domain.interval.contains(size)]


def _typical(subject: Subject) -> Array:
    levels = np.array([0.05, 0.5, 0.95])
    return subject.draws(3) if subject.row.quantile is None else subject.over(subject.row.quantile, levels)


ENGINE_CHECKS = {"values": check_values, "gradients": check_gradients, "precision": check_precision}
