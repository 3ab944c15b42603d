"""Sums over the integers from a first one on."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from flatppl.errors import InternalError
from flatppl.tensor.avals import Aval
from flatppl.tensor.primitives.control import run
from flatppl.tensor.program import Primitive, Program
from flatppl.tensor.quadrature.mesh import tolerance

__all__ = ["PRIMITIVES", "SERIES"]


def _aval(first: Aval, *captures: Aval, body: Program, **_: Any) -> tuple[Aval, ...]:
    whole, real, flag = Aval("integer"), Aval("real"), Aval("boolean")
    if first != whole or [param.aval for param in body.params] != [whole]:
        raise InternalError("series: the terms are numbered by a scalar integer")
    if any(result.aval != real for result in body.results[:2]) or any(r.aval != flag for r in body.results[2:]):
        raise InternalError("series: the body gives a log term, a log bound of the rest, and scalar flags")
    return real, real, *(flag for _ in body.results[2:])


def _series(first: Any, *captures: Any, body: Program, rtol: float, atol: float, limit: int) -> tuple[Any, ...]:
    total, rest, flags = np.float64(-math.inf), math.inf, [np.bool_(True)] * (len(body.results) - 2)
    for k in itertools.islice(itertools.count(int(first)), limit):
        term, rest, *found = run(body, (np.asarray(k),), captures)
        total = np.logaddexp(total, term)
        flags = [old & new for old, new in zip(flags, found, strict=True)]
        if rest <= tolerance(np, total, rtol, atol):
            break
    else:
        total = np.float64(math.nan)
    return np.asarray(total), np.asarray(rest), *map(np.asarray, flags)


#: series(first, captures..., body, rtol, atol, limit): log of the sum of exp(term) over first, first + 1, ...
#: ``body(k)`` is the log term at k and a bound of the log of the sum of all terms after it. The sum ends where that
#: bound is at most ``max(atol, rtol * sum)``; NaN if ``limit`` terms are not enough. The second result is the bound
#: reached. The body's further results are flags; each leaves the sum as the conjunction over all terms taken (a
#: backend may take a few more).
SERIES = Primitive("series", _aval, _series)

PRIMITIVES = (SERIES,)
