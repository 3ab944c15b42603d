"""Functions that Torch lacks, for tensors and representations; each is a key of the function protocol."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import handle_torch_function, has_torch_function

from probly.errors import LayoutError
from probly.representation._protected_axis.layout import normalize_axes
from probly.representation._protected_axis.reductions import weighted_average

__all__ = ["torch_average", "torch_divmod"]

Tensor = torch.Tensor


def torch_average(
    tensor: Any,
    dim: int | tuple[int, ...] | None = None,
    *,
    axis: int | tuple[int, ...] | None = None,
    weights: Any = None,
    keepdim: bool = False,
    out: Tensor | None = None,
) -> Any:
    """Weighted mean over axes; Torch has none.

    Parameters
    ----------
    tensor : tensor or representation
        Integers are promoted to the default floating dtype.
    dim, axis : int or tuple of int, optional
        Two names of one argument; all axes by default.
    weights : tensor, optional
        Of the tensor's shape, or one-dimensional along a single axis; for representations also of the batch shape.
    keepdim : bool
        Keep reduced axes with size 1.
    out : tensor, optional
        Where to write the result; not for representations.

    Raises
    ------
    TypeError
        If ``dim`` and ``axis`` are both given, or a representation does not permit it.
    ValueError
        For axes out of range or named twice, and for weights or ``out`` of another shape.
    ZeroDivisionError
        If the weights sum to zero.

    Examples
    --------
    >>> torch_average(torch.tensor([1.0, 4.0]), weights=torch.tensor([2.0, 1.0]))
    tensor(2.)
    """
    if dim is not None and axis is not None:
        raise TypeError("torch_average takes dim or axis, not both")
    over = dim if axis is None else axis
    relevant = (tensor, weights, out)
    if has_torch_function(relevant):
        return handle_torch_function(
            torch_average, relevant, tensor, dim=over, weights=weights, keepdim=keepdim, out=out
        )
    result = _average(tensor, normalize_axes(over, tensor.ndim, "tensor"), weights, keepdim)
    return result if out is None else _written(result, out)


def _average(tensor: Tensor, axes: tuple[int, ...], weights: Tensor | None, keepdim: bool) -> Tensor:
    from probly_torch.ops import TORCH

    if weights is None:
        return TORCH.mean(tensor, axes, keepdim)  # type: ignore[no-any-return]
    return weighted_average(TORCH, tensor, _wide(tensor, axes, weights), axes, keepdim)  # type: ignore[no-any-return]


def _wide(tensor: Tensor, axes: tuple[int, ...], weights: Tensor) -> Tensor:
    """Weights with the tensor's rank."""
    if weights.shape == tensor.shape:
        return weights
    if len(axes) == 1 and weights.shape == (tensor.shape[axes[0]],):
        return weights.reshape([-1 if axis == axes[0] else 1 for axis in range(tensor.ndim)])
    raise LayoutError(
        f"weights of shape {tuple(weights.shape)} for axes {axes} of a tensor of shape {tuple(tensor.shape)}"
    )


def _written(result: Tensor, out: Tensor) -> Tensor:
    if out.shape != result.shape:
        raise LayoutError(f"out of shape {tuple(out.shape)} for a result of shape {tuple(result.shape)}")
    return out.copy_(result)


def torch_divmod(x1: Any, x2: Any, /) -> Any:
    """Floor division and remainder as a pair; Torch has no such function.

    Examples
    --------
    >>> torch_divmod(torch.tensor([7, -7]), 3)
    (tensor([ 2, -3]), tensor([1, 2]))
    """
    if has_torch_function((x1, x2)):
        return handle_torch_function(torch_divmod, (x1, x2), x1, x2)
    return torch.floor_divide(x1, x2), torch.remainder(x1, x2)
