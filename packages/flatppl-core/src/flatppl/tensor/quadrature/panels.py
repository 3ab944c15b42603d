"""Integral and error estimate of panels by the Gauss-Kronrod pair of 7 and 15 points, in log space.

References
----------
.. [1] R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, "QUADPACK", Springer 1983: nodes,
   weights and error estimate of routine QK15, strategy of QAG.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["OFFSETS", "WEIGHTS", "estimate", "places"]

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

#: Nodes in (0, 1) and weights of the Kronrod rule.
OFFSETS = (1.0 + np.array([-x for x in _NODES] + list(_NODES[-2::-1]))) / 2
WEIGHTS = np.array(_KRONROD + _KRONROD[-2::-1]) / 2

_GAUSS_WEIGHTS = np.array(_GAUSS + _GAUSS[-2::-1]) / 2
#: An edge value this far above the outermost node (in log space) shows a peak between the two.
_JUMP = math.log(4.0)


def places(dtype: Any) -> Any:
    """Where a panel is looked at, in units of its width: next to both edges (which may be jumps), and the nodes."""
    next_to = float(np.finfo(dtype).eps) ** 0.75
    return np.concatenate(([next_to], OFFSETS, [1.0 - next_to])).astype(dtype)


def estimate(xp: Any, log_values: Any, slopes: Any, t: Any, v: Any, width: Any, lost: Any) -> tuple[Any, Any]:
    """Logarithms of the integral and of its error estimate.

    Parameters
    ----------
    xp : module
        Array library.
    log_values, slopes, t, v : array, (panels, 17)
        Log integrand at ``places``, dt/dv there, and the places themselves.
    width : array, (panels,)
        Width of each panel in v.
    lost : boolean array, (panels, 17)
        Places whose mass is out of reach: it counts as error.

    Notes
    -----
    The estimate is QUADPACK's ``resasc * min(1, (200 |K - G| / resasc)^(3/2))``, not below 50 epsilon times the
    integral. Two additions: where |K - G| is explained by rounding of t, v and the log integrand, the floor is the
    estimate, since splitting cannot help; and where an edge lies far above the outermost node, a peak hides between
    them, and its possible mass counts as error. As all errors are relative to the largest value met, splitting the
    worst panel homes in on a peak that no node has met.
    """
    dtype = log_values.dtype
    eps = float(xp.finfo(dtype).eps)
    kronrod, gauss = WEIGHTS.astype(dtype)[None], _GAUSS_WEIGHTS.astype(dtype)[None]
    looked = log_values + xp.log(slopes)
    log_g = xp.where(lost, xp.full_like(looked, -math.inf), looked)[:, 1:-1]
    top = xp.max(log_g, axis=-1)
    top = xp.where(top == -math.inf, xp.zeros_like(top), top)
    g = xp.exp(log_g - top[:, None])
    integral = xp.sum(g * kronrod, axis=-1)
    difference = xp.abs(integral - xp.sum(g * gauss, axis=-1))
    variation = xp.sum(xp.abs(g - integral[:, None]) * kronrod, axis=-1)
    ratio = 200.0 * difference / xp.where(variation > 0, variation, xp.ones_like(variation))
    error = variation * xp.where(ratio < 1.0, ratio * xp.sqrt(ratio), xp.ones_like(ratio))
    shift = eps * (xp.abs(t / slopes) + xp.abs(v))[:, 2:-1] / width[:, None]
    splittable = difference > _noise(xp, g, log_values[:, 1:-1], shift, eps)
    error = xp.maximum(xp.where(splittable, error, xp.zeros_like(error)), 50.0 * eps * integral)
    scale = top + xp.log(width)
    return xp.log(integral) + scale, xp.maximum(xp.log(error) + scale, _hidden(xp, looked, lost) + xp.log(width))


def _noise(xp: Any, g: Any, log_values: Any, shift: Any, eps: float) -> Any:
    """Effect of rounding on the mean of g: of the log integrand, and of nodes that lie off by ``shift`` panels."""
    own = xp.sum(xp.where(g > 0, g * xp.abs(log_values), xp.zeros_like(g)) * WEIGHTS.astype(g.dtype)[None], axis=-1)
    change = (g[:, 1:] - g[:, :-1]) * xp.where(shift < 1.0, shift, xp.ones_like(shift))
    return eps * own + xp.sqrt(xp.sum(change * change, axis=-1))


def _hidden(xp: Any, looked: Any, lost: Any) -> Any:
    """Log of the mass that may lie between an edge and the outermost node, or out of reach; in units of the width."""
    edges, outermost = looked[:, ::16], looked[:, 1::14]
    nothing = xp.full_like(looked, -math.inf)
    between = xp.where(edges > outermost + _JUMP, edges + math.log(OFFSETS[0]), nothing[:, :2])
    return xp.maximum(xp.max(between, axis=-1), xp.max(xp.where(lost, looked, nothing), axis=-1))
