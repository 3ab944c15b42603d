"""A distribution is one file: pure functions of tensors and a row of facts.

The author writes single points: every parameter and the variate is one scalar (or one vector or matrix). What
is derived: the support mask with finite gradients off the support, parameter checks, truncation masses, the
sampler from the quantile, transports, broadcasting, and the exam (:mod:`flatppl.exam`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.ops import (
    abs_,
    all_,
    any_,
    convert,
    equal,
    log,
    maximum,
    select,
)
from flatppl.tensor.program import Node
from flatppl.tensor.ranges import proved_range, range_of
from flatppl.values.array_sets import simplex_member, spd_member
from flatppl.values.forms import TensorForm, describe
from flatppl.values.product_sets import Power
from flatppl.values.sets import IntegerSet, RealSet, Set, is_nan, reals

__all__ = ["Case", "Distribution", "Domain", "Rng", "SimplexVector", "SpdMatrix", "Vector", "limit"]


@dataclass(frozen=True, slots=True)
class Vector:
    """Domain of a vector parameter: every entry in a scalar set."""

    entry: RealSet | IntegerSet
    rank = 1

    def contains(self, x: Node) -> Node:
        """Whether all entries are members."""
        return all_(self.entry.contains(x))

    def __str__(self) -> str:
        return f"vectors of {self.entry}"


@dataclass(frozen=True, slots=True)
class SimplexVector:
    """Domain of a probability vector."""

    rank = 1

    def contains(self, x: Node) -> Node:
        """Whether the entries are non-negative and sum to one."""
        return simplex_member(x)

    def __str__(self) -> str:
        return "stdsimplex"


@dataclass(frozen=True, slots=True)
class SpdMatrix:
    """Domain of a symmetric positive definite matrix."""

    rank = 2

    def contains(self, x: Node) -> Node:
        """Whether the matrix is symmetric (to rounding) and has a Cholesky factor."""
        return spd_member(convert(x, "real"))

    def __str__(self) -> str:
        return "symmetric positive definite matrices"


class Domain(Protocol):
    """Value set of a parameter: a scalar set, or anything with a ``rank`` and a membership test."""

    def contains(self, value: Any, /) -> Any:
        """Whether a parameter is a member."""


def limit(f: Callable[[Any], Any], x: Any, low: float, high: float) -> Any:
    """``f(x)``; where x is infinite for certain, its limit ``low`` or ``high``, which f itself may not differentiate."""
    fixed: Any = x.constant if isinstance(x, Node) else np.asarray(x)
    if fixed is not None and not fixed.shape and np.isinf(fixed):
        return low if fixed < 0 else high
    return f(x)


class Rng:
    """Source of independent random numbers for a sampler: one state, a fresh stream per call.

    Parameters
    ----------
    state : Node
        Scalar of kind ``rngstate``.
    """

    def __init__(self, state: Node) -> None:
        self._state = state
        self._stream = 0

    def _draw(self, name: str, shape: tuple[int, ...], *parameters: Any) -> Node:
        self._stream += 1
        builder = self._state.builder
        nodes = [builder.lift(parameter) for parameter in parameters]
        return builder.apply(name, self._state, *nodes, shape=shape, stream=self._stream)

    def uniform(self, shape: tuple[int, ...] = ()) -> Node:
        """Uniform on (0, 1)."""
        return self._draw("random_uniform", shape)

    def normal(self, shape: tuple[int, ...] = ()) -> Node:
        """Standard normal."""
        return self._draw("random_normal", shape)

    def loggamma(self, a: Node, shape: tuple[int, ...] | None = None) -> Node:
        """Logarithm of a Gamma(a, 1) draw; ``a`` is a scalar or has the result's shape."""
        return self._draw("random_loggamma", a.shape if shape is None else shape, a)

    def poisson(self, rate: Node) -> Node:
        """Poisson counts, one per entry of ``rate``."""
        return self._draw("random_poisson", rate.shape, rate)

    def binomial(self, n: Node, p: Node) -> Node:
        """Binomial counts."""
        return self._draw("random_binomial", p.shape, n, p)


@dataclass(frozen=True, slots=True)
class Case:
    """One row of truth, computed independently (mpmath or a closed form).

    Attributes
    ----------
    parameters : tuple
        Values (numbers or nested lists) in parameter order.
    x : number or nested list
    log_density : float
    cdf : float or None
    """

    parameters: tuple[Any, ...]
    x: Any
    log_density: float
    cdf: float | None = None


