"""Torch's primitives for :class:`probly.array_ops.ArrayOps`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from probly.array_ops import ArrayOps
from probly.blocks import in_blocks
from probly_torch import drawing, indexing, making, reducing

__all__ = ["TORCH"]

Tensor = torch.Tensor
Binary = Callable[[Any, Any], Tensor]

#: Numbers in one block of rows.
BLOCK = 1 << 16

#: With more threads than this, whole arrays on all of them are faster than blocks on one.
FEW_THREADS = 4


def full(shape: tuple[int, ...], value: float, like: Tensor) -> Tensor:
    """A tensor of one number."""
    return torch.full(shape, value, dtype=like.dtype, device=like.device)


def expand_dims(a: Tensor, axis: int | tuple[int, ...]) -> Tensor:
    """Insert axes of size 1; positions are those of the result."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    rank = a.ndim + len(axes)
    for each in sorted(position % rank for position in axes):
        a = a.unsqueeze(each)
    return a


def repeat(a: Tensor, repeats: Any, axis: int) -> Tensor:
    """Repeat elements along an axis, each as often, or by one count for each."""
    counts = repeats if isinstance(repeats, int) else making.asarray(repeats).to(a.device)
    return torch.repeat_interleave(a, counts, dim=axis)


def ndtri(p: Tensor) -> Tensor:
    """Quantile of the standard normal; Torch has it in single and double precision."""
    computed = p if p.dtype in (torch.float32, torch.float64) else p.float()
    quantile: Tensor = torch.special.ndtri(computed)
    return quantile.to(making.to_floating(p).dtype)


def rowwise(kernel: Callable[..., Tensor], ops: ArrayOps, *arrays: Tensor) -> Tensor:
    """In blocks on a small host; at once on a device, where calls are dear, and where Torch records or traces."""
    recorded = torch.is_grad_enabled() and any(array.requires_grad for array in arrays)
    plain = all(array.is_cpu and making.is_concrete(array) for array in arrays)
    threads = torch.get_num_threads()
    if recorded or not plain or threads > FEW_THREADS or max(array.numel() for array in arrays) <= BLOCK:
        return kernel(ops, *arrays)
    torch.set_num_threads(1)  # on a busy host, threads that meet after every block cost more than blocks gain
    try:
        return in_blocks(BLOCK, kernel, ops, *arrays)
    finally:
        torch.set_num_threads(threads)


def _divmod(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    return torch.floor_divide(x1, x2), torch.remainder(x1, x2)


def _tensors_first(function: Binary) -> Binary:
    """Let a number stand on the left, as a tensor that promotes weakly."""

    def apply(x1: Any, x2: Any) -> Tensor:
        return function(x1 if isinstance(x1, Tensor) else _scalar(x1, x2), x2)

    return apply


def _tensors_only(function: Binary) -> Binary:
    """Let a number stand on either side."""

    def apply(x1: Any, x2: Any) -> Tensor:
        left = x1 if isinstance(x1, Tensor) else _scalar(x1, x2)
        return function(left, x2 if isinstance(x2, Tensor) else _scalar(x2, left))

    return apply


def _scalar(value: Any, like: Tensor) -> Tensor:
    return torch.tensor(value, dtype=torch.result_type(value, like))  # on the host: no transfer to wait for


#: Torch's functions that already are what the vocabulary says, by its names.
_AS_THEY_ARE: dict[str, Callable[..., Any]] = {
    "detach": torch.Tensor.detach,
    "copy": torch.clone,
    "reshape": torch.reshape,
    "transpose": torch.permute,
    "moveaxis": torch.movedim,
    "swapaxes": torch.swapaxes,
    "squeeze": torch.squeeze,
    "broadcast_to": torch.broadcast_to,
    "concatenate": torch.cat,
    "stack": torch.stack,
    "flip": torch.flip,
    "roll": torch.roll,
    "tile": torch.tile,
    **{
        name: getattr(torch, name)
        for name in ("add", "subtract", "multiply", "true_divide", "floor_divide", "remainder")
    },
    **{name: getattr(torch, name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "positive", "negative")},
    **{name: getattr(torch, name) for name in ("absolute", "exp", "log", "sqrt", "isnan", "digamma", "logical_not")},
    "matmul": torch.matmul,
    "power": torch.pow,
    "left_shift": torch.bitwise_left_shift,
    "right_shift": torch.bitwise_right_shift,
    "invert": torch.bitwise_not,
    "gammaln": torch.lgamma,
    "argmax": torch.argmax,
    "cumsum": torch.cumsum,
}

#: The Torch backend's array vocabulary.
TORCH = ArrayOps(
    name="torch",
    is_array=lambda value: isinstance(value, Tensor),
    kind=making.kind,
    is_concrete=making.is_concrete,
    check=making.check,
    to_numpy=making.to_numpy,
    device=lambda a: a.device,
    asarray=making.asarray,
    to_floating=making.to_floating,
    smallest_normal=making.smallest_normal,
    full=full,
    arange=lambda n, like: torch.arange(n, device=like.device),
    astype=lambda a, dtype: a.to(dtype),
    expand_dims=expand_dims,
    take=indexing.take,
    take_along_axis=indexing.take_along_axis,
    repeat=repeat,
    index=indexing.index,
    assign=indexing.assign,
    conj=lambda a: torch.conj(a).resolve_conj(),
    divmod=_divmod,
    equal=_tensors_first(torch.eq),
    not_equal=_tensors_first(torch.ne),
    less=_tensors_first(torch.lt),
    less_equal=_tensors_first(torch.le),
    greater=_tensors_first(torch.gt),
    greater_equal=_tensors_first(torch.ge),
    maximum=_tensors_only(torch.maximum),
    minimum=_tensors_only(torch.minimum),
    logical_and=_tensors_only(torch.logical_and),
    logical_or=_tensors_only(torch.logical_or),
    ndtri=ndtri,
    where=torch.where,
    sum=reducing.total,
    mean=reducing.mean,
    std=reducing.std,
    var=reducing.var,
    min=reducing.amin,
    max=reducing.amax,
    prod=reducing.prod,
    any=reducing.some,
    all=reducing.every,
    sort=lambda a, axis: torch.sort(a, dim=axis).values,
    argsort=lambda a, axis: torch.argsort(a, dim=axis, stable=True),
    vecdot=reducing.vecdot,
    rowwise=rowwise,
    generators=drawing.generators,
    uniform=drawing.uniform,
    normal=drawing.normal,
    gamma=drawing.gamma,
    categorical=drawing.categorical,
    **_AS_THEY_ARE,
)
