"""The names that cases may use (probly.md 11.2 and 11.3), for one backend."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import make_dataclass
from typing import Any

from probly import scores
from probly.array_ops import BINARY, UNARY, ArrayOps
from probly.conformal.sets import prediction_set
from probly.dispatch import class_of, convert, library, ops
from probly.hooks import Library
from probly.quantification import (
    conditional_entropy,
    entropy,
    moment_matched,
    mutual_information,
    total_entropy,
    vacuity,
)
from probly.quantile import conformal_quantile, weighted_quantile
from probly.representation._protected_axis.base import ProtectedAxes

__all__ = ["test_representations", "vocabulary"]

#: Canonical names that ``V`` and ``Pair`` permit.
PERMITTED = frozenset({*BINARY, *UNARY, "mean", "sum", "average"})

#: Names that mean the same on every backend.
_COMMON: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(scores, name) for name in scores.__all__},
    "conformal_quantile": conformal_quantile,
    "weighted_quantile": weighted_quantile,
    "prediction_set": prediction_set,
    "entropy": entropy,
    "total_entropy": total_entropy,
    "conditional_entropy": conditional_entropy,
    "mutual_information": mutual_information,
    "vacuity": vacuity,
    "moment_matched": moment_matched,
}


@functools.cache
def vocabulary(backend: str) -> Mapping[str, Any]:
    """Name to object, for one backend.

    Raises
    ------
    BackendNotFoundError
        If the backend is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> vocabulary("numpy")["lac"](np.array([0.75, 0.25]))
    array([0.25, 0.75])
    """
    loaded = library(backend)
    return {
        **_COMMON,
        **_constructors(ops(backend)),
        **loaded.functions,
        **loaded.extras,
        **test_representations(loaded),
        "attributes": attributes,
    }


def attributes(x: object, *names: str) -> dict[str, Any]:
    """``{name: getattr(x, name)}``."""
    return {name: getattr(x, name) for name in names}


def test_representations(loaded: Library) -> dict[str, type[Any]]:
    """Return V, Pair and Denied (11.3) over a backend's protected-axis base class."""
    define = functools.partial(_define, loaded.base)
    return {
        "V": define("V", {"array": 1}, PERMITTED),
        "Pair": define("Pair", {"first": 1, "second": 2}, PERMITTED),
        "Denied": define("Denied", {"array": 1}, frozenset()),
    }


test_representations.__test__ = False  # type: ignore[attr-defined]


def _define(base: type[ProtectedAxes], name: str, axes: dict[str, int], permitted: frozenset[str]) -> type[Any]:
    namespace = {"protected_axes": axes, "permitted_operations": permitted, "__module__": __name__}
    return make_dataclass(name, list(axes), bases=(base,), namespace=namespace, frozen=True, eq=False)


def _constructors(ops: ArrayOps) -> dict[str, Callable[..., Any]]:
    """Representations from arrays."""

    def of(kind: str) -> Callable[..., Any]:
        cls = class_of(ops, kind)
        return lambda *arrays: cls(*(convert(array, ops) for array in arrays))

    def sample(array: Any, sample_axis: int, weights: Any = None) -> Any:
        return class_of(ops, "sample")(array, sample_axis, weights)

    return {
        "categorical": of("probability_categorical"),
        "categorical_from_logits": of("logit_categorical"),
        "bernoulli": of("probability_bernoulli"),
        "sparse_log_categorical": of("sparse_log_categorical"),
        "dirichlet": of("dirichlet"),
        "gaussian": of("gaussian"),
        "sample": sample,
        "onehot_set": of("onehot_set"),
        "interval_set": class_of(ops, "interval_set").from_bounds,
        "convex": class_of(ops, "convex_credal").from_vertices,
        "distance_based": class_of(ops, "distance_credal").from_parts,
        "distance_based_from_sample": class_of(ops, "distance_credal").from_sample,
        "probability_intervals": of("intervals_credal"),
    }
