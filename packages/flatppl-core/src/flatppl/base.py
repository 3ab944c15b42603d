"""The built-in namespace: names and their values, said once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from flatppl.functions import FUNCTIONS, higher_order, set_constructors, structural
from flatppl.functions.access import ALL, ONLY
from flatppl.leaves import forms
from flatppl.measures import (
    chain,
    condition,
    fundamental,
    joint,
    law,
    likelihood,
    mixture,
    normalize,
    process,
    product,
    pushfwd,
    query,
    sampling,
    sequence,
    superpose,
    transport,
    truncate,
    weighted,
)
from flatppl.tensor.program import Builder
from flatppl.values.forms import Tensor
from flatppl.values.sets import PREDEFINED

__all__ = ["PLANNED", "core_operations", "names", "values"]

_CHAPTERS = (
    structural, set_constructors, higher_order, fundamental, weighted, normalize, superpose, truncate, joint, product,
    law, chain, sequence, mixture, pushfwd, condition, process, likelihood, query, sampling, transport,
)  # fmt: skip

_CONSTANTS: dict[str, Any] = {"pi": math.pi, "inf": math.inf, "true": True, "false": False}

#: Names of the language that this version resolves but does not evaluate yet.
PLANNED = frozenset(
    (
        "im",
        "load_data",
        "valuemap",
        "inverseof",
        "valueset",
        "aggregate",
        "metricsum",
        "functionof",
        "kernelof",
        "fn",
        "self",
        "base",
    )
)


def core_operations() -> Mapping[str, Any]:
    """Operations of the core by name."""
    return {operation.name: operation for chapter in _CHAPTERS for operation in chapter.OPERATIONS}


@cache
def _fixed() -> dict[str, Any]:
    table: dict[str, Any] = {**core_operations(), **FUNCTIONS, **PREDEFINED, "all": ALL, "only": ONLY}
    return table


def values(builder: Builder, registry: Any) -> dict[str, Any]:
    """Value of every name of ``base``."""
    constants = {name: Tensor(builder.constant(value)) for name, value in _CONSTANTS.items()}
    return {**_fixed(), **registry.measures, **registry.base, **constants}


def names(registry: Any) -> frozenset[str]:
    """Every name of ``base``."""
    return frozenset({*_fixed(), *registry.measures, *registry.base, *_CONSTANTS, *forms(), *PLANNED})
