"""Laws of one row at single points: truth, edges, cdf, quantile, log mass."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flatppl.distribution import Distribution
from flatppl.exam.subject import LEVELS, Subject, compare, fold, show, subjects
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder

__all__ = ["LAWS"]

Rule = Callable[..., Any]

#: Below this size a point counts as zero: results near the least normal number are not accurate.
TINY = 1e-300


def check_truth(row: Distribution) -> Iterator[str]:
    """Log density and cdf equal the row's truth, for runtime and for fixed arguments."""
    if len(row.truth) < 3:
        yield f"{row.name}: fewer than three rows of truth"
    for subject, cases in subjects(row):
        points = [case.x for case in cases]
        expected = [case.log_density for case in cases]
        yield from compare(subject, "log density", points, subject.log_density(points), expected)
        builder = Builder(CORE)
        fixed = [builder.constant(x) for x in subject.arrays]
        folded = [fold(row.density(builder.constant(np.asarray(x)), fixed)) for x in points]
        yield from compare(subject, "log density of fixed arguments", points, folded, expected)
        known = {case.x: case.cdf for case in cases if case.cdf is not None}
        if known and row.cdf is not None:
            yield from compare(subject, "cdf", list(known), subject.cdf(list(known)), list(known.values()))


def check_edges(row: Distribution) -> Iterator[str]:
    """The log density of a number is never NaN, and it is -inf off the support and at infinity."""
    for subject, cases in subjects(row):
        points = subject.battery(cases[0].x)
        for x, value in zip(points, subject.log_density(points), strict=True):
            if np.isnan(value):
                yield f"{subject} at x = {show(x)}: log density is NaN"
            elif value != -math.inf and not subject.member(x):
                yield f"{subject} at x = {show(x)}: log density is {value:g} off the support, expected -inf"


def check_cdf(row: Distribution) -> Iterator[str]:
    """The cdf goes from 0 to 1 without falling, and the upper tail is its complement."""
    if row.cdf is None:
        return
    for subject, cases in subjects(row):
        lo, hi = subject.ends
        edges = [end + step for end in (lo, hi) for step in (-1.0, 0.0, 1.0) if math.isfinite(end)]
        points = np.unique([-math.inf, *edges, *subject.knots(cases[0].x), math.inf])
        values = subject.cdf(points)
        if not (values[0] == 0.0 and abs(values[-1] - 1.0) < 1e-12 and (np.diff(values) >= 0.0).all()):
            yield f"{subject}: the cdf does not rise from 0 to 1: {values}"
        if lo > -math.inf and subject.cdf([lo - 1.0])[0] != 0.0:
            yield f"{subject}: the cdf is not 0 below the support"
        if hi < math.inf and abs(subject.cdf([hi + 1.0])[0] - 1.0) > 1e-12:
            yield f"{subject}: the cdf is not 1 above the support"
        if row.survival is not None:
            upper = subject.over(row.survival, points)
            yield from compare(subject, "survival", points, upper, 1.0 - values, 1e-9, 1e-11)


def check_quantile(row: Distribution) -> Iterator[str]:
    """The quantile inverts the cdf: just below it the cdf is at most u, from there on at least u."""
    yield from _inverse(row, row.quantile, row.cdf, False)


def check_upper_quantile(row: Distribution) -> Iterator[str]:
    """The upper quantile inverts the upper tail, also where one minus that is one."""
    yield from _inverse(row, row.upper_quantile, row.survival, True)


def _inverse(row: Distribution, inverse: Rule | None, tail: Rule | None, upper: bool) -> Iterator[str]:
    if inverse is None or tail is None:
        return
    name = "upper quantile" if upper else "quantile"
    levels = np.array([*([1e-40] if upper else []), 1e-9, *LEVELS])
    for subject, _ in subjects(row):
        points = subject.over(inverse, levels)
        if np.isnan(points).any():
            yield f"{subject}: the {name} is NaN somewhere"
            continue
        zero = abs(points) < TINY
        left = points - 1.0 if row.discrete else np.where(zero, -TINY, np.nextafter(points, -math.inf))
        right = points if row.discrete else np.where(zero, TINY, np.nextafter(points, math.inf))
        bounds = np.sort([subject.over(tail, left), subject.over(tail, right)], axis=0)
        for u, x, low, high in zip(levels, points, *bounds, strict=True):
            give = 1e-7 * u + (0.0 if upper else 1e-15)
            if low > u + give or high < u - give:
                yield f"{subject}: the {name} of {u:g} is {x:.17g}, where the tail is {low:.17g} to {high:.17g}"


def check_log_mass(row: Distribution) -> Iterator[str]:
    """The log probability of an interval is that of the cdf's difference, and far out that of the density."""
    if row.log_mass is None or row.cdf is None:
        return
    for subject, cases in subjects(row):
        knots = subject.knots(cases[0].x)
        if len(knots) < 2:
            continue
        lo, hi = knots[:-1], knots[1:]
        expected = np.log(subject.cdf(hi) - subject.cdf(lo))
        yield from compare(subject, "log mass", hi, subject.over(row.log_mass, lo, hi), expected, 1e-6, 1e-6)
        reach = 3.0 * (knots[-1] - knots[len(knots) // 2])
        yield from _far_mass(subject, knots[-1] + reach, 1e-3 * reach)
        yield from _far_mass(subject, knots[0] - reach, 1e-3 * reach)


def _far_mass(subject: Subject, start: float, width: float) -> Iterator[str]:
    assert subject.row.log_mass is not None
    nodes, weights = np.polynomial.legendre.leggauss(40)
    logs = subject.log_density(start + 0.5 * width * (nodes + 1.0))
    top = logs.max()
    if math.isfinite(top):
        expected = top + math.log(float(np.exp(logs - top) @ (0.5 * width * weights)))
        got = subject.over(subject.row.log_mass, [start], [start + width])
        yield from compare(subject, "log mass far out", [start], got, [expected], 1e-6, 1e-6)


def check_algebraic(row: Distribution) -> Iterator[str]:
    """Inside the support, the textbook form of the log density has the value of the careful one."""
    if row.algebraic is None:
        return
    for subject, cases in subjects(row):
        points = [case.x for case in cases if case.x not in subject.ends]
        if not points:
            continue
        expected = subject.log_density(points)
        got = subject.over(lambda x, *parameters: row.density(x, parameters, algebraic=True), points)
        yield from compare(subject, "textbook log density", points, got, expected, 1e-9, 1e-6)


def check_decay(row: Distribution) -> Iterator[str]:
    """Masses from a point on fall at least as fast as the bound there says."""
    if row.decay is None:
        return
    for subject, cases in subjects(row):
        for start in {0.0, *(float(case.x) for case in cases)}:
            steps = start + np.array([0.0, 1.0, 2.0, 10.0, 1000.0])
            before, after = subject.log_density(steps), subject.log_density(steps + 1.0)
            ratios = np.exp(after - np.where(np.isfinite(before), before, math.inf))
            (bound,) = subject.over(row.decay, [start])
            if not (ratios <= bound * (1 + 1e-6)).all():
                yield f"{subject}: from {start:g} on masses fall by up to {ratios.max():.17g}, not {bound:.17g}"


LAWS = {
    "truth": check_truth,
    "edges": check_edges,
    "cdf": check_cdf,
    "quantile": check_quantile,
    "upper quantile": check_upper_quantile,
    "log mass": check_log_mass,
    "algebraic": check_algebraic,
    "decay": check_decay,
}
