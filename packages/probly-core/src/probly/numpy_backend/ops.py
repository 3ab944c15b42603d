"""NumPy's primitives for :class:`probly.array_ops.ArrayOps`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from probly.array_ops import ArrayOps, from_namespace
from probly.blocks import in_blocks
from probly.errors import InvalidValueError

__all__ = ["NUMPY", "to_array"]

Array = Any

#: Numbers in one block of rows: below 128 KiB, from where on malloc maps fresh pages for every temporary.
BLOCK = 15_000

_KINDS = {"b": "bool", "i": "integer", "u": "integer", "f": "floating", "c": "complex"}


def kind(a: Array) -> str:
    """Kind of dtype; bfloat16 and other floats of ml_dtypes, which NumPy calls void, are recognized by finfo."""
    dtype = a.dtype if isinstance(a, np.ndarray) else np.asarray(a).dtype
    known = _KINDS.get(dtype.kind)
    if known is not None or dtype.kind != "V" or dtype.type.__module__ != "ml_dtypes":
        return known or "other"
    return "integer" if "int" in dtype.name else "floating"


def to_array(value: object) -> Array:
    """Return numbers and nested lists as an array; TypeError if they have no numeric form."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise TypeError(f"a nested list needs rows of equal length: {error}") from None
    if array.dtype == object:
        raise TypeError(f"{type(value).__name__} has no numeric array form")
    return array


def check(predicate: Array, message: str) -> None:
    """Raise unless all of a predicate holds."""
    if not np.logical_and.reduce(predicate, axis=None):
        raise InvalidValueError(message)


def to_floating(a: Array) -> Array:
    """Integers and booleans as float64."""
    a = np.asarray(a)
    return a.astype(np.float64) if a.dtype.kind in "biu" else a


def smallest_normal(a: Array) -> float:
    """Smallest positive normal number of a floating dtype."""
    dtype = np.asarray(a).dtype
    if dtype.kind == "f":
        return float(np.finfo(dtype).smallest_normal)
    import ml_dtypes

    limits: Any = ml_dtypes.finfo
    return float(limits(dtype).smallest_normal)


def index(a: Array, key: Any) -> Array:
    """``a[key]``, a 0-d array where NumPy gives a scalar."""
    return np.asarray(a[key])


def assign(a: Array, key: Any, value: Array) -> None:
    """``a[key] = value``."""
    a[key] = value


def log(x: Array) -> Array:
    """Logarithm, -inf at 0 without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(x)


def digamma(x: Array) -> Array:
    """Derivative of the logarithm of the gamma function."""
    from scipy.special import psi

    return psi(x)


def gammaln(x: Array) -> Array:
    """Logarithm of the gamma function."""
    from scipy.special import gammaln

    return gammaln(x)


def ndtri(p: Array) -> Array:
    """Quantile of the standard normal."""
    from scipy.special import ndtri

    return ndtri(p)


def vecdot(x1: Array, x2: Array) -> Array:
    """Sum of products over the last axis, without a temporary."""
    if np.result_type(x1, x2).kind == "V":  # a small float of ml_dtypes
        return np.add.reduce(x1 * x2, axis=-1)
    return np.einsum("...k,...k->...", x1, x2)


def generators(rng: object, count: int, like: Array) -> tuple[np.random.Generator, ...]:
    """One generator, as often as asked for: draws from it are independent."""
    if rng is None:
        rng = np.random.default_rng()
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng is {type(rng).__name__}; give a numpy.random.Generator, as from numpy.random.default_rng")
    return (rng,) * count


def uniform(generator: np.random.Generator, shape: tuple[int, ...], like: Array) -> Array:
    """Draws from [0, 1) in the dtype of ``like``; drawn as float32 or float64."""
    drawn = np.float32 if like.dtype == np.float32 else np.float64
    return np.asarray(generator.random(shape, dtype=drawn)).astype(like.dtype, copy=False)


def normal(generator: np.random.Generator, shape: tuple[int, ...], like: Array) -> Array:
    """Standard normal draws in the dtype of ``like``."""
    return np.asarray(generator.standard_normal(shape)).astype(like.dtype, copy=False)


def gamma(generator: np.random.Generator, shape: tuple[int, ...], alphas: Array) -> Array:
    """Gamma draws of rate 1 in the dtype of ``alphas``."""
    return np.asarray(generator.standard_gamma(alphas, shape)).astype(alphas.dtype, copy=False)


def categorical(generator: np.random.Generator, num: int, logits: Array) -> Array:
    """Class ids by inversion of the cumulative distribution; steps of height zero are never hit."""
    weights = np.exp(logits - np.max(logits, axis=-1, keepdims=True)).astype(np.float64)
    steps = np.cumsum(weights, axis=-1)
    draws = generator.random((num, *steps.shape[:-1])) * steps[..., -1]
    ids = np.zeros(draws.shape, dtype=np.int64)
    for column in range(steps.shape[-1]):
        ids += draws >= steps[..., column]
    last = steps.shape[-1] - 1 - np.argmax((weights > 0)[..., ::-1], axis=-1)
    return np.minimum(ids, last)


def _reduction(ufunc: np.ufunc) -> Callable[..., Array]:
    """A reduction as NumPy's function gives it, without that function's way through the types of its arguments."""

    def reduce(a: Array, axis: Any = None, keepdims: bool = False, **options: Any) -> Array:
        return ufunc.reduce(a, axis=axis, keepdims=keepdims, **options)

    return reduce


def full(shape: tuple[int, ...], value: float, like: Array) -> Array:
    """An array of one number in the dtype of ``like``."""
    return np.full(shape, value, dtype=like.dtype)


NUMPY: ArrayOps = from_namespace(
    "numpy",
    np,
    is_array=lambda value: isinstance(value, (np.ndarray, np.generic)),
    kind=kind,
    is_concrete=lambda a: True,
    check=check,
    to_numpy=np.asarray,
    device=lambda a: "cpu",
    asarray=np.asarray,
    to_floating=to_floating,
    smallest_normal=smallest_normal,
    full=full,
    arange=lambda n, like: np.arange(n),
    astype=lambda a, dtype: np.asarray(a).astype(dtype),
    detach=lambda a: a,
    index=index,
    assign=assign,
    log=log,
    digamma=digamma,
    gammaln=gammaln,
    ndtri=ndtri,
    sum=_reduction(np.add),
    prod=_reduction(np.multiply),
    min=_reduction(np.minimum),
    max=_reduction(np.maximum),
    any=_reduction(np.logical_or),
    all=_reduction(np.logical_and),
    argsort=lambda a, axis: np.argsort(a, axis=axis, kind="stable"),
    vecdot=vecdot,
    rowwise=partial(in_blocks, BLOCK),
    generators=generators,
    uniform=uniform,
    normal=normal,
    gamma=gamma,
    categorical=categorical,
)