@dataclass(frozen=True, slots=True)
class Distribution:
    """A row of facts.

    Attributes
    ----------
    name : str
    parameters : tuple of (str, Domain)
        Names and value sets in positional order.
    support : Set or callable
        The set off which the density is zero, or a function of the parameters that gives it.
    log_density : callable
        ``log_density(x, *parameters)`` on the support; ``x`` is a real scalar even for discrete laws.
    truth : tuple of Case
    variate : callable or None
        ``variate(*parameters) -> TensorForm`` of the variate; a scalar if None. May look at shapes and fixed values.
        Refuses parameters whose shapes disagree.
    cdf, survival : callable or None
        ``cdf(x, *parameters)`` and its complement, accurate in the tail that it names.
    log_mass : callable or None
        ``log_mass(lo, hi, *parameters)``: log probability of [lo, hi] where a difference of ``cdf`` would underflow.
    quantile : callable or None
        ``quantile(u, *parameters)``, inverse of ``cdf``; the least k with cdf(k) >= u for discrete laws.
    upper_quantile : callable or None
        ``upper_quantile(q, *parameters)``, inverse of ``survival``: what ``quantile(1 - q)`` would be, for q so small
        that ``1 - q`` forgets it; the least k with survival(k) <= q for discrete laws.
    sample : callable or None
        ``sample(rng, *parameters)`` with an :class:`Rng`; derived from the quantile if absent.
    to_uniform, from_uniform, to_normal, from_normal : callable or None
        Canonical transports ``f(x, *parameters)`` where they do not follow from ``cdf`` and ``quantile``, or where
        another formula is more direct; either pair suffices.
    algebraic : callable or None
        ``log_density`` as the textbook writes it, for closed-form integrals, where the numerically careful form
        hides the powers and logarithms.
    decay : callable or None
        ``decay(k, *parameters)``: a bound of the ratio of any two successive masses of a discrete law from k on, by
        which the tail of a sum over the law is bounded.
    periodic : bool
        The density is defined outside the support too, which is one period: for integrals and samples.
    discrete : bool
        The reference is the counting measure and the variate an integer; Lebesgue and real otherwise.
    normalized : bool
        The total mass is one.
    """

    name: str
    parameters: tuple[tuple[str, Domain], ...]
    support: Set | Callable[..., Set]
    log_density: Callable[..., Any]
    truth: tuple[Case, ...]
    variate: Callable[..., TensorForm] | None = None
    cdf: Callable[..., Any] | None = None
    survival: Callable[..., Any] | None = None
    log_mass: Callable[..., Any] | None = None
    quantile: Callable[..., Any] | None = None
    upper_quantile: Callable[..., Any] | None = None
    sample: Callable[..., Any] | None = None
    to_uniform: Callable[..., Any] | None = None
    from_uniform: Callable[..., Any] | None = None
    to_normal: Callable[..., Any] | None = None
    from_normal: Callable[..., Any] | None = None
    algebraic: Callable[..., Any] | None = None
    decay: Callable[..., Any] | None = None
    periodic: bool = False
    discrete: bool = False
    normalized: bool = True

    def support_of(self, parameters: Sequence[Node]) -> Set:
        """Support for given parameters."""
        return self.support if isinstance(self.support, Set) else self.support(*parameters)

    def form(self, parameters: Sequence[Node]) -> TensorForm:
        """Form of the variate."""
        if self.variate is not None:
            return self.variate(*parameters)
        return TensorForm("integer" if self.discrete else "real")

    def density(self, x: Node, parameters: Sequence[Node], algebraic: bool = False) -> Node:
        """Log density anywhere: ``-inf`` off the support and at infinity, with finite gradients there."""
        formula = self.algebraic if algebraic and self.algebraic is not None else self.log_density
        point = convert(x, "real")
        support = self.support_of(parameters)
        if self.periodic or support is reals or (isinstance(support, Power) and support.base is reals):
            return x.builder.lift(formula(point, *parameters))
        inside = support.contains(x if x.kind == "integer" else point)
        if not support.discrete and not algebraic:
            inside = inside & ~any_(equal(abs_(point), float("inf")))
        if inside.constant is not None and inside.constant.all():
            return x.builder.lift(formula(point, *parameters))
        safe = select(inside, point, convert(support.witness(x.builder), "real"))  # type: ignore[attr-defined]
        value = x.builder.lift(formula(safe, *parameters))
        return select(inside, value, -float("inf"))

    def log_interval(self, lo: Any, hi: Any, parameters: Sequence[Node]) -> Node | None:
        """Log probability of [lo, hi] (of lo < k <= hi for discrete laws), from the smaller tail; None without a cdf."""
        if self.cdf is None:
            return None
        if self.log_mass is not None:
            return self.log_mass(lo, hi, *parameters)
        below, above = (self._at(self.cdf, end, parameters, 0.0, 1.0) for end in (lo, hi))
        if self.survival is None:
            return log(maximum(above - below, 0.0))
        left, right = (self._at(self.survival, end, parameters, 1.0, 0.0) for end in (lo, hi))
        mass = select(below > 0.5, left - right, select(above < 0.5, above - below, 1.0 - below - right))
        return log(maximum(mass, 0.0))

    @staticmethod
    def _at(f: Callable[..., Any], x: Any, parameters: Sequence[Node], low: float, high: float) -> Any:
        return limit(lambda end: f(end, *parameters), x, low, high)


def check_parameter(row: Distribution, name: str, domain: Domain, x: Node) -> tuple[Node, Node] | None:
    """Flags (inside, excused) of a parameter, or None where its membership is proved.

    Refuses a parameter that is provably outside its set.
    """
    rank = getattr(domain, "rank", 0)
    if len(x.shape) != rank:
        noun = ("scalar", "vector", "matrix")[rank]
        got = describe(TensorForm(x.kind, x.shape, (len(x.shape),) if x.shape else ()))
        refuse("shape", f"{row.name}: parameter {name!r} must be a {noun}, got a {got}")
    scalar = domain if isinstance(domain, (RealSet, IntegerSet)) else getattr(domain, "entry", None)
    if scalar is not None:
        if range_of(x).disjoint(scalar.interval):
            refuse("domain", f"{row.name}: {name} is outside its declared value set {domain}")
        if proved_range(x).inside(scalar.interval) and (isinstance(scalar, RealSet) or x.kind == "integer"):
            return None
    inside = domain.contains(x)
    if inside.constant is not None:
        if not inside.constant.all():
            refuse("domain", f"{row.name}: {name} is outside its declared value set {domain}")
        return None
    missing = is_nan(x)
    return inside, x.builder.apply("any", missing, axes=tuple(range(rank))) if rank else missing
