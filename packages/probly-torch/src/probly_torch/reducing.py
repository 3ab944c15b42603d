"""Reductions with NumPy's axes: None for all, an integer, or a tuple; the empty tuple reduces nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from probly_torch.making import to_floating

__all__ = ["amax", "amin", "every", "mean", "prod", "some", "std", "total", "var", "vecdot"]

Tensor = torch.Tensor
Axis = int | tuple[int, ...] | None


def _reduction(native: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Give a Torch reduction NumPy's axes: Torch reads the empty tuple as all of them."""

    def reduce(a: Tensor, axis: Axis = None, keepdims: bool = False, **options: Any) -> Tensor:
        if axis == ():
            return native(a.unsqueeze(-1), (-1,), False, **options)
        if axis is None and a.ndim:
            axis = tuple(range(a.ndim))
        return native(a, axis, keepdims, **options)

    return reduce


def _sum(a: Tensor, axis: Any, keepdims: bool, dtype: torch.dtype | None = None) -> Tensor:
    return torch.sum(a, axis, keepdims) if dtype is None else torch.sum(a, axis, keepdims, dtype=dtype)


def _mean(a: Tensor, axis: Any, keepdims: bool, dtype: torch.dtype | None = None) -> Tensor:
    if dtype is not None:
        return torch.mean(a, axis, keepdims, dtype=dtype)
    return torch.mean(a if a.dtype.is_floating_point else to_floating(a), axis, keepdims)


def _var(a: Tensor, axis: Any, keepdims: bool, ddof: float = 0, unbiased: bool | None = None) -> Tensor:
    return torch.var(to_floating(a), dim=axis, correction=_correction(ddof, unbiased), keepdim=keepdims)


def _std(a: Tensor, axis: Any, keepdims: bool, ddof: float = 0, unbiased: bool | None = None) -> Tensor:
    return torch.std(to_floating(a), dim=axis, correction=_correction(ddof, unbiased), keepdim=keepdims)


def _correction(ddof: float, unbiased: bool | None) -> float:
    """Degrees of freedom to subtract; ``unbiased`` is Torch's older spelling of it."""
    return ddof if unbiased is None else int(unbiased)


def _amin(a: Tensor, axis: Any, keepdims: bool) -> Tensor:
    return torch.amin(a, dim=() if axis is None else axis, keepdim=keepdims)


def _amax(a: Tensor, axis: Any, keepdims: bool) -> Tensor:
    return torch.amax(a, dim=() if axis is None else axis, keepdim=keepdims)


def _prod(a: Tensor, axis: Any, keepdims: bool, dtype: torch.dtype | None = None) -> Tensor:
    """One axis after the other: Torch takes one at a time."""
    axes = axis if isinstance(axis, tuple) else () if axis is None else (axis,)
    result = a if dtype is None else a.to(dtype)
    for each in sorted((axis % a.ndim for axis in axes), reverse=True):
        result = torch.prod(result, dim=each, keepdim=keepdims)
    return result if axes else torch.prod(result)


def _any(a: Tensor, axis: Any, keepdims: bool) -> Tensor:
    return torch.any(a.bool(), axis, keepdims)


def _all(a: Tensor, axis: Any, keepdims: bool) -> Tensor:
    return torch.all(a.bool(), axis, keepdims)


total = _reduction(_sum)
mean = _reduction(_mean)
var = _reduction(_var)
std = _reduction(_std)
amin = _reduction(_amin)
amax = _reduction(_amax)
prod = _reduction(_prod)
some = _reduction(_any)
every = _reduction(_all)


def vecdot(x1: Tensor, x2: Tensor) -> Tensor:
    """Sum of products over the last axis, as a batched matrix product: the products are never stored."""
    if x1.dtype != x2.dtype:
        common = torch.promote_types(x1.dtype, x2.dtype)
        x1, x2 = x1.to(common), x2.to(common)
    return torch.einsum("...k,...k->...", x1, x2)
