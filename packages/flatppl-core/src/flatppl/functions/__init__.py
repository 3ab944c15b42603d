"""The built-in functions of ``base``, one chapter a file."""

from __future__ import annotations

from flatppl.errors import InternalError
from flatppl.functions import (
    approximation,
    arrays,
    binning,
    comparison,
    convolution,
    cumulative,
    elementary,
    generation,
    identity,
    linear_algebra,
    logic,
    membership,
    norms,
    operators,
    predicates,
    reductions,
    restrictions,
)
from flatppl.values.callables import Function

__all__ = ["FUNCTIONS"]

_CHAPTERS = (
    identity, generation, arrays, convolution, restrictions, elementary, operators, comparison, predicates,
    linear_algebra, reductions, cumulative, norms, logic, membership, binning, approximation,
)  # fmt: skip


def _table() -> dict[str, Function]:
    """Every function by name."""
    table: dict[str, Function] = {}
    for chapter in _CHAPTERS:
        for function in chapter.FUNCTIONS:
            if function.name in table:
                raise InternalError(f"{chapter.__name__}: the function {function.name!r} is defined twice")
            table[function.name] = function
    return table


#: Every built-in function of ``base`` whose rule needs nothing but values, by name.
FUNCTIONS = _table()
