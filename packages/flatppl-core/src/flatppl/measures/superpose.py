"""``superpose(M1, M2, ...)``: the sum of measures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flatppl.distribution import Rng
from flatppl.errors import refuse
from flatppl.measures.base import (
    FINITE,
    LOCALLY_FINITE,
    NORMALIZED,
    NULL,
    UNKNOWN,
    Measure,
    MeasureOperation,
    once,
    require_measure,
    same_form,
)
from flatppl.measures.constructor import DistributionMeasure
from flatppl.measures.lift import fan_out
from flatppl.measures.weighted import Weighted
from flatppl.tensor.intervals import UNIT, hull
from flatppl.tensor.ops import convert, cumsum, equal, exp, logsumexp, minimum, select, stack, sum_
from flatppl.tensor.program import Node
from flatppl.tensor.ranges import range_of
from flatppl.values.array_sets import Simplex
from flatppl.values.forms import Form, Tensor, describe, flatten, unflatten
from flatppl.values.sets import IntegerSet, RealSet, Set

__all__ = ["OPERATIONS", "Superposition", "chosen", "pick", "sums_to_one"]


@dataclass(frozen=True, eq=False)
class Superposition(Measure):
    """Sum of measures over one variate space with one reference."""

    parts: tuple[Measure, ...]

    @cached_property
    def reference(self) -> Any:
        """That of every part."""
        return self.parts[0].reference

    @cached_property
    def mass_class(self) -> str:
        """Normalized where weights provably sum to one."""
        classes = {part.mass_class for part in self.parts}
        if self._provably_one():
            return NORMALIZED
        if UNKNOWN in classes:
            return UNKNOWN
        if LOCALLY_FINITE in classes:
            return LOCALLY_FINITE
        return NULL if classes == {NULL} else FINITE

    def _provably_one(self) -> bool:
        if not all(isinstance(p, Weighted) and p.constant and not p.logarithmic for p in self.parts):
            return False
        if any(p.base.mass_class != NORMALIZED for p in self.parts):  # type: ignore[attr-defined]
            return False
        weights = [p.weight.node for p in self.parts]  # type: ignore[attr-defined]
        if all(weight.constant is not None for weight in weights):
            return sums_to_one(stack(*weights))
        if len(weights) == 2 and (_complement(*weights) or _complement(*reversed(weights))):
            return True
        vector = _vector_of(weights)
        return vector is not None and sums_to_one(vector)

    @once
    def form(self) -> Form:
        """That of the parts; real where an atom is written as an integer beside a law of reals."""
        forms = [part.form() for part in self.parts]
        return next((form for form in forms if getattr(form, "kind", None) == "real"), forms[0])

    @once
    def support(self) -> Set | None:
        """The least interval that holds the supports of all parts."""
        supports = [part.support() for part in self.parts]
        if all(isinstance(support, RealSet) for support in supports):
            reach = hull(*(support.interval for support in supports))  # type: ignore[union-attr]
            return RealSet(reach.lo, reach.hi, reach.lo_open, reach.hi_open)
        if all(isinstance(support, IntegerSet) for support in supports):
            reach = hull(*(support.interval for support in supports))  # type: ignore[union-attr]
            return IntegerSet(reach.lo, reach.hi)
        return None

    def log_density(self, evaluator: Any, x: Any) -> Any:
        first = self.parts[0]
        for part in self.parts[1:]:
            if part.reference != first.reference:
                pair = f"{first.describe()} and {part.describe()}"
                refuse("reference", f"superpose: {pair} have different reference measures, so densities do not add")
        family = _family(self.parts)
        if family is not None:
            return (yield _at_once(evaluator, *family, x))
        densities = []
        for part in self.parts:
            densities.append((yield evaluator.density(part, x)))
        return logsumexp(stack(*densities))

    def sample(self, evaluator: Any, stream: Any) -> Any:
        masses, values = [], []
        chooser = Rng(stream.next())
        for part in self.parts:
            masses.append((yield evaluator.log_mass(part)))
            values.append((yield evaluator.sample(part, stream)))
        return chosen(stack(*masses), chooser, values)

    def sample_within(self, evaluator: Any, stream: Any, region: Set) -> Any:
        masses, values = [], []
        chooser = Rng(stream.next())
        for part in self.parts:
            masses.append((yield evaluator.log_mass_within(part, region)))
            values.append((yield part.sample_within(evaluator, stream, region)))
        return chosen(stack(*masses), chooser, values)

    def components(self, evaluator: Any) -> Any:
        found = []
        for part in self.parts:
            found.extend((yield part.components(evaluator)))
        return found

    def log_mass(self, evaluator: Any) -> Any:
        masses = []
        for part in self.parts:
            masses.append((yield evaluator.log_mass(part)))
        return logsumexp(stack(*masses))

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        masses = []
        for part in self.parts:
            masses.append((yield evaluator.log_mass_within(part, region)))
        return logsumexp(stack(*masses))


#: Fewer parts than this are added one by one.
FAMILY = 3


def _family(parts: tuple[Measure, ...]) -> tuple[Any, list[Node], list[Any]] | None:
    """(row, log weights, laws) of many weighted laws of one distribution with scalar parameters, otherwise None."""
    laws, weights = [], []
    for part in parts:
        if not isinstance(part, Weighted) or not part.constant or not isinstance(part.base, DistributionMeasure):
            return None
        weights.append(part.log_weight_of(part.weight))
        laws.append(part.base)
    same = len(parts) >= FAMILY and all(law.row is laws[0].row for law in laws)
    flat = same and all(not node.shape for law in laws for node in law.parameters)
    return (laws[0].row, weights, laws) if flat else None


def _at_once(evaluator: Any, row: Any, weights: list[Node], laws: list[Any], x: Any) -> Any:
    """Task: one density body mapped over the components, which compiles to one operation instead of one per part."""
    columns = [stack(*column) for column in zip(*(law.parameters for law in laws), strict=True)]

    def body(variables: list[Node]) -> Any:
        law = DistributionMeasure.build(row, tuple(Tensor(node) for node in variables[1:]))
        return [variables[0] + (yield evaluator.density(law, x))]

    (terms,) = yield evaluator.map_cells([stack(*weights), *columns], (len(laws),), body)
    return logsumexp(terms)


def chosen(log_masses: Node, rng: Rng, values: list[Any]) -> Any:
    """One of the values, with probabilities proportional to the masses."""
    index = pick(log_masses, rng)
    form, nodes = flatten(values[-1])
    for place in range(len(values) - 2, -1, -1):
        others = flatten(values[place])[1]
        nodes = [select(equal(index, place), other, node) for other, node in zip(others, nodes, strict=True)]
    return unflatten(form, iter(nodes))


def pick(log_masses: Node, rng: Rng) -> Node:
    """Zero-based index with probability proportional to the exponential of the entries."""
    shares = exp(log_masses - logsumexp(log_masses))
    below = cumsum(shares) < rng.uniform()
    return minimum(sum_(convert(below, "integer")), log_masses.shape[0] - 1)


def sums_to_one(weights: Node) -> bool:
    """Whether a vector provably lies on the simplex: a softmax, a draw, an input with that set, or fixed numbers.

    Numbers are taken as they are written, in exact decimal arithmetic, so ten times 0.1 is one.
    """
    if weights.constant is not None:
        numbers = weights.constant.tolist()
        return all(0.0 <= w < math.inf for w in numbers) and sum(Fraction(repr(float(w))) for w in numbers) == 1
    if weights.primitive.name == "random":
        return isinstance(weights.params["support"], Simplex)
    return weights.primitive.name == "softmax" or bool(weights.params.get("simplex"))


def _vector_of(weights: list[Node]) -> Node | None:
    """The vector whose entries the weights are, each of them once."""
    entries = [weight.operands[0] for weight in weights if weight.primitive.name == "reshape"]
    entries = [entry for entry in entries if entry.primitive.name == "slice" and entry.shape == (1,)]
    if not entries or entries[0].operands[0].shape != (len(weights),):
        return None
    (vector,) = entries[0].operands
    places = {entry.params["start"] for entry in entries if entry.operands[0] is vector}
    return vector if len(places) == len(weights) else None


def _complement(e: Node, rest: Node) -> bool:
    """Whether ``rest`` is ``1 - e`` for a weight proved to lie in [0, 1]."""
    if rest.primitive.name != "sub" or rest.operands[1] is not e or not range_of(e).inside(UNIT):
        return False
    one = rest.operands[0].constant
    return one is not None and float(one) == 1.0


def _superpose(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if keywords or not args:
        refuse("call", "superpose(M1, M2, ...) takes measures by position only")
    return fan_out(evaluator, "superpose", args, _superposed)


def _superposed(targets: tuple[Any, ...]) -> Superposition:
    parts = tuple(require_measure(target, "superpose") for target in targets)
    first = parts[0]
    for part in parts[1:]:
        if not same_form(first.form(), part.form()):
            refuse(
                "shape", f"superpose: a {describe(part.form())} law cannot be added to a {describe(first.form())} law"
            )
    return Superposition(parts)


OPERATIONS = (MeasureOperation("superpose", _superpose),)
