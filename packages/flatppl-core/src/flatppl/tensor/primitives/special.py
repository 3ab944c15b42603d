"""Special functions of reals; all elementwise. The NumPy meaning is SciPy's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flatppl.tensor.intervals import NONNEGATIVE, UNIT, Interval, increasing
from flatppl.tensor.primitives.rules import elementwise
from flatppl.tensor.program import Primitive

_REAL = elementwise(("real",))


def _scipy(name: str) -> Any:
    def evaluate(*arrays: Any) -> Any:
        from scipy import special

        return getattr(special, name)(*arrays)

    return evaluate


def _log_i0e(x: Any) -> Any:
    from scipy.special import i0e

    return np.log(i0e(x))


def _special(name: str, scipy_name: str, bounds: Any = None) -> Primitive:
    return Primitive(name, _REAL, _scipy(scipy_name), elementwise=True, range=bounds)


PRIMITIVES = (
    _special("lgamma", "gammaln"),
    _special("digamma", "digamma"),
    _special("gamma", "gamma"),
    _special("erf", "erf", increasing(math.erf)),
    _special("erfc", "erfc", lambda a: Interval(0.0, 2.0)),
    # Standard normal distribution function and its logarithm; accurate in both tails.
    _special("ndtr", "ndtr", lambda a: UNIT),
    _special("log_ndtr", "log_ndtr", lambda a: Interval(hi=0.0)),
    # Standard normal quantile: -inf at 0, +inf at 1.
    _special("ndtri", "ndtri"),
    # log(exp(x) + ...) forms with the conventions 0 * log 0 = 0 and 0 * log1p(-1) = 0.
    _special("xlogy", "xlogy"),
    _special("xlog1py", "xlog1py"),
    # Regularized lower and upper incomplete gamma functions of (a, x), and the inverse of each in x.
    _special("gammainc", "gammainc", lambda a, x: UNIT),
    _special("gammaincc", "gammaincc", lambda a, x: UNIT),
    _special("gammaincinv", "gammaincinv", lambda a, p: NONNEGATIVE),
    _special("gammainccinv", "gammainccinv", lambda a, p: NONNEGATIVE),
    # Regularized incomplete beta function of (a, b, x), its complement, and the inverse of each in x.
    _special("betainc", "betainc", lambda a, b, x: UNIT),
    _special("betaincc", "betaincc", lambda a, b, x: UNIT),
    _special("betaincinv", "betaincinv", lambda a, b, p: UNIT),
    _special("betainccinv", "betainccinv", lambda a, b, q: UNIT),
    # log(exp(-abs(x)) I_0(x)), the scaled modified Bessel function.
    Primitive("log_i0e", _REAL, _log_i0e, elementwise=True),
    # log B(a, b), without the cancellation of three log-gammas where one argument is large.
    _special("lbeta", "betaln"),
)
