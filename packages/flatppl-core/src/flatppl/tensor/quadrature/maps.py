"""Changes of variable: every range of integration on v in [-1/2, 1/2].

The densities that occur become smooth and decay at both ends:

=========  ==============  ========================================================================
domain     range           t(v), with y = 3 v / (1 - 4 v^2)
=========  ==============  ========================================================================
line       (-inf, inf)     sinh(y): natural to every scale and to tails of any power
above      [lo, inf)       lo + exp(y): the same, also for a singular start and for tiny scales
below      (-inf, hi]      hi - exp(y)
from_zero  [0, hi]         hi exp(-z), z = 3 (1/2 - v)^2 / (1/2 + v): singularities at 0 of any power
to_zero    [lo, 0]         its mirror image
finite     [lo, hi]        cubic smooth step: removes inverse square roots at the ends
=========  ==============  ========================================================================

Reals are dense at 0 only. Close to a singularity at any other end they cannot be told apart, therefore the milder
cubic there: it stays away from the end and lets the rule extrapolate.

Here and in the modules beside, ``xp`` is the array library: NumPy, or one with its names.

References
----------
.. [1] H. Takahasi, M. Mori, "Double exponential formulas for numerical integration", Publ. RIMS 9 (1974).
"""

from __future__ import annotations

import math
from typing import Any

__all__ = ["beyond", "clamp", "domain_of", "locate", "place", "settle", "undefined_far_out"]

_ALPHA = 3.0


def domain_of(lo: float | None, hi: float | None) -> str:
    """Which change of variable a range takes; None stands for an end that is no constant.

    Examples
    --------
    >>> domain_of(0.0, None), domain_of(None, float("inf"))
    ('from_zero', 'above')
    """
    if lo == -math.inf:
        return "line" if hi == math.inf else "below"
    if hi == math.inf:
        return "above"
    if lo == 0.0:
        return "from_zero"
    return "to_zero" if hi == 0.0 else "finite"


def place(xp: Any, domain: str, lo: Any, hi: Any, v: Any) -> tuple[Any, Any]:
    """The point t of v, and dt/dv, which is not positive where a finite range is empty or inverted.

    Close to the ends of v (see ``beyond``) the maps stay constant before an exponential overflows.
    """
    if domain == "finite":
        left, right, width = 1.0 + 2.0 * v, 1.0 - 2.0 * v, hi - lo
        low, high = lo + width * (0.5 * left * left * (1.0 - v)), hi - width * (0.5 * right * right * (1.0 + v))
        return xp.where(v < 0, low, high), 1.5 * width * left * right
    least = _margin(xp, domain, v)
    if domain in ("from_zero", "to_zero"):
        u, rest = xp.maximum(0.5 + v, least), 0.5 - v
        t = (hi if domain == "from_zero" else lo) * xp.exp(-_ALPHA * rest * rest / u)
        return t, (t if domain == "from_zero" else -t) * (_ALPHA * rest * (1.0 + u) / (u * u))
    gap = xp.maximum((1.0 - 2.0 * v) * (1.0 + 2.0 * v), least)
    y, slope = _ALPHA * v / gap, _ALPHA * (1.0 + 4.0 * v * v) / (gap * gap)
    if domain == "line":
        less = xp.expm1(xp.abs(y))
        more = less + 1.0
        return xp.sign(v) * (0.5 * (less + less / more)), 0.5 * (more + 1.0 / more) * slope
    step = xp.exp(y)
    return (lo + step if domain == "above" else hi - step), step * slope


def _margin(xp: Any, domain: str, v: Any) -> float:
    """Least denominator of a map: keeps exponents and slopes from overflow."""
    largest = math.log(float(xp.finfo(v.dtype).max))
    return _ALPHA / (largest - 2.0) if domain in ("from_zero", "to_zero") else 0.5 * _ALPHA / (largest - 15.0)


def beyond(xp: Any, domain: str, v: Any) -> Any:
    """Whether v stands for points that no real of this precision reaches; their mass is unknown."""
    if domain == "finite":
        return xp.zeros(v.shape, bool)
    u = 0.5 + v if domain in ("from_zero", "to_zero") else (1.0 - 2.0 * v) * (1.0 + 2.0 * v)
    return u < _margin(xp, domain, v)


def settle(xp: Any, domain: str, lo: Any, hi: Any, v: Any, t: Any) -> Any:
    """What dt/dv is multiplied by, next to an end, to be the slope at a rounded t instead of that at v.

    Then rounding only shifts the node in v, which does no harm where the integrand times dt/dv is smooth in v. At
    the ends that the maps treat as possible square root singularities the slope is proportional to the root of the
    distance.
    """
    if domain == "finite":
        left, right, width = 1.0 + 2.0 * v, 1.0 - 2.0 * v, hi - lo
        ideal = width * xp.where(v < 0, 0.5 * left * left * (1.0 - v), 0.5 * right * right * (1.0 + v))
        return xp.sqrt(xp.where(v < 0, t - lo, hi - t) / ideal)
    if domain in ("from_zero", "to_zero"):
        end, rest = hi if domain == "from_zero" else lo, 0.5 - v
        return xp.sqrt((t / end - 1.0) / xp.expm1(-_ALPHA * rest * rest / xp.maximum(0.5 + v, 1e-30)))
    return xp.ones_like(t)


def locate(xp: Any, domain: str, lo: Any, hi: Any, t: Any) -> Any:
    """The v of a point strictly inside the range: inverse of ``place``."""
    if domain == "finite":
        return xp.sin(xp.arcsin(2.0 * (t - lo) / (hi - lo) - 1.0) / 3.0)
    if domain in ("from_zero", "to_zero"):
        z = -xp.log(t / (hi if domain == "from_zero" else lo))
        return 2.0 * _ALPHA / (z + 2.0 * _ALPHA + xp.sqrt(z * (z + 4.0 * _ALPHA))) - 0.5
    y = xp.arcsinh(t) if domain == "line" else xp.log(t - lo if domain == "above" else hi - t)
    return 2.0 * y / (_ALPHA + xp.sqrt(_ALPHA * _ALPHA + 16.0 * y * y))


def clamp(xp: Any, domain: str, lo: Any, hi: Any, t: Any) -> Any:
    """Points that rounding has put on an end, moved next to it, since the integrand may be infinite there."""
    if domain in ("finite", "above", "to_zero"):
        t = xp.maximum(t, xp.nextafter(lo, xp.full_like(lo, math.inf)))
    if domain in ("finite", "below", "from_zero"):
        t = xp.minimum(t, xp.nextafter(hi, xp.full_like(hi, -math.inf)))
    return t


def undefined_far_out(xp: Any, domain: str, t: Any, log_values: Any) -> Any:
    """Nodes so far out on an unbounded range that exp(t)**2 overflows, where the integrand is 0 or undefined.

    They count as 0: there a density whose limit is 0 often meets inf - inf on the way.
    """
    if domain not in ("line", "above", "below"):
        return xp.zeros(t.shape, bool)
    far = xp.abs(t) > 0.5 * math.log(float(xp.finfo(t.dtype).max))
    return far & ((log_values != log_values) | (log_values == -math.inf))
