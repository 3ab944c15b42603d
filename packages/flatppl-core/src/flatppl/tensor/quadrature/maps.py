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
    """The point t of v, and dt/dv, which is not positive where a finite range is empty or inverted.

    Close to the ends of v the maps stay constant before an exponential overflows: there is no mass left.
    """
    if domain == "finite":
        left, right, width = 1.0 + 2.0 * v, 1.0 - 2.0 * v, hi - lo
        low, high = lo + width * (0.5 * left * left * (1.0 - v)), hi - width * (0.5 * right * right * (1.0 + v))
        return xp.where(v < 0, low, high), 1.5 * width * left * right
    reach = math.log(float(xp.finfo(v.dtype).max)) - 15.0
    if domain in ("from_zero", "to_zero"):
        u, rest = xp.maximum(0.5 + v, _ALPHA / reach), 0.5 - v
        t = (hi if domain == "from_zero" else lo) * xp.exp(-_ALPHA * rest * rest / u)
        return t, (t if domain == "from_zero" else -t) * (_ALPHA * rest * (1.0 + u) / (u * u))
    gap = xp.maximum((1.0 - 2.0 * v) * (1.0 + 2.0 * v), 0.5 * _ALPHA / reach)
    y, slope = _ALPHA * v / gap, _ALPHA * (1.0 + 4.0 * v * v) / (gap * gap)
    if domain == "line":
        less = xp.expm1(xp.abs(y))
        more = less + 1.0
        return xp.sign(v) * (0.5 * (less + less / more)), 0.5 * (more + 1.0 / more) * slope
    step = xp.exp(y)
    return (lo + step if domain == "above" else hi - step), step * slope


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
