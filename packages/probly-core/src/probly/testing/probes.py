"""Checks that any backend runs: every primitive against NumPy's, and laws that need no expected value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from probly import scores
from probly.array_ops import ArrayOps
from probly.dispatch import class_of, convert, library, ops
from probly.numpy_backend.ops import NUMPY
from probly.representation.kinds import KINDS

__all__ = ["PROBES", "check_backend"]

_X = np.array([[3.0, 1.0, 2.0], [0.5, 0.25, 4.0]], dtype=np.float32)
_Y = np.array([[1.0, 2.0, 4.0], [2.0, 0.25, 8.0]], dtype=np.float32)
_I = np.array([[7, -2, 5], [4, 3, -9]], dtype=np.int32)
_J = np.array([[2, 3, 1], [4, 2, 2]], dtype=np.int32)
_B = np.array([[True, False, True], [False, False, True]])
_P = np.array([0.0, 0.25, 0.5, 1.0, 2.0], dtype=np.float32)
_S = np.array([[[1.0, math.nan]], [[-math.inf, 2.0]]], dtype=np.float32)

_ARITHMETIC = ("add", "subtract", "multiply", "true_divide", "floor_divide", "remainder", "divmod")
_BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
_ORDER = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_REDUCTIONS = ("sum", "mean", "std", "var", "min", "max", "prod")

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def _with(*args: Any, **kwargs: Any) -> Arguments:
    return args, kwargs


#: Primitive to argument lists on which it must agree with NumPy's.
PROBES: dict[str, list[Arguments]] = {
    **{name: [_with(_X, _Y), _with(_X, 2.0), _with(_I, _J)] for name in _ARITHMETIC},
    **{name: [_with(_I, _J), _with(_I, 2)] for name in _BITS},
    **{name: [_with(_X, _Y), _with(_X, 2.0), _with(_S, _S)] for name in _ORDER},
    **{name: [_with(_X), _with(_X, axis=-1), _with(_X, axis=(0,), keepdims=True)] for name in _REDUCTIONS},
    **{name: [_with(_B), _with(_B, axis=0), _with(_B, axis=(1,), keepdims=True)] for name in ("any", "all")},
    "power": [_with(_X, 2.0), _with(_X, _Y)],
    "matmul": [_with(_X, _Y.T.copy()), _with(_X[0], _X[0]), _with(np.stack([_X, _Y]), _X.T.copy())],
    "positive": [_with(_X)],
    "negative": [_with(_X), _with(_I)],
    "absolute": [_with(_I), _with(-_X)],
    "invert": [_with(_I), _with(_B)],
    "maximum": [_with(_X, _Y), _with(_X, 1.0), _with(_S, 0.0)],
    "minimum": [_with(_X, _Y), _with(_X, 1.0), _with(_S, 0.0)],
    "logical_and": [_with(_B, ~_B)],
    "logical_or": [_with(_B, ~_B)],
    "logical_not": [_with(_B)],
    "exp": [_with(_X)],
    "log": [_with(_X), _with(_P)],
    "sqrt": [_with(_X)],
    "isnan": [_with(_S)],
    "digamma": [_with(_X)],
    "gammaln": [_with(_X)],
    "ndtri": [_with(_P)],
    "where": [_with(_B, _X, _Y), _with(_B, _X, 0.0), _with(_B, 0.0, _X)],
    "conj": [_with(_X)],
    "reshape": [_with(_X, (3, 2)), _with(_X, (6,))],
    "transpose": [_with(_X, (1, 0))],
    "moveaxis": [_with(_S, 0, -1), _with(_S, (0, 1), (1, 2))],
    "swapaxes": [_with(_S, 0, 2)],
    "expand_dims": [_with(_X, 1), _with(_X, (0, 3))],
    "squeeze": [_with(_S, (1,)), _with(_X, ())],
    "broadcast_to": [_with(_X, (4, 2, 3))],
    "concatenate": [_with([_X, _Y], 1)],
    "stack": [_with([_X, _Y], 2)],
    "take": [_with(_X, _J[1] - 2, 1), _with(_X, _J[:, :2] % 2, 0)],
    "take_along_axis": [_with(_X, _J % 3, 1), _with(_X, _J[:, :1] % 3, 1), _with(_X[:1], _J % 3, 1)],
    "flip": [_with(_X, (0,)), _with(_X, (0, 1))],
    "roll": [_with(_X, (1,), (1,)), _with(_X, (1, 2), (0, 1))],
    "repeat": [_with(_X, 2, 1)],
    "tile": [_with(_X, (2, 1))],
    "index": [
        _with(_X, (0, 1)),
        _with(_X, (..., None, 0)),
        _with(_X, (slice(None), slice(None, None, 2))),
        _with(_X, (_B,)),
    ],
    "argmax": [_with(_X, -1)],
    "cumsum": [_with(_X, -1), _with(_X, 0)],
    "sort": [_with(_X, -1), _with(_S, -1), _with(_X, 0)],
    "argsort": [_with(_X, -1), _with(np.array([2.0, 1.0, 1.0, 2.0, 1.0], dtype=np.float32), -1), _with(_X, 0)],
    "vecdot": [_with(_X, _Y), _with(_X, _Y[0])],
    "astype": [_with(_X, np.dtype("float32"))],
    "copy": [_with(_X)],
    "detach": [_with(_X)],
    "to_floating": [_with(_X)],
    "full": [_with((2, 3), 1.5, _X), _with((), math.inf, _X)],
    "arange": [_with(3, _X)],
    "kind": [_with(_X), _with(_I), _with(_B), _with(_X.astype(np.complex64))],
    "is_concrete": [_with(_X)],
    "smallest_normal": [_with(_X)],
    "asarray": [_with([[1.0, 2.0]]), _with([1, 2]), _with([True]), _with(_X)],
}

#: Primitives without one right answer, or whose answer is the backend's own.
_OWN = {"name", "is_array", "check", "to_numpy", "device", "assign", "rowwise"}
_RANDOM = {"generators", "uniform", "normal", "gamma", "categorical"}


def check_backend(name: str) -> list[str]:
    """Everything that is wrong with an installed backend, one line each; empty if it is sound.

    Examples
    --------
    >>> check_backend("numpy")
    []
    """
    tested = ops(name)
    return [
        *_vocabulary_problems(tested),
        *_random_problems(tested),
        *_library_problems(tested),
        *_law_problems(tested),
    ]


def _attempt(where: str, run: Callable[[], str | None]) -> Iterator[str]:
    try:
        problem = run()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    if problem is not None:
        yield f"{where}: {problem}"


def _vocabulary_problems(tested: ArrayOps) -> Iterator[str]:
    for field in fields(ArrayOps):
        if field.name in _OWN | _RANDOM:
            continue
        for args, kwargs in PROBES[field.name]:
            yield from _attempt(field.name, lambda f=field.name, a=args, k=kwargs: _compare(tested, f, a, k))  # type: ignore[misc]


def _compare(tested: ArrayOps, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    native = tuple(_native(tested, value) for value in args)
    if name == "astype":
        native = (native[0], native[0].dtype)
    result = _portable(tested, getattr(tested, name)(*native, **kwargs))
    with np.errstate(all="ignore"):
        wanted = _portable(NUMPY, getattr(NUMPY, name)(*args, **kwargs))
    return None if _same(result, wanted) else f"{result!r} instead of {wanted!r} for {args!r} {kwargs!r}"


def _native(tested: ArrayOps, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return tested.asarray(value)
    return type(value)(_native(tested, item) for item in value) if isinstance(value, tuple | list) else value


def _portable(own: ArrayOps, value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_portable(own, item) for item in value]
    return np.asarray(own.to_numpy(value)) if own.is_array(value) else value


def _same(result: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return isinstance(result, list) and len(result) == len(wanted) and all(map(_same, result, wanted))
    if not isinstance(wanted, np.ndarray):
        return bool(result == wanted)
    same_kind = isinstance(result, np.ndarray) and NUMPY.kind(result) == NUMPY.kind(wanted)
    return (
        same_kind and result.shape == wanted.shape and np.allclose(result, wanted, rtol=1e-5, atol=1e-5, equal_nan=True)
    )


def _random_problems(tested: ArrayOps) -> Iterator[str]:
    like = tested.asarray(_X)
    for name, run in {"generators": _draws_differ, "uniform": _unit, "categorical": _never_impossible}.items():
        yield from _attempt(name, lambda run=run: run(tested, like))  # type: ignore[misc]


def _draws_differ(tested: ArrayOps, like: Any) -> str | None:
    first, second = (tested.to_numpy(tested.normal(g, (8,), like)) for g in tested.generators(None, 2, like))
    return "two sources give equal draws" if np.array_equal(first, second) else None


def _unit(tested: ArrayOps, like: Any) -> str | None:
    drawn = tested.to_numpy(tested.uniform(tested.generators(None, 1, like)[0], (1000,), like))
    inside = drawn.shape == (1000,) and np.all((drawn >= 0) & (drawn < 1)) and 0.4 < drawn.mean() < 0.6
    return None if inside else "draws are not uniform on [0, 1)"


def _never_impossible(tested: ArrayOps, like: Any) -> str | None:
    logits = tested.asarray(np.array([[0.0, -math.inf, 0.0], [-math.inf, 1.0, -math.inf]], dtype=np.float32))
    ids = tested.to_numpy(tested.categorical(tested.generators(None, 1, like)[0], 500, logits))
    sound = ids.shape == (500, 2) and set(np.unique(ids[:, 0])) == {0, 2} and set(np.unique(ids[:, 1])) == {1}
    return None if sound else "draws have another shape, or hit a class of probability 0"


def _library_problems(tested: ArrayOps) -> Iterator[str]:
    loaded = library(tested.name)
    for kind, family in KINDS.items():
        cls = loaded.classes.get(kind)
        if cls is None:
            yield f"classes: {kind} is missing"
        elif not issubclass(cls, family) or not issubclass(cls, loaded.base):
            yield f"classes: {cls.__name__} derives not from both {family.__name__} and {loaded.base.__name__}"


def _law_problems(tested: ArrayOps) -> Iterator[str]:
    """A label, a floating one-hot row and a categorical one are the same target."""
    p = tested.asarray(_Y / _Y.sum(-1, keepdims=True))
    rows = np.eye(3, dtype=np.float32)[[2, 0]]
    targets = {
        "vector": tested.asarray(rows),
        "categorical": class_of(tested, "probability_categorical")(tested.asarray(rows)),
        "list of labels": [2, 0],
    }
    for score in (scores.inner_product, scores.kl_divergence, scores.total_variation, scores.wasserstein):
        by_label = tested.to_numpy(score(p, convert(np.array([2, 0]), tested)))
        for what, target in targets.items():
            gap = np.abs(tested.to_numpy(score(p, target)) - by_label).max()
            if not gap < 1e-5:
                yield f"{score.__name__}: label and {what} differ by {gap}"
