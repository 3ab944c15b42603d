"""Distribution functions and quantiles of a backend beside NumPy's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from flatppl.distribution import Distribution
from flatppl.exam.engine import TOLERANCES, Compiled, Engine, Function, precise, rounded, rounding
from flatppl.exam.subject import LEVELS, Array, Subject, show, subjects

__all__ = ["TAILS"]

#: Beside the rounding of the inputs; incomplete beta functions of a million counts are this far off in float32.
GROSS = {"float64": 0.0, "float32": 0.01}


def check_tails(row: Distribution, engine: Engine, dtype: str) -> Iterator[str]:
    """Distribution function and upper tail equal NumPy's, up to rounding of their inputs; the quantiles invert them."""
    if row.cdf is None:
        return
    with engine.precision(dtype):
        compiled = Compiled(engine, dtype)
        for subject, cases in subjects(row):
            near = precise(subject, dtype)
            points = rounded([*subject.knots(cases[0].x), *(case.x for case in cases)], dtype)
            points = points[(abs(points) > 8.0 * np.finfo(dtype).tiny) | (points == 0.0)]
            for rule in filter(None, (row.cdf, row.survival)):
                got = compiled.rule(subject, rule)(points, *near.inputs)
                yield from _tail(near, rule, points, got, dtype)
            levels = rounded(LEVELS, dtype)
            for inverse, tail in ((row.quantile, row.cdf), (row.upper_quantile, row.survival)):
                if inverse is not None and tail is not None:
                    got = compiled.rule(subject, inverse)(levels, *near.inputs)
                    yield from _inverse(near, inverse, tail, levels, np.asarray(got), dtype)


def _tail(subject: Subject, rule: Function, points: Array, got: Any, dtype: str) -> Iterator[str]:
    def values(at: Subject, x: Array) -> Array:
        return at.over(rule, x)

    expected, (rtol, atol) = values(subject, points), TOLERANCES[dtype]
    limits = rtol * abs(expected) + np.finfo(dtype).tiny + rounding(subject, values, points, expected, dtype)
    limits += np.where(expected > 0.5, atol, 0.0) + GROSS[dtype]
    for x, a, b, limit in zip(points, np.asarray(got, np.float64), expected, limits, strict=True):
        if not abs(a - b) <= limit:
            yield f"{subject} at x = {show(x)}: {rule.__name__} ({dtype}) is {a:.9g}, expected {b:.9g} +- {limit:.1g}"


def _inverse(
    subject: Subject, inverse: Function, tail: Function, levels: Array, points: Array, dtype: str
) -> Iterator[str]:
    """The tail's probabilities just below and just above the quantile enclose u."""
    step = 1.0 if subject.row.discrete else 4.0 * np.finfo(dtype).eps * np.maximum(abs(points), np.finfo(dtype).tiny)
    after = subject.over(tail, points if subject.row.discrete else points + step)
    before = subject.over(tail, np.where(abs(points) < 8.0 * np.finfo(dtype).tiny, -step, points - step))
    low, high = np.minimum(before, after), np.maximum(before, after)
    slack = TOLERANCES[dtype][0] * levels + 4.0 * np.finfo(dtype).eps + GROSS[dtype]
    for u, x, a, b, give in zip(levels, points, low, high, slack, strict=True):
        if not (a <= u + give and b >= u - give):
            yield f"{subject}: {inverse.__name__} ({dtype}) of {u:g} is {x:.9g}, where the tail is {a:.9g} to {b:.9g}"


TAILS = {"tails": check_tails}
