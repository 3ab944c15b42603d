"""Gumbel(mu, beta): distribution function exp(-exp(-z)) with z = (x - mu)/beta. A FlatPPL plugin in one file.

g = standard_module("gumbel", "0.1")
x ~ g.Gumbel(0.0, 2.0)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from flatppl.distribution import Case, Distribution
from flatppl.hooks import StandardModule, hookimpl
from flatppl.tensor.ops import equal, exp, expm1, log, select
from flatppl.values.sets import posreals, reals


def log_density(x: Any, mu: Any, beta: Any) -> Any:
    """Log density, -inf where the double exponential overflows."""
    z = (x - mu) / beta
    weight = exp(-z)
    return -log(beta) - select(equal(weight, math.inf), math.inf, z + weight)


def cdf(x: Any, mu: Any, beta: Any) -> Any:
    """Distribution function."""
    return exp(-exp((mu - x) / beta))


def survival(x: Any, mu: Any, beta: Any) -> Any:
    """Upper tail."""
    return -expm1(-exp((mu - x) / beta))


def quantile(u: Any, mu: Any, beta: Any) -> Any:
    """Inverse of the distribution function."""
    return mu - beta * log(-log(u))


Gumbel = Distribution(
    name="Gumbel",
    parameters=(("mu", reals), ("beta", posreals)),
    support=reals,
    log_density=log_density,
    cdf=cdf,
    survival=survival,
    quantile=quantile,
    truth=(
        Case((0.0, 1.0), 0.0, -1.0, 0.36787944117144233),
        Case((1.0, 2.0), 3.5, -2.2296519774201355, 0.7508834766393948),
        Case((-0.5, 0.25), -1.25, -15.699242562067777, 1.8921786948382924e-09),
        Case((0.0, 1.0), 40.0, -40.0, 1.0),
    ),
)


@hookimpl
def flatppl_modules() -> Iterable[StandardModule]:
    """Give the module ``gumbel``."""
    return [StandardModule("gumbel", "0.1", {Gumbel.name: Gumbel})]
