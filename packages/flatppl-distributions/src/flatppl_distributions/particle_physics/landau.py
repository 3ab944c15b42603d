"""Landau(loc, scale): density phi(z)/scale with phi(z) = (1/pi) int_0^inf exp(-t log t - z t) sin(pi t) dt.

Three Chebyshev series give log phi to 1e-15 (L. Landau, J. Phys. USSR 8 (1944) 201; the expansions are derived here):

* below -2: with s = exp(-z - 1), the contour through the saddle point at s gives ``log phi = log(s / 2 pi)/2 - s +
  LEFT(1/s)``, where LEFT is ``log( sqrt(2/pi) int_0^inf Re exp([v log v - v + 1]/y) dr )``, v = 1 + i r sqrt(y), y = 1/s;
* from -2 to 4: ``log phi = MIDDLE(z)``;
* above 4: with w + log w = z, the contour around the cut gives ``log phi = RIGHT(1/w) - 2 log w``, where RIGHT is
  ``log( int_0^inf exp(-t - x t log t) sin(pi x t)/(pi x) dt )``, x = 1/w: smooth down to x = 0, without logarithms of z.

The coefficients are those of the interpolants at 34 (40 for MIDDLE) Chebyshev nodes, from mpmath's quadrature at 25
digits, cut where they fall below 1e-16.
"""

from __future__ import annotations

import math

from flatppl.distribution import Case, Distribution, Rng
from flatppl.tensor.ops import exp, log, maximum, minimum, select, sin, tan
from flatppl.values.sets import posreals, reals
from flatppl_distributions.numerics import HALF_LOG_2PI, Number

#: The ends of the middle piece, and w at its upper end.
_LOW, _HIGH, _HIGH_W = -2.0, 4.0, 2.9262710624435009

_LEFT = (
    0.006875702399876076, 0.006646848014614142, -0.0002117263092124202, 1.5236543093094797e-05,
    -1.6264357420277802e-06, 2.212806162359964e-07, -3.5626394684499895e-08, 6.504339746462573e-09,
    -1.3105795561323642e-09, 2.861034499782689e-10, -6.677554088711683e-11, 1.6498358957150824e-11,
    -4.282285793107189e-12, 1.1606485455022501e-12, -3.268895412951946e-13, 9.528839859800456e-14,
    -2.865303282018479e-14, 8.862804573920378e-15, -2.8131899093243823e-15, 9.144404692644857e-16,
    -3.038497288839421e-16, 1.0304443823599522e-16,
)  # fmt: skip
_MIDDLE = (
    -2.389420020540054, -0.19471228867660395, -0.5434424150069312, 0.26459572252324215, -0.08923280279592345,
    0.024615194858067208, -0.0058293242125578544, 0.0012088824427177638, -0.00022155027017586705,
    3.6070308324674127e-05, -5.251239296089627e-06, 6.93705742510879e-07, -8.562515491404488e-08,
    1.0226184184173432e-08, -1.1729099769896335e-09, 1.1411136205974234e-10, -6.157150715439804e-12,
    -3.333876950219508e-13, 1.323819332960058e-14, 4.340260403360793e-14, -1.268681933973656e-14,
    9.417758888050925e-16, 3.8562062728657854e-16, -1.329215129886972e-16,
)  # fmt: skip
_RIGHT = (
    -0.39065598999104295, -0.3979275980636649, -0.00023429109434135062, 0.0051015300939195795, -0.0015181540984617159,
    0.0003411002396555083, -6.512845655708302e-05, 1.0371862605151768e-05, -1.153971549230156e-06,
    -2.1710299989745396e-08, 6.464813981208826e-08, -2.567246041831053e-08, 7.452806364299643e-09,
    -1.8140223749921451e-09, 3.7763015477895773e-10, -6.401953811961538e-11, 6.828947907142656e-12,
    6.552768996767267e-13, -6.958577184916432e-13, 2.765414118963634e-13, -8.434657393617073e-14,
    2.1910812880174976e-14, -4.936148773781233e-15, 9.327013430583988e-16, -1.2631268005641486e-16,
)  # fmt: skip


def _chebyshev(x: Number, lo: float, hi: float, coefficients: tuple[float, ...]) -> Number:
    """Clenshaw's rule on [lo, hi]."""
    twice = (x - 0.5 * (lo + hi)) * (4.0 / (hi - lo))
    first: Number = 0.0
    second: Number = 0.0
    for coefficient in reversed(coefficients[1:]):
        first, second = coefficient + twice * first - second, first
    return coefficients[0] + 0.5 * twice * first - second


def _omega(z: Number) -> Number:
    """The w with ``w + log w = z``, for z >= 4, by two steps of Fritsch, Shafer and Crowley (1973)."""
    vast = z > 1e17
    point = select(vast, _HIGH, z)
    w = point - log(point)
    for _ in range(2):
        rest = point - w - log(w)
        size = 2.0 * (1.0 + w) * (1.0 + w + 2.0 / 3.0 * rest)
        w = w * (1.0 + rest / (1.0 + w) * (size - rest) / (size - 2.0 * rest))
    return select(vast, z, w)


def _left(z: Number) -> Number:
    rise = exp(z + 1.0)
    return (
        _chebyshev(rise, 0.0, math.exp(_LOW + 1.0), _LEFT)
        - 0.5 * (maximum(z, -1e4) + 1.0)
        - exp(-z - 1.0)
        - HALF_LOG_2PI
    )


def _right(z: Number) -> Number:
    w = _omega(z)
    return _chebyshev(1.0 / w, 0.0, 1.0 / _HIGH_W, _RIGHT) - 2.0 * log(w)


def log_phi(z: Number) -> Number:
    """Logarithm of the standard density."""
    middle = _chebyshev(minimum(maximum(z, _LOW), _HIGH), _LOW, _HIGH, _MIDDLE)
    return select(z < _LOW, _left(minimum(z, _LOW)), select(z > _HIGH, _right(maximum(z, _HIGH)), middle))


def log_density(x: Number, loc: Number, scale: Number) -> Number:
    """Log density."""
    return log_phi((x - loc) / scale) - log(scale)


def sample(rng: Rng, loc: Number, scale: Number) -> Number:
    """One draw, as of a stable law of index one (Chambers, Mallows and Stuck 1976)."""
    angle = math.pi * rng.uniform()
    exponential = -log(rng.uniform())
    return loc - scale * (angle / tan(angle) + log(exponential * sin(angle) / angle))


Landau = Distribution(
    name="Landau",
    parameters=(("loc", reals), ("scale", posreals)),
    support=reals,
    log_density=log_density,
    sample=sample,
    truth=(
        Case((10.0, 1.0), 12.0, -2.2546239439758198),
        Case((10.0, 1.0), 9.0, -1.8878833639667927),
        Case((10.0, 1.0), 3.5, -242.8607008613436),
        Case((10.0, 1.0), 8.0, -3.123895736370656),
        Case((10.0, 1.0), 7.99, -3.146332759092454),
        Case((10.0, 1.0), 13.99, -2.929199925613365),
        Case((10.0, 1.0), 14.01, -2.9356118933203503),
        Case((10.0, 1.0), 70.0, -8.084523398431454),
        Case((10.0, 1.0), 1e30, -138.15510557964274),
        Case((3.0, 0.5), 4.0, -1.5614767634158746),
        Case((3.0, 0.5), 2.25, -1.6039455060602323),
        Case((2.0, 0.25), 2.0, -0.3348901889374586),
    ),
)
