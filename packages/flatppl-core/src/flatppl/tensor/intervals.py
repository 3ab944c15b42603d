"""Intervals of the extended reals with open or closed ends, for range analysis."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["NONNEGATIVE", "POSITIVE", "REALS", "UNIT", "Interval", "decreasing", "hull", "increasing"]


@dataclass(frozen=True, slots=True)
class Interval:
    """All x with ``lo <= x <= hi`` (strict at an open end); every entry of a tensor lies inside.

    Examples
    --------
    >>> Interval(0.0, 1.0).inside(Interval(0.0, 2.0))
    True
    >>> Interval(0.0, 1.0).inside(Interval(0.0, 2.0, lo_open=True))
    False
    """

    lo: float = -math.inf
    hi: float = math.inf
    lo_open: bool = False
    hi_open: bool = False

    def inside(self, other: Interval) -> bool:
        """Whether every point of this interval is a point of the other."""
        low = self.lo > other.lo or (self.lo == other.lo and (self.lo_open or not other.lo_open))
        high = self.hi < other.hi or (self.hi == other.hi and (self.hi_open or not other.hi_open))
        return low and high

    def disjoint(self, other: Interval) -> bool:
        """Whether the two intervals share no point."""
        return _before(self, other) or _before(other, self)

    def meet(self, other: Interval) -> Interval:
        """Intersection (possibly inverted if disjoint)."""
        lo, lo_open = max((self.lo, self.lo_open), (other.lo, other.lo_open))
        hi, closed = min((self.hi, not self.hi_open), (other.hi, not other.hi_open))
        return Interval(lo, hi, lo_open, not closed)

    def contains(self, x: float) -> bool:
        """Whether the point lies inside."""
        return Interval(x, x).inside(self)


def _before(a: Interval, b: Interval) -> bool:
    return a.hi < b.lo or (a.hi == b.lo and (a.hi_open or b.lo_open))


REALS = Interval()
POSITIVE = Interval(0.0, math.inf, lo_open=True)
NONNEGATIVE = Interval(0.0)
UNIT = Interval(0.0, 1.0)


def hull(*intervals: Interval) -> Interval:
    """Smallest interval that holds all."""
    lo, lo_open = min((i.lo, i.lo_open) for i in intervals)
    hi, closed = max((i.hi, not i.hi_open) for i in intervals)
    return Interval(lo, hi, lo_open, not closed)


def _at(f: Callable[[float], float], x: float, default: float) -> float:
    try:
        value = f(x)
    except (ValueError, OverflowError, ZeroDivisionError):
        return default
    return default if math.isnan(value) else value


def increasing(f: Callable[[float], float], low: float = -math.inf, high: float = math.inf) -> Callable[..., Interval]:
    """Range rule of an increasing function; ``low`` and ``high`` stand where f overflows or is undefined."""

    def rule(x: Interval, **_: object) -> Interval:
        return Interval(_at(f, x.lo, low), _at(f, x.hi, high), x.lo_open, x.hi_open)

    return rule


def decreasing(f: Callable[[float], float], low: float = -math.inf, high: float = math.inf) -> Callable[..., Interval]:
    """Range rule of a decreasing function."""

    def rule(x: Interval, **_: object) -> Interval:
        return Interval(_at(f, x.hi, low), _at(f, x.lo, high), x.hi_open, x.lo_open)

    return rule
