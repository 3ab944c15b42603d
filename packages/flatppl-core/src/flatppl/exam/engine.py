"""A backend beside NumPy: values, batching, derivatives and precision."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from flatppl.backend import Executable, Signature
from flatppl.distribution import Case, Distribution, SpdMatrix
from flatppl.exam.subject import Array, Subject, compare, kind_of, show, subjects
from flatppl.tensor.avals import Aval
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, close
from flatppl.values.forms import TensorForm
from flatppl.values.sets import IntegerSet, RealSet

__all__ = ["COMPARISONS", "TOLERANCES", "Compiled", "Engine", "Function", "precise", "rounded", "rounding"]

Function = Callable[..., Any]

#: Relative and absolute tolerance against NumPy at the same, rounded inputs.
TOLERANCES = {"float64": (1e-9, 1e-11), "float32": (3e-5, 3e-5)}

#: Derivatives are not asked for beyond this size.
FAR = 1e12

#: Parameter values of the precision check.
SIZES = (-1e6, -30.0, 0.0, 1e-6, 0.3, 1.0, 30.0, 1e6)


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


def _executable(subject: Subject, x: Any, rule: Function | None = None) -> Executable:
    """The log density or ``rule(x, *parameters)``, unchecked, as a query of x and the parameters."""
    builder = Builder(CORE)
    point = builder.variable(Aval("real", np.shape(x)))
    parameters = subject.leaves(builder)
    names, leaves = ["point"], [point]
    for (name, _), leaf, size in zip(subject.row.parameters, parameters, subject.sized, strict=True):
        if not size:
            names.append(name)
            leaves.append(leaf)
    forms = [TensorForm(leaf.kind, leaf.shape, (len(leaf.shape),) if leaf.shape else ()) for leaf in leaves]
    result = rule(point, *parameters) if rule is not None else subject.row.density(point, parameters)
    signature = Signature(tuple(zip(names, forms, strict=True)), ((None, TensorForm("real")),), False)
    return Executable(close(leaves, [builder.convert(builder.lift(result), "real")], builder.root), signature, ())


def rounded(x: Any, dtype: str) -> Array:
    """Numbers as a precision holds them."""
    x = np.asarray(x)
    with np.errstate(over="ignore"):
        return x.astype(dtype.replace("float", "int") if x.dtype.kind == "i" else dtype)


def precise(subject: Subject, dtype: str) -> Subject:
    """The subject at its parameters as the precision holds them."""
    return Subject(subject.row, tuple(rounded(a, dtype) for a in subject.arrays))


def _battery(subject: Subject, x: Any, dtype: str, far: float = 0.0) -> Array:
    """The battery as the precision holds it, without sizes so small (or beyond ``far``) that products underflow."""
    points, tiny = rounded(subject.battery(x), dtype), np.finfo(dtype).tiny ** 0.75
    points = np.where((points != 0.0) & (abs(points) < tiny), np.copysign(tiny, points), points)
    return np.where(abs(points) > far, np.asarray(x, dtype), points) if far else points


def _oracle(subject: Subject, points: Array, dtype: str) -> Array:
    """NumPy's values; what the precision cannot hold overflows."""
    expected = subject.log_density(points)
    return np.where(abs(expected) > np.finfo(dtype).max, np.copysign(math.inf, expected), expected)


def _agree(subject: Subject, what: str, points: Array, got: Any, dtype: str) -> Iterator[str]:
    yield from compare(subject, f"{what} ({dtype})", points, got, _oracle(subject, points, dtype), *TOLERANCES[dtype])


def check_values(row: Distribution, engine: Engine, dtype: str) -> Iterator[str]:
    """A plain call and a compiled call on a batch equal NumPy, on and off the support and at its edges."""
    with engine.precision(dtype):
        compiled = Compiled(engine, dtype)
        for subject, cases in subjects(row):
            exact = precise(subject, dtype)
            plain, batched, _ = compiled.functions(subject, cases[0].x)
            x = rounded([case.x for case in cases], dtype)
            yield from _agree(exact, "plain value", x, [plain(point, *exact.inputs) for point in x], dtype)
            points = _battery(subject, cases[0].x, dtype)
            yield from _agree(exact, "batched value", points, batched(points, *exact.inputs), dtype)


