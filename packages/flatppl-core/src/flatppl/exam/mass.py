"""Laws of sums: the mass is one, the cdf is the density's integral, draws follow it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from flatppl.distribution import Distribution
from flatppl.exam.quadrature import grid, panel
from flatppl.exam.subject import Array, Subject, compare, subjects

__all__ = ["MASS"]

DRAWS = 1000
#: So many parameter sets of a row are sampled.
SAMPLED = 3


def check_mass(row: Distribution) -> Iterator[str]:
    """The density adds up to the cdf between any two points, and to one; so the cdf's derivative is the density."""
    for subject, cases in subjects(row):
        if np.ndim(cases[0].x):
            yield from _vector_mass(subject)
        elif row.discrete:
            yield from _discrete_mass(subject, float(cases[0].x))
        else:
            yield from _continuous_mass(subject, float(cases[0].x))


def _continuous_mass(subject: Subject, x: float) -> Iterator[str]:
    lo, hi = subject.ends
    knots = subject.knots(x)
    for end in (lo, hi):
        if math.isfinite(end):
            knots = knots[abs(knots - end) > (1e-3 * abs(end) or 1e-290)]
    knots = np.array([lo, *knots, hi])
    panels = [_resolved(lo, hi, *panel(a, b)) for a, b in pairwise(knots)]
    nodes = np.concatenate([nodes for nodes, _ in panels])
    with np.errstate(over="ignore"):
        parts = np.exp(subject.log_density(nodes)) * np.concatenate([weights for _, weights in panels])
    ends = np.cumsum([0, *(len(nodes) for nodes, _ in panels)])
    masses = [float(parts[a:b].sum()) for a, b in pairwise(ends)]
    if subject.row.cdf is None:
        if subject.row.normalized:
            yield from compare(subject, "total mass", [x], [sum(masses)], [1.0], 1e-6)
        return
    # A rule approaches a singular end without reaching it: the cdf is taken between its outermost points.
    least = np.array([nodes.min() for nodes, _ in panels])
    levels = subject.cdf(least), subject.cdf([nodes.max() for nodes, _ in panels])
    unreached = levels[0] - subject.cdf(knots[:-1])
    for mass, low, high, b, rest in zip(masses, *levels, knots[1:], unreached, strict=True):
        if rest < 1e-4:
            yield from compare(subject, "mass up to there", [b], [mass], [high - low], 1e-6, 1e-6)


def _resolved(lo: float, hi: float, nodes: Array, weights: Array) -> tuple[Array, Array]:
    """Only nodes whose distance to an end of the support is more than rounding."""
    keep = np.ones(len(nodes), bool)
    for end in (lo, hi):
        if math.isfinite(end):
            keep &= abs(nodes - end) > (1e-12 * abs(end) or 1e-290)
    return nodes[keep], weights[keep]


def _discrete_mass(subject: Subject, x: float) -> Iterator[str]:
    lo, hi = subject.ends
    start = max(lo, x - 4000.0)
    points = np.arange(start, min(hi, start + 8000.0) + 1.0)
    masses = np.exp(subject.log_density(points))
    if subject.row.cdf is None:
        yield from compare(subject, "total mass", [x], [masses.sum()], [1.0])
        return
    levels = subject.cdf(np.array([points[0] - 1.0, *points]))
    yield from compare(subject, "cdf", points, levels[1:], levels[0] + np.cumsum(masses), 1e-8, 1e-8)
    yield from compare(subject, "cdf between counts", points, subject.cdf(points + 0.5), levels[1:])


def _vector_mass(subject: Subject) -> Iterator[str]:
    """Total mass one; mean and covariance of the draws are the density's. At most two dimensions."""
    draws = subject.draws(DRAWS)
    cubature = grid(subject.support, draws)
    if cubature is None:
        return
    points, weights = cubature
    masses = np.exp(subject.log_density(points)) * weights
    if subject.row.normalized:
        yield from compare(subject, "total mass", [points[0]], [masses.sum()], [1.0], 1e-6)
    mean = masses @ points
    yield from _moments(subject, "mean", masses, points, draws)
    yield from _moments(subject, "covariance", masses, _products(points - mean), _products(draws - mean))


def _products(centred: Array) -> Array:
    return np.einsum("ki,kj->kij", centred, centred).reshape(len(centred), -1)


def _moments(subject: Subject, what: str, masses: Array, features: Array, draws: Array) -> Iterator[str]:
    expected = masses @ features
    spread = np.sqrt(np.maximum(masses @ (features - expected) ** 2, 0.0) / len(draws))
    for index, (got, mean, error) in enumerate(zip(draws.mean(0), expected, spread, strict=True)):
        if not abs(got - mean) <= 5.0 * error + 1e-9:
            yield f"{subject}: entry {index} of the draws' {what} is {got:g}, expected {mean:g} +- {error:g}"


def check_sampler(row: Distribution) -> Iterator[str]:
    """Draws follow the cdf (Kolmogorov-Smirnov, or chi-squared for counts)."""
    if row.cdf is None:
        return
    for subject, _ in subjects(row)[:SAMPLED]:
        if not subject.sampled:
            yield f"{subject}: neither a sampler nor a quantile"
            continue
        draws = subject.draws(DRAWS)
        if not np.isfinite(draws).all():
            yield f"{subject}: a draw is not finite"
        elif row.discrete:
            yield from _chi_squared(subject, draws)
        else:
            yield from _kolmogorov_smirnov(subject, draws)


def _kolmogorov_smirnov(subject: Subject, draws: Array) -> Iterator[str]:
    from scipy import stats

    pvalue = stats.kstest(subject.cdf(draws), "uniform").pvalue
    if pvalue < 1e-4:
        yield f"{subject}: the draws do not follow the cdf (Kolmogorov-Smirnov, p = {pvalue:.1g})"


def _chi_squared(subject: Subject, draws: Array) -> Iterator[str]:
    from scipy import stats

    if (draws != np.round(draws)).any():
        yield f"{subject}: a draw is not a whole number"
    edges = np.unique(np.quantile(draws, np.linspace(0.0, 1.0, 13)[1:-1], method="nearest"))
    levels = np.diff([0.0, *subject.cdf(edges), 1.0])
    counts = np.bincount(np.searchsorted(edges, draws), minlength=len(edges) + 1)
    keep = levels * DRAWS > 1e-3
    expected = levels[keep] * DRAWS
    statistic = float(((counts[keep] - expected) ** 2 / expected).sum())
    if counts[~keep].sum() > 1 or stats.chi2.sf(statistic, max(len(expected) - 1, 1)) < 1e-5:
        yield f"{subject}: the draws do not follow the cdf (chi-squared {statistic:.1f} on {len(expected)} cells)"


MASS = {"mass": check_mass, "sampler": check_sampler}
