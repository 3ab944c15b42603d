"""``likelihoodof``, ``joint_likelihood``, ``bayesupdate``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from flatppl.calls import value_form
from flatppl.errors import refuse
from flatppl.measures.base import UNKNOWN, Likelihood, Measure, MeasureOperation, once, require_measure, same_form
from flatppl.measures.lift import is_kernel
from flatppl.tensor.program import Node, ancestors
from flatppl.tensor.substitute import substitute
from flatppl.values.forms import Form, Record, describe, flatten, form_of
from flatppl.values.sets import Set

__all__ = ["OPERATIONS", "log_likelihood"]


def log_likelihood(evaluator: Any, likelihood: Likelihood, theta: Any) -> Any:
    """Task: sum of the terms' log densities at a parameter point."""
    total: Any = None
    for kernel, observed in likelihood.terms:
        term = yield _term(evaluator, kernel, observed, theta, len(likelihood.terms) > 1)
        total = term if total is None else total + term
    return total


def _term(evaluator: Any, kernel: Any, observed: Any, theta: Any, partial: bool) -> Any:
    if isinstance(kernel, Measure):
        density = yield _observed(evaluator, kernel, observed)
        return _substituted(evaluator, density, theta, partial)
    inputs = evaluator.inputs_of(kernel)
    if not isinstance(theta, Record):
        if len(inputs) != 1 or not getattr(kernel, "ordered", True):
            _no_record(inputs)
        values = {inputs[0]: theta}
    else:
        values = theta.fields
        _check_fields(inputs, values, partial)
        values = {name: values[name] for name in inputs}
    measure = require_measure((yield evaluator.apply(kernel, [], values)), "likelihoodof")
    return (yield _observed(evaluator, measure, observed))


def _no_record(inputs: Any) -> NoReturn:
    refuse(
        "point",
        f"the parameter point must be a record, record({', '.join(f'{name} = ...' for name in inputs)}); a bare value "
        "fits only a kernel of one positional input, such as a lambda",
    )


def _check_fields(inputs: Any, fields: dict[str, Any], partial: bool) -> None:
    missing = [name for name in inputs if name not in fields]
    extra = [] if partial else [name for name in fields if name not in inputs]
    if missing or extra:
        wrong = f"lacks {missing[0]!r}" if missing else f"has no input {extra[0]!r}"
        refuse("point", f"the parameter point must have exactly the fields {', '.join(inputs)}; this one {wrong}")


def _observed(evaluator: Any, measure: Measure, observed: Any) -> Any:
    if not same_form(measure.form(), form_of(observed)):
        refuse("point", f"the observation is a {describe(observed)}, the variate a {describe(measure.form())}")
    return evaluator.density(measure, observed)


def _substituted(evaluator: Any, density: Node, theta: Any, partial: bool) -> Node:
    """A density whose free leaves stand for inputs, at the fields of ``theta``."""
    leaves: dict[str, list[Node]] = {}
    for node in ancestors([density]):
        if node.primitive.name == "variable" and node.params.get("declared") == "elementof":
            leaves.setdefault(node.params["leaf"], []).append(node)
    if not isinstance(theta, Record) and len(leaves) > 1:
        _no_record(leaves)
    fields = theta.fields if isinstance(theta, Record) else dict.fromkeys(leaves, theta)
    _check_fields(tuple(leaves), fields, partial)
    mapping = {}
    for name, nodes in leaves.items():
        for node in nodes:
            point = flatten(fields[name])[1][node.params["index"]]
            mapping[node] = evaluator.builder.convert(point, node.kind)
    return substitute(evaluator.builder, [density], mapping)[0]


@dataclass(frozen=True, eq=False)
class Posterior(Measure):
    """A prior times a likelihood, unnormalized."""

    likelihood: Likelihood
    prior: Measure

    @cached_property
    def mass_class(self) -> str:
        """Not known."""
        return UNKNOWN

    @cached_property
    def reference(self) -> Any:
        """That of the prior."""
        return self.prior.reference

    @once
    def form(self) -> Form:
        return self.prior.form()

    @once
    def support(self) -> Set | None:
        return self.prior.support()

    def sample(self, evaluator: Any, stream: Any) -> Any:
        refuse("mass", "a posterior has no exact sampler; sample its density with a Markov chain")

    def log_density(self, evaluator: Any, x: Any) -> Any:
        prior = yield evaluator.density(self.prior, x)
        return (yield log_likelihood(evaluator, self.likelihood, x)) + prior


def _likelihoodof(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Likelihood:
    if keywords or len(args) != 2:
        refuse("call", "likelihoodof(K, obs) takes two positional inputs")
    kernel, observed = args
    if not is_kernel(kernel) and not isinstance(kernel, Measure):
        refuse("kind", f"likelihoodof needs a kernel, got {describe(kernel)}")
    value_form(observed, "likelihoodof: the observation")
    return Likelihood(((kernel, observed),))


def _joint_likelihood(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Likelihood:
    if keywords or not args:
        refuse("call", "joint_likelihood(L1, L2, ...) takes likelihoods by position only")
    for arg in args:
        if not isinstance(arg, Likelihood):
            refuse("kind", f"joint_likelihood needs likelihoods, got {describe(arg)}")
    return Likelihood(tuple(term for arg in args for term in arg.terms))


def _bayesupdate(evaluator: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Posterior:
    if keywords or len(args) != 2 or not isinstance(args[0], Likelihood):
        refuse("call", "bayesupdate(L, prior) takes a likelihood and a measure by position")
    return Posterior(args[0], require_measure(args[1], "bayesupdate"))


OPERATIONS = (
    MeasureOperation("likelihoodof", _likelihoodof),
    MeasureOperation("joint_likelihood", _joint_likelihood),
    MeasureOperation("bayesupdate", _bayesupdate),
)