class Compiled:
    """The functions of a row, one set per shape of x and the parameters."""

    def __init__(self, engine: Engine, dtype: str) -> None:
        self._engine, self._dtype = engine, dtype
        self._known: dict[Any, tuple[Function, Function, Function]] = {}
        self._rules: dict[Any, Function] = {}

    def functions(self, subject: Subject, x: Any) -> tuple[Function, Function, Function]:
        """The log density; the same over a leading axis of x, compiled; and its derivatives over that axis."""
        key = (np.shape(x), *self._key(subject))
        if key not in self._known:
            plain = self._engine.compile(_executable(subject, x), self._dtype)
            flags = (True, *(False for _ in subject.inputs))
            gradient = self._engine.grad(plain, tuple(position for position, _ in _derivatives(subject)))
            self._known[key] = (plain, self._over(plain, flags), self._over(gradient, flags))
        return self._known[key]

    def rule(self, subject: Subject, rule: Function) -> Function:
        """``rule(x, *parameters)`` over a leading axis of x, compiled."""
        key = (rule, *self._key(subject))
        if key not in self._rules:
            plain = self._engine.compile(_executable(subject, 0.0, rule), self._dtype)
            self._rules[key] = self._over(plain, (True, *(False for _ in subject.inputs)))
        return self._rules[key]

    def _key(self, subject: Subject) -> list[Any]:
        sizes = [int(a) for a, size in zip(subject.arrays, subject.sized, strict=True) if size]
        return [*sizes, *(a.shape for a in subject.inputs)]

    def _over(self, function: Function, flags: tuple[bool, ...]) -> Function:
        return self._engine.jit(self._engine.vmap(function, flags))


def _derivatives(subject: Subject) -> list[tuple[int, int]]:
    """Real inputs: place among the function's inputs, and 0 for x or one more than the parameter's index."""
    found, position = [(0, 0)], 0
    for index, ((_, domain), size) in enumerate(zip(subject.row.parameters, subject.sized, strict=True)):
        position += not size
        if not size and kind_of(domain) == "real":
            found.append((position, index + 1))
    return found


def check_gradients(row: Distribution, engine: Engine, dtype: str) -> Iterator[str]:
    """Reverse-mode derivatives are finite wherever the log density is, and off the support; inside, they are right."""
    with engine.precision(dtype):
        compiled = Compiled(engine, dtype)
        for count, (subject, cases) in enumerate(subjects(row)):
            exact = precise(subject, dtype)
            gradient = compiled.functions(subject, cases[0].x)[2]
            points = _battery(subject, cases[0].x, dtype, FAR)
            parts = [np.asarray(part) for part in gradient(points, *exact.inputs)]
            yield from _finite(exact, points, parts)
            if dtype == "float64" and (count == 0 or row.variate is None):
                inner = _inner(exact, cases)
                for (_, index), part in zip(_derivatives(subject), gradient(inner, *exact.inputs), strict=True):
                    if index or not row.discrete:
                        yield from _differences(exact, index, inner, np.asarray(part))


def _inner(subject: Subject, cases: list[Case]) -> Array:
    """Points at which derivatives exist: between the knots of a continuous scalar law."""
    if subject.row.discrete or np.ndim(cases[0].x):
        return np.asarray([case.x for case in cases], np.float64)
    knots = subject.knots(cases[0].x)
    return 0.4 * knots[:-1] + 0.6 * knots[1:] if len(knots) > 1 else np.asarray([case.x for case in cases])


def _finite(subject: Subject, points: Array, gradients: list[Array]) -> Iterator[str]:
    """Parameters have no finite derivative at an end of the support where the law changes its kind there."""
    values = _oracle(subject, points, str(points.dtype))
    for index, (x, value) in enumerate(zip(points, values, strict=True)):
        off = not subject.member(x)
        end = np.ndim(x) == 0 and x in subject.ends
        for position, gradient in enumerate(gradients):
            relevant = off or (abs(value) < 1e30 and not (end and position))
            if relevant and not np.isfinite(gradient[index]).all():
                where = "off the support" if off else "on the support"
                yield f"{subject} at x = {show(x)} ({where}): derivative {position} is {gradient[index]} ({x.dtype})"


def _differences(subject: Subject, index: int, points: Array, gradients: Array) -> Iterator[str]:
    """Derivatives against central differences of the NumPy evaluation, entry by entry."""
    symmetric = index > 0 and isinstance(subject.row.parameters[index - 1][1], SpdMatrix)
    shape = points.shape[1:] if index == 0 else subject.arrays[index - 1].shape
    for entry in np.ndindex(*shape):
        direction = np.zeros(shape)
        direction[entry] = 1.0
        direction = np.maximum(direction, direction.T) if symmetric else direction
        for x, gradient in zip(points, gradients, strict=True):
            got = float((gradient * direction).sum())
            slopes = (_slope(subject, index, x, direction, size) for size in (1e-3, 1e-6, 1e-9))
            if not any(abs(got - slope) <= error + 1e-6 * abs(slope) for slope, error in slopes):
                expected = _slope(subject, index, x, direction, 1e-6)[0]
                yield f"{subject} at x = {show(x)}: derivative {index} is {got:.10g}, expected {expected:.10g}"


