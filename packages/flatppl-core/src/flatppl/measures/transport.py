"""Kernels as data: ``builtin_logdensityof`` and the transports to and from standard uniforms and normals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flatppl.distribution import Distribution
from flatppl.errors import refuse
from flatppl.measures.base import MeasureOperation, same_form
from flatppl.measures.constructor import DistributionMeasure
from flatppl.measures.fundamental import Flat
from flatppl.measures.sampling import applied_row
from flatppl.tensor.guards import guard_value
from flatppl.tensor.ops import all_, convert, maximum, minimum, ndtr, ndtri, select
from flatppl.tensor.program import Node
from flatppl.values.forms import Tensor, describe, form_of
from flatppl.values.sets import RealSet

__all__ = ["OPERATIONS"]


def _log_density(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) != 3:
        refuse("call", "builtin_logdensityof(kernel, input, x) takes three positional inputs")
    kernel, given, x = args
    measure = yield applied_row(evaluator, kernel, given, "builtin_logdensityof")
    if not same_form(measure.form(), form_of(x)):
        refuse("point", f"the point is a {describe(x)}, the variate a {describe(measure.form())}")
    return Tensor((yield evaluator.density(measure, x)))


def _transport(name: str, apply: Callable[[Any, Node], Any]) -> MeasureOperation:
    def rule(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if keywords or len(args) != 3:
            refuse("call", f"{name}(kernel, input, x) takes three positional inputs")
        kernel, given, x = args
        measure = yield applied_row(evaluator, kernel, given, name)
        if not isinstance(x, Tensor) or x.kind not in ("boolean", "integer", "real"):
            refuse("point", f"{name}: the point must be a real scalar or vector, got {describe(x)}")
        node = apply(_row(measure, name), convert(x.node, "real"))
        return Tensor(node, (1,) if node.shape else ())

    return MeasureOperation(name, rule)


class _Transport:
    """The four maps of one measure; whatever a row does not give follows from the others."""

    def __init__(self, measure: DistributionMeasure) -> None:
        self.row: Distribution = measure.row
        self.parameters = measure.parameters
        self.checked = measure.checked

    def to_uniform(self, x: Node) -> Node:
        if self.row.to_uniform is not None:
            return self._at(self.row.to_uniform, x)
        return ndtr(self.to_normal(x)) if self.row.to_normal is not None else self._at(self.row.cdf, self._inside(x))

    def from_uniform(self, u: Node) -> Node:
        inside = all_((u >= 0.0) & (u <= 1.0)) if u.shape else (u >= 0.0) & (u <= 1.0)
        u = guard_value(u, inside, f"{self.row.name}: an inverse-uniform transport needs values in 0 to 1")
        if self.row.from_uniform is not None:
            return self._at(self.row.from_uniform, u)
        return self.from_normal(ndtri(u)) if self.row.from_normal is not None else self._at(self.row.quantile, u)

    def to_normal(self, x: Node) -> Node:
        """From the smaller tail, where the row has both."""
        if self.row.to_normal is not None:
            return self._at(self.row.to_normal, self._inside(x))
        if self.row.to_uniform is not None:
            return ndtri(self.to_uniform(x))
        point = self._inside(x)
        below = self._at(self.row.cdf, point)
        if self.row.survival is None:
            return ndtri(below)
        above = self._at(self.row.survival, point)
        return select(below < 0.5, ndtri(minimum(below, 0.5)), -ndtri(minimum(above, 0.5)))

    def from_normal(self, z: Node) -> Node:
        """From the smaller tail, where the row has both."""
        if self.row.from_normal is not None:
            return self._at(self.row.from_normal, z)
        if self.row.from_uniform is not None or self.row.upper_quantile is None:
            return self._at(self.row.from_uniform or self.row.quantile, ndtr(z))
        low = z < 0.0
        tail = ndtr(select(low, z, -z))
        return select(low, self._at(self.row.quantile, tail), self._at(self.row.upper_quantile, tail))

    def _at(self, f: Any, x: Node) -> Node:
        return self.checked(x.builder.lift(f(x, *self.parameters)))

    def _inside(self, x: Node) -> Node:
        support = self.row.support_of(self.parameters)
        return minimum(maximum(x, support.lo), support.hi) if isinstance(support, RealSet) else x


class _Interval:
    """The four maps of the uniform law of an interval."""

    def __init__(self, measure: Flat) -> None:
        self.lo, self.hi = measure.region.lo, measure.region.hi  # type: ignore[attr-defined]

    def to_uniform(self, x: Node) -> Node:
        return self._share(x - self.lo)

    def from_uniform(self, u: Node) -> Node:
        return self.lo + self._width(u) * u

    def to_normal(self, x: Node) -> Node:
        below, above = self._share(x - self.lo), self._share(self.hi - x)
        low = below < above
        z = ndtri(select(low, below, above))
        return select(low, z, -z)

    def from_normal(self, z: Node) -> Node:
        low = z < 0.0
        step = self._width(z) * ndtr(select(low, z, -z))
        return select(low, self.lo + step, self.hi - step)

    def _share(self, distance: Node) -> Node:
        return minimum(maximum(distance / self._width(distance), 0.0), 1.0)

    def _width(self, like: Node) -> Node:
        return like.builder.lift(self.hi) - self.lo


def _row(measure: Any, name: str) -> Any:
    if isinstance(measure, Flat) and measure.normalized and isinstance(measure.region, RealSet):
        return _Interval(measure)
    if isinstance(measure, DistributionMeasure) and _has_transport(measure.row):
        return _Transport(measure)
    refuse(
        "density",
        f"{name}: {measure.describe()} has no canonical transport; it needs a continuous law with a cdf and a quantile",
    )


def _has_transport(row: Distribution) -> bool:
    given = (row.to_uniform and row.from_uniform) or (row.to_normal and row.from_normal)
    scalar = row.variate is None and row.cdf is not None and row.quantile is not None
    return not row.discrete and bool(given or scalar)


OPERATIONS = (
    MeasureOperation("builtin_logdensityof", _log_density),
    _transport("builtin_touniform", lambda row, x: row.to_uniform(x)),
    _transport("builtin_fromuniform", lambda row, x: row.from_uniform(x)),
    _transport("builtin_tonormal", lambda row, x: row.to_normal(x)),
    _transport("builtin_fromnormal", lambda row, x: row.from_normal(x)),
)
