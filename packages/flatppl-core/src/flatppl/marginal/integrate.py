"""Integrate leaves out of a log density: point masses, closed forms, mixtures, sums, quadrature; in this order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from flatppl.errors import refuse
from flatppl.marginal.cellwise import cellwise_integral
from flatppl.marginal.closed_forms import bounded_integral, integral
from flatppl.marginal.gaussian import gaussian_integral
from flatppl.marginal.series import log_sum
from flatppl.marginal.terms import Latent, Terms, added, base_of, depends, entries_of, entry_sets, single
from flatppl.tensor.intervals import REALS
from flatppl.tensor.ops import logsumexp, reshape, stack
from flatppl.tensor.program import Node, Region
from flatppl.tensor.substitute import substitute
from flatppl.values.sets import FiniteSet, IntegerSet, RealSet, Set

__all__ = ["ATOM_LIMIT", "eliminate"]

#: Finite sums over more atoms than this are refused.
ATOM_LIMIT = 256

#: Finite vectors with more values than this are refused, where their entries cannot be summed one by one.
COMBINATIONS = 1 << 16

#: Vector latents up to this size are taken apart when no rule fits the whole.
SPLIT_LIMIT = 64


def eliminate(evaluator: Any, terms: Terms, latents: Sequence[Latent]) -> Terms:
    """The terms with all latents integrated out; refuses if one has no rule.

    Rules that keep the form of the program come first, whichever latent they fit: a Gaussian integral of a finite
    sum has no closed form, but the finite sum of Gaussian integrals has.
    """
    done, waiting = _eliminated(evaluator, terms, list(latents), (_step, _by_cells, _taken_apart))
    if waiting:
        _no_rule(evaluator, waiting[0])
    return done


def _eliminated(
    evaluator: Any, terms: Terms, waiting: list[Latent], rules: Sequence[Callable[..., Any]]
) -> tuple[Terms, list[Latent]]:
    """The terms with latents integrated out, and those for which no rule was found."""
    while waiting:
        found = next(filter(None, (rule(evaluator, terms, waiting) for rule in rules)), None)
        if found is None:
            break
        terms, waiting = found
    return terms, waiting


def _step(evaluator: Any, terms: Terms, waiting: list[Latent]) -> tuple[Terms, list[Latent]] | None:
    """One latent integrated out by the first rule that fits one; None if none does."""
    ready = [latent for latent in waiting if not _held(latent, waiting)]
    for rule in _RULES:
        for latent in ready:
            inside, outside = terms.split(latent.leaf)
            found = rule(evaluator, inside, latent)
            if found is not None:
                rest = [other for other in waiting if other is not latent]
                return outside.plus(*found), rest
    return None


def _held(latent: Latent, waiting: list[Latent]) -> bool:
    """Whether another latent's integral depends on this one beyond the terms: then that comes first."""
    return any(depends(node, latent.leaf) for other in waiting if other is not latent for node in other.mentions())


def _by_cells(evaluator: Any, terms: Terms, waiting: list[Latent]) -> tuple[Terms, list[Latent]] | None:
    """Arrays of latents that meet only in sums over their cells: all of one shape, or one of them; None if there is none."""
    arrays = [latent for latent in waiting if latent.leaf.shape]
    groups = [[other for other in arrays if other.leaf.shape == latent.leaf.shape] for latent in arrays]
    for group in (*groups, *([latent] for latent in arrays)):
        rest = [latent for latent in waiting if latent not in group]
        if any(_held(latent, [latent, *rest]) for latent in group):
            continue
        inside, outside = Terms(), terms
        for latent in group:
            more, outside = outside.split(latent.leaf)
            inside = inside.plus(*more)
        found = cellwise_integral(evaluator, inside, group, _scalars)
        if found is not None:
            return outside.plus(single(found)), rest
    return None


def _scalars(evaluator: Any, terms: Terms, latents: list[Latent]) -> Terms | None:
    done, waiting = _eliminated(evaluator, terms, latents, (_step,))
    return None if waiting else done


def _taken_apart(evaluator: Any, terms: Terms, waiting: list[Latent]) -> tuple[Terms, list[Latent]] | None:
    """A vector latent replaced by scalars, one per entry; None if there is none."""
    for latent in waiting:
        leaf = latent.leaf
        atoms = atoms_of(base_of(latent.support))
        if atoms is not None and len(atoms) ** leaf.aval.size > COMBINATIONS:
            continue
        if leaf.shape and leaf.aval.size <= SPLIT_LIMIT:
            scalars = entries_of(leaf)
            supports = entry_sets(latent.support, len(scalars))
            parts = [Latent(*pair, None, latent.name) for pair in zip(scalars, supports, strict=True)]
            rest = [other for other in waiting if other is not latent]
            return terms.replaced(leaf, reshape(stack(*scalars), leaf.shape)), rest + parts
    return None


def _no_rule(evaluator: Any, latent: Latent) -> NoReturn:
    hint = (
        ""
        if evaluator.integration is not None
        else "; compile(integration=Integration(...)) allows quadrature and infinite sums"
    )
    refuse(
        "density",
        f"a latent {latent.name} would have to be integrated out, and no exact rule applies (finite sums, conjugate "
        f"pairs, Gaussians){hint}; or observe it, or make it an input with kernelof(..., name = name)",
    )


def _mixture(evaluator: Any, terms: Terms, latent: Latent) -> Terms | None:
    """Each component of a mixed prior by its own rule: atoms, finite parts, continuous parts."""
    if not latent.components:
        return None
    totals = []
    for part, prior in latent.components:
        given = terms.replaced(latent.leaf, part.leaf)
        done = _step(evaluator, given.plus(*prior), [part])
        if done is None:
            return None
        totals.append(done[0].total(evaluator.builder))
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
    return Terms((single(term),))


def _closed_form(evaluator: Any, terms: Terms, latent: Latent) -> Terms | None:
    support = base_of(latent.support)
    if not isinstance(support, RealSet):
        return None
    total = added(evaluator.builder, [term.algebraic for term in terms])
    found = None
    if not isinstance(support.lo, Node) and not isinstance(support.hi, Node):
        found = integral(total, latent.leaf, replace(support.interval, lo_open=False, hi_open=False))
    if found is None and support.bounded and not latent.leaf.shape:
        found = bounded_integral(total, latent.leaf, *(evaluator.builder.lift(end) for end in (support.lo, support.hi)))
    if found is None and latent.leaf.shape and support.interval == REALS:
        found = gaussian_integral(total, latent.leaf)
    return None if found is None else _single(found)


def _series(evaluator: Any, terms: Terms, latent: Latent) -> Terms | None:
    found = log_sum(evaluator, terms, latent)
    return None if found is None else Terms((found,))


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


_RULES = (_point_mass, _closed_form, _mixture, _finite_sum, _series, _quadrature)
