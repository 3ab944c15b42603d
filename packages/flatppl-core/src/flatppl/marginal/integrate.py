"""Integrate leaves out of a log density: point masses, finite sums, closed forms, quadrature; in this order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flatppl.errors import Refusal
from flatppl.marginal.closed_forms import bounded_integral, integral
from flatppl.tensor.intervals import REALS
from flatppl.tensor.ops import logsumexp, stack
from flatppl.tensor.program import Node, Region, ancestors
from flatppl.tensor.substitute import substitute
from flatppl.values.forms import Tensor
from flatppl.values.product_sets import Power
from flatppl.values.sets import FiniteSet, IntegerSet, RealSet, Set

__all__ = ["ATOM_LIMIT", "Latent", "Terms", "integrate_out"]

#: Finite sums over more atoms than this are refused.
ATOM_LIMIT = 256


@dataclass(frozen=True, slots=True)
class Latent:
    """A leaf to integrate out.

    Attributes
    ----------
    leaf : Node
        A real or integer scalar, or a vector whose entries are independent given the rest.
    support : Set or None
    atom : Node or None
        The value of a point mass.
    name : str
        For messages.
    components : tuple of (Node, Measure)
        Log weights and parts of a mixture whose density is not among the terms yet.
    """

    leaf: Node
    support: Set | None
    atom: Node | None
    name: str
    components: tuple[tuple[Node, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """A log density as a sum.

    Attributes
    ----------
    exact : tuple of Node
        Terms in their numerically careful form.
    algebraic : tuple of Node
        The same terms, one by one, in the textbook form that closed forms recognise.
    """

    exact: tuple[Node, ...]
    algebraic: tuple[Node, ...]

    def split(self, leaf: Node) -> tuple[Terms, Terms]:
        """(terms that depend on the leaf, the others)."""
        flags = [_depends(a, leaf) or _depends(b, leaf) for a, b in zip(self.exact, self.algebraic, strict=True)]
        return self._kept(flags, True), self._kept(flags, False)

    def _kept(self, flags: list[bool], which: bool) -> Terms:
        return Terms(
            tuple(t for t, flag in zip(self.exact, flags, strict=True) if flag is which),
            tuple(t for t, flag in zip(self.algebraic, flags, strict=True) if flag is which),
        )

    def plus(self, term: Node) -> Terms:
        """With one more term."""
        return Terms((*self.exact, term), (*self.algebraic, term))

    def mapped(self, f: Callable[[Sequence[Node]], Sequence[Node]]) -> Terms:
        """Every term changed."""
        return Terms(tuple(f(self.exact)), tuple(f(self.algebraic)))

    def replaced(self, leaf: Node, node: Node) -> Terms:
        """With a leaf replaced."""
        return self.mapped(lambda nodes: substitute(leaf.builder, nodes, {leaf: node}))

    def total(self, builder: Any) -> Node:
        """The sum, in the careful form."""
        return added(builder, self.exact)


def added(builder: Any, terms: Sequence[Node]) -> Node:
    """Sum of scalar nodes."""
    total: Any = builder.constant(0.0) if not terms else terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _depends(node: Node, leaf: Node) -> bool:
    return any(x is leaf for x in ancestors([node]))


def integrate_out(evaluator: Any, terms: Terms, latent: Latent) -> Terms:
    """The terms with one leaf integrated out; refuses without a rule."""
    inside, outside = terms.split(latent.leaf)
    for rule in (_mixture, _point_mass, _finite_sum, _closed_form, _quadrature):
        found = rule(evaluator, inside, latent)
        if found is not None:
            return Terms(outside.exact + found.exact, outside.algebraic + found.algebraic)
    hint = "" if evaluator.integration is not None else "; compile(integration=Integration(...)) allows quadrature"
    raise Refusal(
        "density",
        f"a latent {latent.name} would have to be integrated out, and no exact rule applies (finite sums, conjugate "
        f"pairs, Gaussians){hint}; or observe it, or make it an input with kernelof(..., name = name)",
    )


def _mixture(evaluator: Any, terms: Terms, latent: Latent) -> Terms | None:
    """Each component of a mixed prior by its own rule: atoms, finite parts, continuous parts."""
    if not latent.components:
        return None
    builder, totals = evaluator.builder, []
    for log_weight, measure in latent.components:
        support, atom = measure.support(), measure.atom
        interval = support.interval if support is not None else REALS
        params = {"draw": latent.leaf.params["draw"], "support": support, "interval": interval, "proved": interval}
        fresh = builder.random(latent.leaf.aval, latent.leaf.region, **params)
        inner = terms.replaced(latent.leaf, fresh)
        point = Tensor(fresh)
        exact = evaluator.run(evaluator.density(measure, point))
        textbook = evaluator.run(evaluator.textbook_density(measure, point))
        inner = Terms((*inner.exact, exact), (*inner.algebraic, textbook))
        done = integrate_out(evaluator, inner, Latent(fresh, support, atom, f"draw from {measure.describe()}"))
        totals.append(log_weight + done.total(builder))
    return _single(logsumexp(stack(*totals)))


def _point_mass(evaluator: Any, terms: Terms, latent: Latent) -> Terms | None:
    if latent.atom is None:
        return None
    return terms.replaced(latent.leaf, evaluator.builder.convert(latent.atom, latent.leaf.kind))


def atoms_of(support: Set | None) -> np.ndarray[Any, Any] | None:
    """Members of a fixed finite set of numbers, at most :data:`ATOM_LIMIT`."""
    if isinstance(support, FiniteSet):
        atoms = np.asarray(support.values)
    elif isinstance(support, IntegerSet) and support.bounded:
        lo, hi = support.interval.lo, support.interval.hi
        if hi - lo + 1 > ATOM_LIMIT:
            return None
        atoms = np.arange(lo, hi + 1)
    else:
        return None
    return atoms if len(atoms) <= ATOM_LIMIT else None


def _finite_sum(evaluator: Any, terms: Terms, latent: Latent) -> Terms | None:
    """Log-sum-exp over the atoms; one program body, mapped."""
    atoms = atoms_of(latent.support)
    if atoms is None or latent.leaf.shape:
        return None
    builder = evaluator.builder
    table = builder.convert(builder.constant(atoms.astype(float)), latent.leaf.kind)

    def body(cells: list[Node]) -> Any:
        yield None
        return substitute(builder, [terms.total(builder)], {latent.leaf: cells[0]})

    (values,) = evaluator.run(evaluator.map_cells([table], (len(atoms),), body))
    return _single(logsumexp(values))


def _single(term: Node) -> Terms:
    return Terms((term,), (term,))


def _closed_form(evaluator: Any, terms: Terms, latent: Latent) -> Terms | None:
    support = latent.support.base if isinstance(latent.support, Power) else latent.support
    if not isinstance(support, RealSet):
        return None
    total = added(evaluator.builder, terms.algebraic)
    found = None
    if not isinstance(support.lo, Node) and not isinstance(support.hi, Node):
        found = integral(total, latent.leaf, replace(support.interval, lo_open=False, hi_open=False))
    if found is None and support.bounded and not latent.leaf.shape:
        found = bounded_integral(total, latent.leaf, *(evaluator.builder.lift(end) for end in (support.lo, support.hi)))
    return None if found is None else _single(found)


def _quadrature(evaluator: Any, terms: Terms, latent: Latent) -> Terms | None:
    if evaluator.integration is None or latent.leaf.shape or not isinstance(latent.support, RealSet):
        return None
    from flatppl.marginal.quadrature import find_breakpoints, log_integral

    builder = evaluator.builder
    region = Region(evaluator.region)
    variable = builder.variable(latent.leaf.aval, region, **latent.leaf.params)
    (total,) = substitute(builder, [terms.total(builder)], {latent.leaf: variable})
    points = find_breakpoints(total, variable)
    lo, hi = (
        builder.lift(end if isinstance(end, Node) else float(end)) for end in (latent.support.lo, latent.support.hi)
    )
    return _single(log_integral(builder, region, variable, total, lo, hi, points, evaluator.integration))
