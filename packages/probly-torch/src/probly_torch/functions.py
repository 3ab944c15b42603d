"""Torch's functions as spellings of probly's operations (T-2, T-3)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

import torch

from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.fields import fieldwise
from probly.representation._protected_axis.operations import JOINS, OPERATIONS, REARRANGE, STRUCTURE
from probly.representation._protected_axis.spelling import (
    KEEP,
    FunctionTable,
    Operation,
    Spelling,
    elementwise_spellings,
)
from probly_torch.representation.torch_functions import torch_average, torch_divmod

__all__ = ["TABLE", "positional"]

Call = Callable[..., Any]

#: What probly calls Torch's usual keywords; ``input`` is always the first parameter.
_KEYWORDS = {"dim": "axis", "dims": "axis", "keepdim": "keepdims"}


def adjoint(func: Call, a: Any) -> Any:
    """Swap the last two batch axes and conjugate the fields."""
    return a.mH


def resolve_conj(func: Call, a: Any) -> Any:
    """Write out lazily conjugated fields."""
    return fieldwise(a, func, KEEP, lambda field, _: field if _is_foreign(field) else torch.resolve_conj(field))


def _is_foreign(field: Any) -> bool:
    return not isinstance(field, torch.Tensor | ProtectedAxes)


def gather(func: Call, a: Any, axis: Any, indices: Any) -> Any:
    """Elements along a batch axis; along the others the index may be shorter, as in ``torch.gather``."""
    shape = tuple(indices.shape)
    if len(shape) == a.ndim:
        a = a[tuple(slice(None) if i == axis % a.ndim else slice(n) for i, n in enumerate(shape))]
    return OPERATIONS["take_along_axis"](func, a, indices, axis)


def split(func: Call, ary: Any, sizes: Any, axis: Any = 0) -> Any:
    """Parts of given sizes along a batch axis, or of one size with a shorter last part."""
    length = OPERATIONS["size"](func, ary, axis)
    if isinstance(sizes, int):
        ends = list(range(sizes, length, operator.index(sizes)))
    else:
        *ends, total = accumulate(sizes)
        if total != length:
            raise ValueError(f"parts of sizes {list(sizes)} do not make up an axis of size {length}")
    return tuple(OPERATIONS["split"](func, ary, ends, axis))


#: Operations that only Torch has.
_OWN: dict[str, Operation] = {
    "adjoint": adjoint,
    "resolve_conj": resolve_conj,
    "gather": gather,
    "split_sizes": split,
}


def _spell(name: str, parameters: str, keywords: Mapping[str, str] | None = None, **defaults: Any) -> Spelling:
    """Spelling whose parameters are written in one string."""
    names = tuple(parameters.split())
    usual = {native: canonical for native, canonical in _KEYWORDS.items() if canonical in names}
    return Spelling(name, names, {**usual, "input": names[0], **(keywords or {})}, defaults)


_STRUCTURAL: dict[Call, Spelling] = {
    torch.reshape: _spell("reshape", "a shape"),
    torch.flatten: _spell("flatten", "a start end", {"start_dim": "start", "end_dim": "end"}),
    torch.ravel: _spell("ravel", "a"),
    torch.permute: _spell("transpose", "a axes", {"dims": "axes"}),
    torch.Tensor.mT.__get__: _spell("matrix_transpose", "x"),  # type: ignore[attr-defined]
    torch.adjoint: _spell("adjoint", "a"),
    **dict.fromkeys(
        (torch.swapaxes, torch.swapdims, torch.transpose),
        _spell("swapaxes", "a axis1 axis2", {"dim0": "axis1", "dim1": "axis2", "axis0": "axis1", "axis1": "axis2"}),
    ),
    **dict.fromkeys((torch.movedim, torch.moveaxis), _spell("moveaxis", "a source destination")),
    torch.unsqueeze: _spell("expand_dims", "a axis"),
    torch.squeeze: _spell("squeeze", "a axis"),
    torch.broadcast_to: _spell("broadcast_to", "array shape", {"size": "shape"}),
    torch.clone: _spell("copy", "a"),
    torch.Tensor.to: _spell("astype", "x dtype"),
    torch.conj: _spell("conj", "x"),
    torch.resolve_conj: _spell("resolve_conj", "a"),
    torch.detach: _spell("detach", "a"),
    torch.index_select: _spell("take", "a axis indices", {"index": "indices"}),
    torch.take_along_dim: _spell("take_along_axis", "arr indices axis", axis=None),
    torch.gather: _spell("gather", "a axis indices", {"index": "indices"}),
    torch.flip: _spell("flip", "m axis"),
    torch.roll: _spell("roll", "a shift axis", {"shifts": "shift"}),
    torch.repeat_interleave: _spell("repeat", "a repeats axis"),
    torch.tile: _spell("tile", "A reps", {"dims": "reps"}),
    torch.split: _spell("split_sizes", "ary sizes axis", {"split_size_or_sections": "sizes", "tensor": "ary"}),
    torch.tensor_split: _spell(
        "array_split",
        "ary indices_or_sections axis",
        {"sections": "indices_or_sections", "indices": "indices_or_sections"},
    ),
    torch.where: _spell("where", "condition x y", {"input": "x", "other": "y"}),
    torch.numel: _spell("size", "a"),
    torch.stack: _spell("stack", "arrays axis", {"tensors": "arrays"}),
    **dict.fromkeys(
        (torch.concatenate, torch.cat, torch.concat), _spell("concatenate", "arrays axis", {"tensors": "arrays"})
    ),
}

_REDUCTIONS: dict[Call, Spelling] = {
    torch.mean: _spell("mean", "a axis keepdims"),
    torch.sum: _spell("sum", "a axis keepdims"),
    torch.prod: _spell("prod", "a axis keepdims"),
    torch.std: _spell("std", "a axis unbiased keepdims", {"correction": "ddof"}, ddof=1),
    torch.var: _spell("var", "a axis unbiased keepdims", {"correction": "ddof"}, ddof=1),
    torch.amin: _spell("min", "a axis keepdims"),
    torch.amax: _spell("max", "a axis keepdims"),
    torch.any: _spell("any", "a axis keepdims"),
    torch.all: _spell("all", "a axis keepdims"),
    torch_average: _spell("average", "a axis", {"tensor": "a", "keepdim": "keepdims"}),
}

#: Operators, the preferred spelling first; those of ``torch.Tensor`` are what a tensor on the left calls.
_ELEMENTWISE: dict[str, tuple[str, ...]] = {
    "add": ("add", "Tensor.add"),
    "subtract": ("sub", "subtract", "Tensor.sub", "Tensor.subtract"),
    "multiply": ("mul", "multiply", "Tensor.mul", "Tensor.multiply"),
    "true_divide": ("true_divide", "div", "divide", "Tensor.true_divide", "Tensor.div", "Tensor.divide"),
    "floor_divide": ("floor_divide", "Tensor.floor_divide", "Tensor.__floordiv__"),
    "remainder": ("remainder", "Tensor.remainder"),
    "power": ("pow", "Tensor.pow", "Tensor.__pow__"),
    "matmul": ("matmul", "linalg.matmul", "Tensor.matmul"),
    "bitwise_and": ("bitwise_and", "Tensor.bitwise_and", "Tensor.__and__"),
    "bitwise_or": ("bitwise_or", "Tensor.bitwise_or", "Tensor.__or__"),
    "bitwise_xor": ("bitwise_xor", "Tensor.bitwise_xor", "Tensor.__xor__"),
    "left_shift": ("bitwise_left_shift", "Tensor.bitwise_left_shift", "Tensor.__lshift__"),
    "right_shift": ("bitwise_right_shift", "Tensor.bitwise_right_shift", "Tensor.__rshift__"),
    "equal": ("eq", "Tensor.eq"),
    "not_equal": ("ne", "not_equal", "Tensor.ne", "Tensor.not_equal"),
    "less": ("lt", "less", "Tensor.lt", "Tensor.less"),
    "less_equal": ("le", "less_equal", "Tensor.le", "Tensor.less_equal"),
    "greater": ("gt", "greater", "Tensor.gt", "Tensor.greater"),
    "greater_equal": ("ge", "greater_equal", "Tensor.ge", "Tensor.greater_equal"),
    "positive": ("positive",),
    "negative": ("neg", "negative"),
    "absolute": ("abs", "absolute"),
    "invert": ("bitwise_not",),
    **{name: (name,) for name in ("exp", "log", "sqrt", "isnan", "logical_not")},
    **{name: (name, f"Tensor.{name}") for name in ("maximum", "minimum", "logical_and", "logical_or")},
}


def _operators() -> dict[Call, Spelling]:
    spelled: dict[Call, Spelling] = {}
    for name, paths in _ELEMENTWISE.items():
        for path in paths:
            spelled.update(elementwise_spellings({name: operator.attrgetter(path)(torch)}))
    return {**spelled, **elementwise_spellings({"divmod": torch_divmod})}


#: The native functions that Torch representations answer to.
TABLE = FunctionTable(
    {**_STRUCTURAL, **_REDUCTIONS, **_operators()},
    {**OPERATIONS, **_OWN},
    frozenset({*STRUCTURE, *REARRANGE, *JOINS, *_OWN}),
)


def positional(
    func: Call, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Arguments of a call with the operands ``input`` and ``other`` of an elementwise function by position."""
    spelling = TABLE.spellings.get(func)
    if spelling is None or not spelling.positional:
        return args, kwargs
    named = [kwargs[name] for name in ("input", "other") if name in kwargs]
    return (*args, *named), {key: value for key, value in kwargs.items() if key not in ("input", "other")}
