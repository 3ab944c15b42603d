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

__all__ = ["clamp", "domain_of", "locate", "place", "undefined_far_out"]

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
    """The point t of v, and log dt/dv; NaN where a finite range is empty or inverted."""
    if domain == "finite":
        left, right, width = 1.0 + 2.0 * v, 1.0 - 2.0 * v, hi - lo
        low, high = lo + width * (0.5 * left * left * (1.0 - v)), hi - width * (0.5 * right * right * (1.0 + v))
        return xp.where(v < 0, low, high), xp.log(width) + xp.log(1.5 * left * right)
    if domain in ("from_zero", "to_zero"):
        end = hi if domain == "from_zero" else lo
        u, rest = 0.5 + v, 0.5 - v
        z = xp.minimum(_ALPHA * rest * rest / u, _reach(xp, v))
        slope = xp.log(_ALPHA * rest * (1.0 + u)) - 2.0 * xp.log(u)
        return end * xp.exp(-z), xp.log(end if domain == "from_zero" else -end) - z + slope
    gap = xp.maximum((1.0 - 2.0 * v) * (1.0 + 2.0 * v), 1e-30)
    y = xp.clip(_ALPHA * v / gap, -_reach(xp, v), _reach(xp, v))
    slope = math.log(_ALPHA) + xp.log1p(4.0 * v * v) - 2.0 * xp.log(gap)
    if domain == "line":
        return xp.sinh(y), xp.abs(y) + xp.log1p(xp.exp(-2.0 * xp.abs(y))) - math.log(2.0) + slope
    return (lo + xp.exp(y) if domain == "above" else hi - xp.exp(y)), y + slope


def _reach(xp: Any, v: Any) -> float:
    """Largest exponent in use: a little below overflow."""
    return math.log(float(xp.finfo(v.dtype).max)) - 3.0


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
    """Nodes so far out on an unbounded range that exp(t) overflows, where the integrand is 0 or undefined.

    They count as 0: there a density whose limit is 0 often meets inf - inf on the way.
    """
    if domain not in ("line", "above", "below"):
        return xp.zeros(t.shape, bool)
    far = xp.abs(t) > math.log(float(xp.finfo(t.dtype).max))
    return far & ((log_values != log_values) | (log_values == -math.inf))
