"""What every measure answers, and the row by which an operation enters the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from typing import Any, TypeVar, cast

from flatppl.errors import InternalError, refuse
from flatppl.marginal.mass import integrated_mass
from flatppl.values.forms import Form, TensorForm, TextForm, TupleForm, Value, describe, named
from flatppl.values.sets import Set

__all__ = [
    "COUNTING",
    "LEBESGUE",
    "Likelihood",
    "Measure",
    "MeasureOperation",
    "joint_reference",
    "once",
    "require_measure",
    "same_form",
]

LEBESGUE = "lebesgue"
COUNTING = "counting"

#: Mass classes, as inference reports them.
NULL, NORMALIZED, FINITE, LOCALLY_FINITE, UNKNOWN = "null", "normalized", "finite", "locallyfinite", "unknown"


F = TypeVar("F", bound=Callable[..., Any])


def once(method: F) -> F:
    """Compute a method without arguments once per instance."""
    key = f"_{method.__name__}"

    def wrapper(self: Any) -> Any:
        if key not in self.__dict__:
            self.__dict__[key] = method(self)
        return self.__dict__[key]

    return cast(F, update_wrapper(wrapper, method))


class Measure(Value):
    """A measure over values of one form.

    Methods that take the evaluator return a value or a generator for it (see :mod:`flatppl.elaborate`); call
    them through ``evaluator.density`` and ``evaluator.log_mass``, which attribute refusals to the measure's
    own text.
    """

    @cached_property
    def mass_class(self) -> str:
        """``null``, ``normalized``, ``finite``, ``locallyfinite`` or ``unknown``."""
        return NORMALIZED

    @cached_property
    def reference(self) -> Any:
        """Reference measure of the density: ``lebesgue``, ``counting``, or :func:`joint_reference` of a mixed product."""
        return LEBESGUE

    @cached_property
    def atom(self) -> Any:
        """The one value of a point mass, as a scalar node; None for any other measure."""
        return None

    def __post_init__(self) -> None:
        # Facts are found while the parts are at hand, so that deep nesting never recurses for them.
        _ = self.mass_class, self.reference, self.form(), self.support()

    def form(self) -> Form:
        """Form of the variate."""
        raise InternalError(f"{type(self).__name__} has no form")

    def log_density(self, evaluator: Any, x: Any) -> Any:
        """Scalar node: log density at ``x`` with respect to the reference; -inf off the support."""
        raise InternalError(f"{type(self).__name__} has no density")

    def log_mass(self, evaluator: Any) -> Any:
        """Scalar node: log of the total mass; refuses without a rule."""
        if self.mass_class == NORMALIZED:
            return evaluator.builder.constant(0.0)
        return integrated_mass(evaluator, self, None)

    def log_mass_within(self, evaluator: Any, region: Set) -> Any:
        """Scalar node: log of the mass inside a set; refuses without a rule."""
        return integrated_mass(evaluator, self, region)

    def support(self) -> Set | None:
        """A set that carries the measure, if one is known."""
        return None

    def sample(self, evaluator: Any, stream: Any) -> Any:
        """A value drawn from the measure's normalized form, with states from ``stream``."""
        refuse("density", f"{self.describe()} has no sampler")

    def sample_given(self, evaluator: Any, stream: Any, given: Any) -> Any:
        """A record of the other fields, drawn given some."""
        refuse("density", f"{self.describe()} cannot be sampled given some of its fields")

    def decay(self, evaluator: Any, x: Any) -> Any:
        """A bound of mass(k + 1) / mass(k) for all k from the node x on in the support of counts; None if unknown."""
        return None

    def sample_within(self, evaluator: Any, stream: Any, region: Set) -> Any:
        """A value drawn from the part of the measure inside a set; refuses without a rule."""
        refuse("mass", f"the truncation of {self.describe()} to {region.describe()} has no exact sampler")

    def components(self, evaluator: Any) -> Any:
        """Task: (log weight, measure) of the parts of a mixture; one part otherwise."""
        yield None
        return [(evaluator.builder.constant(0.0), self)]

    def entries(self, evaluator: Any, indices: Any) -> Any:
        """The law of some entries (flat indices) of a vector variate."""
        refuse("density", f"only a part of a draw from {self.describe()} is observed, and its other entries stay")

    def fields(self, evaluator: Any, names: list[str]) -> Any:
        """The law of some fields of a record variate."""
        refuse("density", f"only a part of a draw from {self.describe()} is observed, and its other fields stay")

    def describe(self) -> str:
        """Name for messages."""
        return f"{type(self).__name__.removesuffix('Measure').lower()} measure"


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood(Value):
    """Kernels with data; evaluated only by ``logdensityof`` and ``densityof``.

    Attributes
    ----------
    terms : tuple of (callable or Measure, Value)
        Kernel and observation of each term; a joint likelihood has several.
    """

    terms: tuple[tuple[Any, Any], ...]

    def describe(self) -> str:
        """Name for messages."""
        return "likelihood"


@dataclass(frozen=True, slots=True, eq=False)
class MeasureOperation(Value):
    """An operation that takes evaluated arguments: the measure algebra and its queries.

    Attributes
    ----------
    name : str
    rule : callable
        ``rule(evaluator, args, keywords)`` with a tuple of values and a dict; a value or a generator.
    """

    name: str
    rule: Callable[..., Any]

    def describe(self) -> str:
        """Name for messages."""
        return f"operation {self.name}"


def joint_reference(references: Sequence[Any], names: Sequence[str] | None) -> Any:
    """Reference of a product; of named parts it does not depend on their order."""
    if len(set(references)) == 1 and isinstance(references[0], str):
        return references[0]
    return tuple(references) if names is None else frozenset(zip(names, references, strict=True))


def require_measure(value: Any, operation: str) -> Measure:
    """The value if it is a measure; refused otherwise."""
    if isinstance(value, Measure):
        return value
    refuse("kind", f"{operation} needs a measure, got {describe(value)}")


def same_form(expected: Form, got: Form) -> bool:
    """Whether a point's form fits a variate's form; numeric kinds are free, fields may come in any order."""
    match expected, got:
        case TensorForm(shape=shape, levels=levels), TensorForm(shape=other, levels=other_levels):
            return _sizes_fit(shape, other) and levels == other_levels
    if type(expected) is not type(got):
        return False
    if isinstance(expected, TextForm) and isinstance(got, TextForm):
        return type(expected.value) is type(got.value)
    if getattr(expected, "rows", None) not in (-1, getattr(got, "rows", None)):
        return False
    if isinstance(expected, TupleForm) and isinstance(got, TupleForm):
        return len(expected.items) == len(got.items) and all(map(same_form, expected.items, got.items))
    mine, theirs = named(expected), dict(named(got))
    return len(mine) == len(theirs) and all(n in theirs and same_form(part, theirs[n]) for n, part in mine)


def _sizes_fit(expected: tuple[int, ...], got: tuple[int, ...]) -> bool:
    """Equal sizes; -1 stands for any."""
    return len(expected) == len(got) and all(a in (-1, b) for a, b in zip(expected, got, strict=True))
