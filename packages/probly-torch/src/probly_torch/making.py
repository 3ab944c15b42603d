"""Making tensors from other values, and what can be asked of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch._C._functorch import peek_interpreter_stack
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils.dlpack import from_dlpack

from probly.errors import InvalidValueError

__all__ = ["asarray", "check", "is_concrete", "kind", "smallest_normal", "to_floating", "to_numpy", "to_tensor"]

Tensor = torch.Tensor


def _kind_of(dtype: torch.dtype) -> str:
    if dtype is torch.bool:
        return "bool"
    if dtype.is_floating_point:
        return "floating"
    if dtype.is_complex:
        return "complex"
    return "integer" if str(dtype).removeprefix("torch.").startswith(("int", "uint")) else "other"


_KINDS = {dtype: _kind_of(dtype) for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)}


def kind(a: Tensor) -> str:
    """Kind of dtype; quantized and bit dtypes are "other"."""
    return _KINDS[a.dtype]


def is_concrete(a: Tensor) -> bool:
    """Whether numbers can be read: not while Torch compiles, inside ``torch.func`` transforms, or without storage."""
    if torch.compiler.is_compiling():
        return False
    return peek_interpreter_stack() is None and not a.is_meta and not isinstance(a, FakeTensor)


def check(predicate: Tensor, message: str) -> None:
    """Raise unless all of a predicate holds, where its values can be read (T-6)."""
    if is_concrete(predicate) and not bool(torch.all(predicate)):
        raise InvalidValueError(message)


def to_tensor(value: object, like: Tensor | None = None) -> Tensor:
    """Number, nested list or foreign array as a tensor that shares no memory with it.

    Raises
    ------
    TypeError
        If it has no tensor form.
    """
    device = None if like is None else like.device
    try:
        return _made(value).to(device)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"{type(value).__name__} has no tensor form: {error}") from None


def _made(value: Any) -> Tensor:
    own = getattr(value, "__torch_like__", None)
    if own is not None:
        return torch.as_tensor(own())
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return _from_numpy(np.asarray(value))
    if hasattr(value, "__dlpack__"):
        return from_dlpack(value).clone()
    if hasattr(value, "__array__"):
        return _from_numpy(np.asarray(value))
    return torch.as_tensor(value) if _is_plain(value) else _from_numpy(np.asarray(value))


def _from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """Copy; bfloat16 of ml_dtypes, which NumPy knows only by its bits, keeps its meaning."""
    if array.dtype.kind == "V" and array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.uint16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(array, dtype=array.dtype.newbyteorder("="), order="C"))


def _is_plain(value: Any) -> bool:
    """Whether the first leaf of nested lists is a number or tensor: NumPy reads lists of its own arrays faster."""
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return not isinstance(value, np.ndarray | np.generic)


def asarray(value: object, dtype: torch.dtype | None = None) -> Tensor:
    """Value as a tensor, cast to ``dtype`` if given; tensors are not copied."""
    tensor = value if isinstance(value, Tensor) else to_tensor(value)
    return tensor if dtype is None else tensor.to(dtype)


def to_numpy(a: Tensor) -> np.ndarray[Any, Any]:
    """Host copy without derivatives; bfloat16, which NumPy lacks, as float32."""
    plain = a.detach().cpu().resolve_conj().resolve_neg()
    return (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()


def to_floating(a: Tensor) -> Tensor:
    """Integers and booleans in the default dtype."""
    return a if a.dtype.is_floating_point or a.dtype.is_complex else a.to(torch.get_default_dtype())


def smallest_normal(a: Tensor) -> float:
    """Smallest positive normal number of a floating dtype."""
    return torch.finfo(a.dtype).smallest_normal
