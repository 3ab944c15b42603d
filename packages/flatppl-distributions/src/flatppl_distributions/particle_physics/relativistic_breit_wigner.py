"""RelativisticBreitWigner(mean, width): density proportional to ``1 / ((x^2 - m^2)^2 + m^2 G^2)`` at x > 0.

In units of m, with ``r = G/m`` and ``h = sqrt(1 + r^2)``, the quartic is ``(y^2 - a y + h)(y^2 + a y + h)`` with
``a^2 = 2 (h + 1)``, and partial fractions give the integral. Source: PDG review of resonances; the rest is derived here.
"""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import abs_, asinh, atan2, exp, log, log1p, maximum, minimum, select, sqrt, square, tan
from flatppl.tensor.program import Node
from flatppl.values.sets import posreals
from flatppl_distributions.bisection import bisected
from flatppl_distributions.numerics import Number, log1p_square

#: Halvings of a bracket of at most 1500 in log(x/m), so many that Newton's method has one step left.
_STEPS = 48


def _log_pole(x: Number, mean: Number, width: Number) -> Number:
    """Logarithm of ``1 + ((x^2 - m^2) / (m G))^2`` where the squares may overflow."""
    u, v = (x - mean) / width, (x + mean) / mean
    far = abs_(u) > 1e8
    return select(far, 2.0 * (log(abs_(select(far, u, 1.0))) + log(v)), log1p_square(select(far, 0.0, u) * v))


def log_density(x: Number, mean: Number, width: Number) -> Number:
    """Log density."""
    h = sqrt(1.0 + square(width / mean))
    return (
        math.log(2.0 * math.sqrt(2.0) / math.pi) + log(h) - 0.5 * log(1.0 + h) - log(width) - _log_pole(x, mean, width)
    )


def _parts(y: Number, r: Number) -> tuple[Number, Number, Number]:
    """h, the angle's numerator and the logarithmic part of pi times the distribution function at y = x/m."""
    h = sqrt(1.0 + square(r))
    a = sqrt(2.0 * (1.0 + h))
    b = math.sqrt(2.0) * r / sqrt(1.0 + h)
    hill = r / (2.0 * (1.0 + h)) * log1p(2.0 * a * y / (square(y - 0.5 * a) + square(0.5 * b)))
    return h, y * b, hill


def cdf(x: Number, mean: Number, width: Number) -> Number:
    """Distribution function."""
    y = minimum(maximum(x / mean, 0.0), 1e18)
    h, side, hill = _parts(y, width / mean)
    return (atan2(side, h - square(y)) + hill) / math.pi


def survival(x: Number, mean: Number, width: Number) -> Number:
    """Upper tail; far out, where the closed form cancels, by its series in h/y^2."""
    r = width / mean
    y = maximum(x / mean, 0.0)
    far = square(y) > 25.0 * sqrt(1.0 + square(r))
    h, side, hill = _parts(select(far, 1.0, y), r)
    near = (atan2(side, square(select(far, 1.0, y)) - h) - hill) / math.pi
    return select(far, _far_tail(select(far, y, 6.0 * h), r, h), near)


def _far_tail(y: Number, r: Number, h: Number) -> Number:
    """Sum over n of ``U_n(1/h) q^n / (2n + 3)``, q = h/y^2, times its constant, by Clenshaw's rule."""
    q = h / y / y
    first: Number = 0.0
    second: Number = 0.0
    for n in reversed(range(14)):
        first, second = 1.0 / (2 * n + 3) + 2.0 * q / h * first - square(q) * second, first
    return 2.0 * math.sqrt(2.0) / math.pi * r * h / sqrt(1.0 + h) * first / y / y / y


def _inverse(u: Node, q: Node, mean: Node, width: Node) -> Number:
    """The point with probability u below it and q above it.

    By bisection of log(x/m), and a step of Newton's method, which also carries the derivatives. The sampler's Cauchy law
    gives the bracket: one sign has between half and all of its probability, the other at most half.
    """
    lower, r = u < q, width / mean
    h = sqrt(1.0 + square(r))
    size = math.sqrt(0.5) * r / sqrt(h * (1.0 + h))
    low = 0.5 * log(h) - asinh(size / tan(0.5 * math.pi * u))
    high = 0.5 * log(h) + asinh(size / tan(math.pi * minimum(q, 0.5)))

    def below(t: Node) -> Node:
        x = mean * exp(t)
        return select(lower, cdf(x, mean, width) < u, survival(x, mean, width) > q)

    x = mean * exp(bisected(low, high, below, _STEPS))
    excess = select(lower, cdf(x, mean, width) - u, q - survival(x, mean, width))
    return x - excess * exp(-log_density(x, mean, width))


def quantile(u: Node, mean: Node, width: Node) -> Number:
    """Inverse of the distribution function."""
    return _inverse(u, 1.0 - u, mean, width)


def upper_quantile(q: Node, mean: Node, width: Node) -> Number:
    """Inverse of the upper tail."""
    return _inverse(1.0 - q, q, mean, width)


def sample(rng: Rng, mean: Number, width: Number) -> Number:
    """One draw: ``t = h/y - y`` is a Cauchy draw, positive with probability ``(1 + |t| / sqrt(t^2 + 4h)) / 2``.

    That is the density of h/y by the Cauchy-Schlömilch transformation.
    """
    r = width / mean
    h = sqrt(1.0 + square(r))
    size = math.sqrt(2.0) * r / sqrt(1.0 + h) * abs_(1.0 / tan(math.pi * rng.uniform()))
    root = sqrt(square(size) + 4.0 * h)
    positive = 2.0 * root * rng.uniform() < root + size
    larger = 0.5 * (root + size)
    return mean * select(positive, h / larger, larger)


RelativisticBreitWigner = Distribution(
    name="RelativisticBreitWigner",
    parameters=(("mean", posreals), ("width", posreals)),
    support=posreals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    upper_quantile=upper_quantile,
    sample=sample,
    truth=(
        Case((1.0, 0.2), 1.0, 1.1725389395819326, 0.5630845494197774),
        Case((1.0, 0.2), 0.5, -1.539669271668941, 0.07480849287051708),
        Case((91.19, 2.5), 90.0, -2.0065548939850166, 0.27476258768444367),
        Case((91.19, 2.5), 0.001, -8.561652038161077, 1.913029925669487e-07),
        Case((91.19, 2.5), 1000000.0, -45.77116197020492, 0.9999999999999956),
        Case((3.0969, 9.3e-05), 3.097, 7.104114264234299, 0.8615026331524488),
        Case((0.001, 5.0), 0.1, 0.9347716806311872, 0.9037333143338655),
        Case((1.0, 0.2), 1e30, -278.35654804457175, 1.0),
        Case((1.0, 0.2), 4.9, -8.318270239185125, 0.9996147812589224),
        Case((1.0, 0.2), 5.3, -8.64472070170239, 0.9996978657647121),
    ),
)