def _slope(subject: Subject, index: int, x: Any, direction: Array, size: float) -> tuple[float, float]:
    """Derivative along a direction by fourth-order differences, and its rounding error (infinite off the support)."""
    base = x if index == 0 else subject.arrays[index - 1]
    step = size * (float(abs(base[direction != 0.0]).max()) or 1.0)
    if not np.isfinite(base).all():
        return 0.0, math.inf
    values = []
    for multiple in (-2.0, -1.0, 1.0, 2.0):
        moved = base + np.where(direction == 0.0, 0.0, multiple * step)
        parameters = [moved if i + 1 == index else a for i, a in enumerate(subject.arrays)]
        point = moved if index == 0 else x
        values.append(float(Subject(subject.row, tuple(parameters)).log_density([point])[0]))
    if not np.isfinite(values).all():
        return 0.0, math.inf
    slope = (values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * step)
    return slope, 2e-14 * (1.0 + max(map(abs, values))) / step


def check_precision(row: Distribution, engine: Engine, dtype: str) -> Iterator[str]:
    """Parameters from 1e-6 to 1e6, where the mass lies: as good as NumPy with inputs changed by two units of rounding."""
    scalar = row.variate is None and all(isinstance(domain, (RealSet, IntegerSet)) for _, domain in row.parameters)
    if dtype == "float64" or not scalar:
        return
    with engine.precision(dtype):
        compiled = Compiled(engine, dtype)
        for parameters in _grid(row):
            subject = Subject(row, tuple(rounded(p, dtype) for p in parameters))
            x = rounded(_typical(subject), dtype)
            keep = [subject.member(point) and bool(abs(point) > np.finfo(dtype).tiny or row.discrete) for point in x]
            if any(keep):
                got = compiled.functions(subject, 0.0)[1](x, *subject.inputs)
                yield from _close(subject, x[keep], np.asarray(got)[keep], dtype)


def _close(subject: Subject, points: Array, got: Array, dtype: str) -> Iterator[str]:
    expected = _oracle(subject, points, dtype)
    rtol, atol = TOLERANCES[dtype]
    tolerance = atol + rtol * abs(expected) + rounding(subject, Subject.log_density, points, expected, dtype)
    for x, a, b, limit in zip(points, got, expected, tolerance, strict=True):
        if not (a == b or abs(a - b) <= limit):
            yield f"{subject} at x = {show(x)}: value ({dtype}) is {a:.9g}, expected {b:.9g} +- {limit:.1g}"


def rounding(subject: Subject, values: Function, points: Array, expected: Array, dtype: str) -> Array:
    """How much ``values(subject, points)`` change with inputs changed by two units of rounding."""
    wide, total = points.astype(np.float64), np.zeros(len(points))
    for factor in (1.0 - 2.0 * np.finfo(dtype).eps, 1.0 + 2.0 * np.finfo(dtype).eps):
        if not subject.row.discrete:
            total += _change(values(subject, wide * factor), expected)
        for index, array in enumerate(subject.arrays):
            if array.dtype.kind == "f":
                moved = tuple(a * factor if i == index else a for i, a in enumerate(subject.arrays))
                total += _change(values(Subject(subject.row, moved), wide), expected)
    return total


def _change(values: Array, expected: Array) -> Array:
    with np.errstate(invalid="ignore"):
        change = abs(values - expected)
    return np.where(np.isfinite(change), change, 0.0)


def _grid(row: Distribution) -> Iterator[tuple[Any, ...]]:
    """Combinations of parameter sizes, thinned evenly to about a hundred."""
    ranges = [_range(domain) for _, domain in row.parameters]
    stride = max(1, math.prod(map(len, ranges)) // 101)
    return itertools.islice(itertools.product(*ranges), 0, None, stride)


def _range(domain: Any) -> list[Any]:
    sizes = (1, 30, 1000, 1_000_000) if isinstance(domain, IntegerSet) else SIZES
    return [size for size in sizes if domain.interval.contains(float(size))]


def _typical(subject: Subject) -> Array:
    """Points where the mass lies; those of the truth for a law without a sampler."""
    if not subject.sampled:
        return np.array([case.x for case in subject.row.truth], np.float64)
    if subject.row.quantile is None:
        return subject.draws(3)
    return subject.over(subject.row.quantile, [0.05, 0.5, 0.95])


COMPARISONS = {"values": check_values, "gradients": check_gradients, "precision": check_precision}
