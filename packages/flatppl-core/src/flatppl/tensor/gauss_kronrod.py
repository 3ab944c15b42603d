"""Gauss-Kronrod panels in log space, and the changes of variable of the integration ranges.

Everything here is written once for NumPy and any array library with its names: ``xp`` is that library. Panels
live on the variable v of [-1/2, 1/2]; ``place`` maps it to the range, so that the densities that occur become
smooth and decay at both ends:

=========  ==============  ========================================================================
domain     range           t(v), with y = 3 v / (1 - 4 v^2)
=========  ==============  ========================================================================
line       (-inf, inf)     sinh(y): natural to every scale and to tails of any power
above      [lo, inf)       lo + exp(y): the same, also for a singular start and for tiny scales
below      (-inf, hi]      hi - exp(y)
from_zero  [0, hi]         hi exp(-z), z = 3 (1/2 - v)^2 / (1/2 + v): singularities at 0 of any power
to_zero    [lo, 0]         the mirror image
finite     [lo, hi]        cubic smooth step: removes inverse square roots at the ends
=========  ==============  ========================================================================

Reals are dense at 0 only: at any other end the values close to a singularity cannot be told apart, therefore the
milder cubic there, which stays away from the end and lets the rule extrapolate.

References
----------
.. [1] R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, "QUADPACK", Springer 1983
   (routines QK15 and QAGS).
.. [2] H. Takahasi, M. Mori, "Double exponential formulas for numerical integration", Publ. RIMS 9 (1974).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = [
    "EDGES", "INITIAL", "OFFSETS", "WEIGHTS", "clamp", "domain_of", "edge_offset", "locate", "panels", "place",
    "stays_silent",
]  # fmt: skip

_NODES = (
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
    0.741531185599394439863864773280788, 0.586087235467691130294144391604300, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0,
)  # fmt: skip
_KRONROD = (
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
    0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
)  # fmt: skip
_GAUSS = (
    0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780,
    0.0, 0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327,
)  # fmt: skip

#: Nodes in (0, 1) and weights of the 15-point Kronrod rule; weights of the embedded 7-point Gauss rule.
OFFSETS = (1.0 + np.array([-x for x in _NODES] + list(_NODES[-2::-1]))) / 2
WEIGHTS = np.array(_KRONROD + _KRONROD[-2::-1]) / 2
_GAUSS_WEIGHTS = np.array(_GAUSS + _GAUSS[-2::-1]) / 2

#: Number of panels at the start, besides those that breakpoints add; even, since 0 and 1 deserve an edge.
INITIAL = 8
#: Edges of the panels at the start.
EDGES = np.linspace(-0.5, 0.5, INITIAL + 1)
_ALPHA = 3.0
#: An edge value this much above the outermost node (in log space) shows a peak between the two.
_JUMP = math.log(4.0)


def domain_of(lo: float | None, hi: float | None) -> str:
    """Which change of variable a range takes; None stands for an end that is no constant."""
    if lo == -math.inf:
        return "line" if hi == math.inf else "below"
    if hi == math.inf:
        return "above"
    if lo == 0.0:
        return "from_zero"
    return "to_zero" if hi == 0.0 else "finite"


def place(xp: Any, domain: str, lo: Any, hi: Any, v: Any) -> tuple[Any, Any]:
    """The point t of v, and log dt/dv."""
    if domain == "finite":
        left, right = 1.0 + 2.0 * v, 1.0 - 2.0 * v
        width = hi - lo
        low, high = lo + width * (0.5 * left * left * (1.0 - v)), hi - width * (0.5 * right * right * (1.0 + v))
        return xp.where(v < 0, low, high), xp.log(width) + xp.log(1.5 * left * right)
    if domain in ("from_zero", "to_zero"):
        end, sign = (hi, 1.0) if domain == "from_zero" else (lo, -1.0)
        u, rest = 0.5 + v, 0.5 - v
        z = xp.minimum(_ALPHA * rest * rest / u, _reach(xp, v))
        return end * xp.exp(-z), xp.log(sign * end) - z + xp.log(_ALPHA * rest * (1.0 + u)) - 2.0 * xp.log(u)
    gap = xp.maximum((1.0 - 2.0 * v) * (1.0 + 2.0 * v), 1e-30)
    reach = _reach(xp, v)
    y = xp.clip(_ALPHA * v / gap, -reach, reach)
    slope = math.log(_ALPHA) + xp.log1p(4.0 * v * v) - 2.0 * xp.log(gap)
    if domain == "line":
        return xp.sinh(y), xp.abs(y) + xp.log1p(xp.exp(-2.0 * xp.abs(y))) - math.log(2.0) + slope
    return (lo + xp.exp(y) if domain == "above" else hi - xp.exp(y)), y + slope


def _reach(xp: Any, v: Any) -> float:
    """Exponent just below overflow."""
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
    """Points that rounding has put on an end, moved next to it: an end may be singular."""
    if domain in ("finite", "above"):
        t = xp.maximum(t, xp.nextafter(lo, xp.asarray(math.inf, t.dtype)))
    if domain in ("finite", "below"):
        t = xp.minimum(t, xp.nextafter(hi, xp.asarray(-math.inf, t.dtype)))
    if domain == "from_zero":
        t = xp.minimum(t, xp.nextafter(hi, xp.zeros_like(hi)))
    return xp.maximum(t, xp.nextafter(lo, xp.zeros_like(lo))) if domain == "to_zero" else t


def stays_silent(xp: Any, domain: str, t: Any, log_values: Any) -> Any:
    """Where an integrand may be undefined: so far out on an unbounded range that exp(t) overflows."""
    if domain not in ("line", "above", "below"):
        return xp.zeros(t.shape, bool)
    far = xp.abs(t) > math.log(float(xp.finfo(t.dtype).max))
    return far & ((log_values != log_values) | (log_values == -math.inf))


def edge_offset(xp: Any, dtype: Any) -> float:
    """Distance from an edge that may be a jump, in units of the panel, at which its one-sided value is taken."""
    return float(xp.finfo(dtype).eps) ** 0.75


def panels(xp: Any, log_values: Any, log_slopes: Any, t: Any, v: Any, width: Any, ends: Any) -> tuple[Any, Any]:
    """Logarithms of integral and error estimate of panels.

    Parameters
    ----------
    xp : module
        Array library.
    log_values, log_slopes, t, v : array, (..., 15)
        Log integrand at the nodes, log dt/dv, and the nodes themselves.
    width : array, (...)
        Width of each panel in v.
    ends : pair of array, (...)
        Log of integrand times dt/dv at both edges of each panel.

    Notes
    -----
    The estimate is QUADPACK's ``resasc * min(1, (200 |K - G| / resasc)^(3/2))``, not below 50 epsilon times the
    integral. Two additions: where |K - G| is explained by rounding of t, v and the log integrand, the floor is the
    estimate, since splitting cannot help; and where an edge (the centre of a former panel) lies far above the
    outermost node, a peak hides between them, and its possible mass counts as error. Values relative to the
    largest one make greedy splitting home in on a peak that no node has met.
    """
    dtype = log_values.dtype
    eps = float(xp.finfo(dtype).eps)
    kronrod, gauss = WEIGHTS.astype(dtype), _GAUSS_WEIGHTS.astype(dtype)
    log_g = log_values + log_slopes
    top = xp.max(log_g, axis=-1)
    top = xp.where(top == -math.inf, 0.0, top).astype(dtype)
    g = xp.exp(log_g - top[..., None])
    integral = xp.sum(g * kronrod, axis=-1)
    difference = xp.abs(integral - xp.sum(g * gauss, axis=-1))
    variation = xp.sum(xp.abs(g - integral[..., None]) * kronrod, axis=-1)
    ratio = 200.0 * difference / xp.where(variation > 0, variation, 1.0)
    error = xp.where(ratio < 1.0, variation * ratio * xp.sqrt(ratio), variation)
    error = xp.where(difference <= _noise(xp, log_values, log_slopes, t, v, width, g, eps), 0.0, error)
    error = xp.maximum(error, 50.0 * eps * integral)
    log_error = xp.log(error) + top
    for end, node in ((ends[0], log_g[..., 0]), (ends[1], log_g[..., -1])):
        hidden = xp.where(end > node + _JUMP, end + math.log(OFFSETS[0]), -math.inf).astype(dtype)
        log_error = xp.logaddexp(log_error, hidden)
    log_width = xp.log(width)
    return xp.log(integral) + top + log_width, log_error + log_width


def _noise(xp: Any, log_values: Any, log_slopes: Any, t: Any, v: Any, width: Any, g: Any, eps: float) -> Any:
    """Effect of rounding on the mean of g: of the log integrand itself, and of the nodes by its variation."""
    own = xp.sum(xp.where(g > 0, g * xp.abs(log_values), 0.0) * WEIGHTS.astype(g.dtype), axis=-1)
    shift = eps * (xp.abs(t) * xp.exp(-log_slopes) + xp.abs(v)) / width[..., None]
    shift = xp.where(shift < 1.0, shift, 1.0)
    change = (g[..., 1:] - g[..., :-1]) * shift[..., 1:]
    return eps * own + xp.sqrt(xp.sum(change * change, axis=-1))
