"""The exam that every distribution sits: laws that hold for each row, whoever wrote it.

A stranger's test is one line, ``assert exam(Gumbel) == []``. NumPy evaluates the row's programs. Given an
:class:`~flatppl.exam.engine.Engine`, a backend's values, batching and derivatives are compared with NumPy's, in both
precisions.
"""

from __future__ import annotations

from flatppl.distribution import Distribution
from flatppl.exam.engine import COMPARISONS, Engine
from flatppl.exam.laws import LAWS
from flatppl.exam.mass import MASS
from flatppl.exam.parameters import PARAMETERS
from flatppl.exam.tails import TAILS

__all__ = ["CHECKS", "ENGINE_CHECKS", "Engine", "exam"]

#: Name -> ``check(row)``, an iterable of sentences.
CHECKS = {**LAWS, **MASS, **PARAMETERS}

#: Name -> ``check(row, engine, dtype)``.
ENGINE_CHECKS = {**COMPARISONS, **TAILS}


def exam(row: Distribution, engine: Engine | None = None) -> list[str]:
    """Everything that is wrong with a row.

    Parameters
    ----------
    row : Distribution
    engine : Engine, optional
        A backend to compare with NumPy.

    Returns
    -------
    list of str
        One sentence per failure; empty is a pass.

    Examples
    --------
    >>> from flatppl.distribution import Case
    >>> from flatppl.tensor.ops import log
    >>> from flatppl.values.sets import posreals, unitinterval
    >>> def log_density(x, a):
    ...     return log(a) + (a - 1.0) * log(x)
    >>> truth = (Case((1.0,), 0.5, 0.0), Case((2.0,), 0.5, 0.0), Case((2.0,), 0.25, -0.5))
    >>> exam(Distribution("PowerLaw", (("a", posreals),), unitinterval, log_density, truth))[0]
    'PowerLaw(2) at x = 0.25: log density is -0.69314718055994529, expected -0.5'
    """
    found = [sentence for check in CHECKS.values() for sentence in check(row)]
    if engine is not None:
        for check in ENGINE_CHECKS.values():
            found += [sentence for dtype in ("float64", "float32") for sentence in check(row, engine, dtype)]
    return found
