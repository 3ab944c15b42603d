"""Leaves, conversions between kinds, and guards."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flatppl.errors import InternalError, refuse
from flatppl.tensor.avals import ARITHMETIC, Aval
from flatppl.tensor.intervals import UNIT, Interval
from flatppl.tensor.primitives.rules import merge_shapes
from flatppl.tensor.program import Primitive

DTYPES = {"boolean": np.bool_, "integer": np.int64, "real": np.float64, "complex": np.complex128}


def _leaf(*_: Any, **__: Any) -> Any:
    raise InternalError("a leaf has no value of its own")


CONSTANT = Primitive("constant", _leaf, lambda value: value.array)
VARIABLE = Primitive("variable", _leaf, _leaf, pure=False)
RANDOM = Primitive("random", _leaf, _leaf, pure=False)


def _convert_aval(x: Aval, kind: str) -> Aval:
    if x.kind not in ARITHMETIC or kind not in ARITHMETIC:
        refuse("kind", f"{x.kind} does not convert to {kind}")
    return Aval(kind, x.shape)


#: Downwards: real to integer rounds half to even, anything to boolean tests against zero, complex to real drops
#: the imaginary part; callers guard where the language demands exactness.
def _convert(x: Any, kind: str) -> Any:
    if kind == "integer" and x.dtype.kind == "f":
        return np.rint(np.nan_to_num(x, nan=0.0, posinf=2.0**62, neginf=-(2.0**62))).astype(np.int64)
    if kind == "real" and x.dtype.kind == "c":
        return x.real
    return x.astype(DTYPES[kind])


def _convert_range(x: Interval, kind: str) -> Interval:
    if kind == "boolean":
        return UNIT
    if kind != "integer":
        return x
    lo, hi = (round(end) if math.isfinite(end) else end for end in (x.lo, x.hi))
    return Interval(lo, hi)


CONVERT = Primitive("convert", _convert_aval, _convert, elementwise=True, range=_convert_range)


def _guard_aval(value: Aval, ok: Aval, excused: Aval, **_: Any) -> Aval:
    if ok.kind != "boolean" or excused.kind != "boolean":
        refuse("kind", "a guard needs boolean flags")
    return Aval(value.kind, merge_shapes(value, ok, excused))


#: ``value`` where ``ok``; a violation makes the call's floating results NaN or raises (see ``checks``). ``excused``
#: marks lanes where a violation is no error to report (a NaN parameter propagates).
#: Params: ``message``, ``category`` (``parameter`` or ``value``).
GUARD = Primitive(
    "guard",
    _guard_aval,
    lambda value, ok, excused, **_: np.broadcast_to(value, np.broadcast_shapes(value.shape, ok.shape, excused.shape)),
    elementwise=True,
    range=lambda value, ok, excused, **_: value,
    simplify=lambda operands, params: (
        operands[0]
        if operands[1].constant is not None and operands[1].constant.all() and not operands[1].shape
        else None
    ),
)

#: ``f(x)`` of a function whose inverse is given: the value is the first operand, ``x`` the second. The param
#: ``inverse(y)`` gives (x, log volume). Only the inversion of push-forwards looks at it.
ANNOTATED = Primitive(
    "annotated",
    lambda y, x, inverse: y,
    lambda y, x, inverse: y,
    range=lambda y, x, inverse: y,
    pure=False,
)

#: Spacing of reals at 1 in the precision that lowering chooses; never folded.
EPSILON = Primitive(
    "epsilon",
    lambda: Aval("real"),
    lambda: np.asarray(np.finfo(np.float64).eps),
    range=lambda: Interval(2.0**-53, 2.0**-20),
    pure=False,
)

PRIMITIVES = (CONSTANT, VARIABLE, RANDOM, CONVERT, GUARD, ANNOTATED, EPSILON)
