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

__all__ = ["CENTRE", "OFFSETS", "WEIGHTS", "estimate"]

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
#: Number of the middle node.
CENTRE = 7

_GAUSS_WEIGHTS = np.array(_GAUSS + _GAUSS[-2::-1]) / 2
#: An edge value this far above the outermost node (in log space) shows a peak between the two.
_JUMP = math.log(4.0)


def estimate(xp: Any, log_values: Any, log_slopes: Any, t: Any, v: Any, width: Any, ends: Any) -> tuple[Any, Any]:
    """Logarithms of the integral and of its error estimate.

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
    outermost node, a peak hides between them, and its possible mass counts as error. As all errors are relative to
    the largest value met, splitting the worst panel homes in on a peak that no node has met.
    """
    dtype = log_values.dtype
    eps = float(xp.finfo(dtype).eps)
    kronrod, gauss = WEIGHTS.astype(dtype), _GAUSS_WEIGHTS.astype(dtype)
    log_g = log_values + log_slopes
    top = xp.max(log_g, axis=-1)
    top = xp.where(top == -math.inf, xp.zeros_like(top), top)
    g = xp.exp(log_g - top[..., None])
    integral = xp.sum(g * kronrod, axis=-1)
    difference = xp.abs(integral - xp.sum(g * gauss, axis=-1))
    variation = xp.sum(xp.abs(g - integral[..., None]) * kronrod, axis=-1)
    ratio = 200.0 * difference / xp.where(variation > 0, variation, xp.ones_like(variation))
    error = variation * xp.where(ratio < 1.0, ratio * xp.sqrt(ratio), xp.ones_like(ratio))
    shift = eps * (xp.abs(t) * xp.exp(-log_slopes) + xp.abs(v)) / width[..., None]
    splittable = difference > _noise(xp, g, log_values, shift, eps)
    error = xp.maximum(xp.where(splittable, error, xp.zeros_like(error)), 50.0 * eps * integral)
    log_error = xp.log(error) + top
    for end, node in ((ends[0], log_g[..., 0]), (ends[1], log_g[..., -1])):
        hidden = xp.where(end > node + _JUMP, end + math.log(OFFSETS[0]), xp.full_like(end, -math.inf))
        log_error = xp.logaddexp(log_error, hidden)
    log_width = xp.log(width)
    return xp.log(integral) + top + log_width, log_error + log_width


def _noise(xp: Any, g: Any, log_values: Any, shift: Any, eps: float) -> Any:
    """Effect of rounding on the mean of g: of the log integrand, and of nodes that lie off by ``shift`` panels."""
    own = xp.sum(xp.where(g > 0, g * xp.abs(log_values), xp.zeros_like(g)) * WEIGHTS.astype(g.dtype), axis=-1)
    shift = xp.where(shift < 1.0, shift, xp.ones_like(shift))
    change = (g[..., 1:] - g[..., :-1]) * shift[..., 1:]
    return eps * own + xp.sqrt(xp.sum(change * change, axis=-1))
