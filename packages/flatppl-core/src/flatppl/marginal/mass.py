"""Total mass by integrating the variate out of the density."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flatppl.errors import Refusal, refuse
from flatppl.marginal.integrate import eliminate
from flatppl.marginal.terms import Latent, Term, Terms, base_of, random_leaf
from flatppl.tensor.avals import Aval
from flatppl.tensor.program import Node
from flatppl.values.forms import Form, RecordForm, TensorForm, fill, flatten
from flatppl.values.product_sets import SCALARS, Product, within
from flatppl.values.sets import Set

__all__ = ["integrated_mass"]


def integrated_mass(evaluator: Any, measure: Any, region: Set | None) -> Any:
    """Task: log of the measure's mass (inside ``region``), by exact rules or quadrature.

    Every scalar of the variate is integrated out in turn, in whatever order a rule is found.
    """
    support = within(measure.support(), region) if region is not None else measure.support()
    form = measure.form()
    sets = list(_leaf_sets(form, support))
    if any(part is None for part in sets):
        refuse("mass", f"the total mass of {measure.describe()} has no closed-form rule")
    supply = iter(sets)

    def leaf(aval: Aval) -> Node:
        return random_leaf(evaluator.builder, aval, evaluator.region, next(supply))

    point = fill(form, leaf)
    exact = yield evaluator.density(measure, point)
    terms = Terms((Term(exact, (yield evaluator.textbook_density(measure, point))),))
    latents = [
        Latent(node, part, None, f"variate of {measure.describe()}")
        for node, part in zip(flatten(point)[1], sets, strict=True)
    ]
    try:
        return eliminate(evaluator, terms, latents).total(evaluator.builder)
    except Refusal:
        hint = "" if evaluator.integration is not None else "; compile(integration=Integration(...)) allows quadrature"
        refuse("mass", f"the total mass of {measure.describe()} has no closed-form rule{hint}")


def _leaf_sets(form: Form, support: Set | None) -> Iterator[Set | None]:
    """The set of every tensor of a form; None where none is known or it is no product of scalars."""
    if isinstance(form, TensorForm):
        parts = support.parts if isinstance(support, Product) else (support,)
        scalar = all(isinstance(base_of(part), SCALARS) for part in parts)
        yield support if scalar or support is None or not form.shape else None
        return
    if isinstance(form, RecordForm):
        fields = dict(getattr(support, "items", ()))
        for name, part in form.items:
            yield from _leaf_sets(part, fields.get(name))
        return
    yield None
