"""The canonical operations of representations, and the table that a backend makes of its native functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from probly.representation._protected_axis.elementwise import ELEMENTWISE
from probly.representation._protected_axis.joins import JOINS
from probly.representation._protected_axis.rearrange import REARRANGE
from probly.representation._protected_axis.reductions import REDUCTIONS
from probly.representation._protected_axis.spelling import FunctionTable, Operation, Spelling
from probly.representation._protected_axis.structure import STRUCTURE

__all__ = ["ELEMENTWISE", "JOINS", "OPERATIONS", "REARRANGE", "REDUCTIONS", "STRUCTURE", "function_table"]

#: Every operation by canonical name. Structural ones and joins are always permitted, the others need permission.
OPERATIONS: dict[str, Operation] = {**STRUCTURE, **REARRANGE, **JOINS, **REDUCTIONS, **ELEMENTWISE}


def function_table(spellings: Mapping[Callable[..., Any], Spelling]) -> FunctionTable:
    """Table of a backend's native functions.

    Raises
    ------
    TypeError
        If a spelling names no operation.
    """
    return FunctionTable(spellings, OPERATIONS, frozenset({*STRUCTURE, *REARRANGE, *JOINS}))
