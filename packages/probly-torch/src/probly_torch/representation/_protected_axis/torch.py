"""The protected-axis base class over Torch tensors (T-1 to T-6)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import torch

from probly.array_ops import ArrayOps
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.indexing import complete
from probly.representation._protected_axis.spelling import FunctionTable
from probly_torch.functions import TABLE, positional
from probly_torch.ops import TORCH
from probly_torch.representation.torch_functions import torch_divmod

__all__ = ["TorchAxisProtected"]

T = TypeVar("T")


class TorchAxisProtected(ProtectedAxes, Generic[T]):
    """A representation whose fields are tensors; itself it is no tensor.

    Torch functions and operators answer through ``__torch_function__``. Every spelling of a function is one permission:
    ``torch.sub`` in ``permitted_functions`` permits ``torch.subtract``, ``x - y`` and ``tensor - x``. ``divmod``
    follows from ``torch.floor_divide`` and ``torch.remainder``. In-place spellings are refused; ``x += y`` rebinds.
    Indexing follows Torch where it differs from NumPy: an integer beside index tensors picks first.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False)
    ... class Vectors(TorchAxisProtected[torch.Tensor]):
    ...     array: torch.Tensor
    ...     protected_axes = {"array": 1}
    ...     permitted_functions = {torch.add, torch.mul}
    >>> x = Vectors(torch.ones(2, 3))
    >>> y = 2 * x + x
    >>> y.shape, y.protected_shape
    ((2,), (3,))
    """

    __array_ufunc__: ClassVar[None] = None
    _ops: ClassVar[ArrayOps] = TORCH
    _functions: ClassVar[FunctionTable] = TABLE

    # -- protocol ---------------------------------------------------------------------------------------------------

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Sequence[type[Any]],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if kwargs and ("input" in kwargs or "other" in kwargs):
            args, kwargs = positional(func, args, kwargs)
        return cls._functions.call(func, args, kwargs)

    def _operate(self, name: str, operands: tuple[Any, ...]) -> Any:
        """Ask each class among the operands once, as Torch does, so that an override sees operators too."""
        func, own = self._functions.natives[name], type(self)
        others = [type(x) for x in operands if type(x) is not own and isinstance(x, TorchAxisProtected)]
        if not others:
            return own.__torch_function__(func, (own,), operands)
        types = [type(operand) for operand in operands if isinstance(operand, TorchAxisProtected)]
        for each in types:
            answer = each.__torch_function__(func, types, operands)
            if answer is not NotImplemented:
                return answer
        return NotImplemented

    def permits(self, func: Callable[..., Any], method: str | None = None) -> bool:
        """Whether a Torch function may run, in any of its spellings."""
        if func in self._permitted:
            return True
        return func is torch_divmod and self.permits(torch.floor_divide) and self.permits(torch.remainder)

    def __getitem__(self, key: Any) -> Any:
        if type(key) is not tuple:
            return super().__getitem__(key)
        if any(part is Ellipsis for part in key):
            key = tuple(part for part in complete(self, key) if part is not Ellipsis)
        first, second = _stages(key)
        return super().__getitem__(first) if second is None else super().__getitem__(first)[second]

    # -- shape, as on tensors ---------------------------------------------------------------------------------------

    def size(self, dim: int | None = None) -> Any:  # type: ignore[override]
        """Batch shape, or the size of one batch axis; IndexError if there is none."""
        shape = torch.Size(self.shape)
        return shape if dim is None else shape[dim]

    def dim(self) -> int:
        """Batch rank."""
        return self.ndim

    def numel(self) -> int:
        """Number of batch elements."""
        return math.prod(self.shape)

    @property
    def tensor(self) -> Any:
        """The field ``array``, by its Torch name."""
        return getattr(self, "array")  # noqa: B009

    @property
    def dtype(self) -> Any:
        """Dtype of the first field that is no NumPy sidecar."""
        return self._leading().dtype

    @property
    def device(self) -> Any:
        """Device of the first field that is no NumPy sidecar."""
        return self._leading().device

    @property
    def requires_grad(self) -> bool:
        """Whether a field takes part in derivatives."""
        return any(getattr(getattr(self, name), "requires_grad", False) for name in self.protected_axes)

    def _leading(self) -> Any:
        fields = [getattr(self, name) for name in self.protected_axes]
        return next((field for field in fields if not isinstance(field, np.ndarray)), fields[0])

    # -- structure, as on tensors -----------------------------------------------------------------------------------

    def transpose(self, dim0: int, dim1: int) -> Any:
        """Two batch axes swapped; :meth:`permute` reorders all."""
        return self._functions.run("swapaxes", self, dim0, dim1)

    swapaxes = transpose

    def permute(self, *dims: Any) -> Any:
        """Batch axes in another order."""
        return self._functions.run("transpose", self, dims[0] if len(dims) == 1 else dims)

    def movedim(self, source: Any, destination: Any) -> Any:
        """Batch axes moved to other positions."""
        return self._functions.run("moveaxis", self, source, destination)

    def unsqueeze(self, dim: int) -> Any:
        """A new batch axis of size 1."""
        return self._functions.run("expand_dims", self, dim)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Any:
        """Batch axes from ``start_dim`` to ``end_dim`` joined."""
        return self._functions.run("flatten", self, start_dim, end_dim)

    def expand(self, *sizes: Any) -> Any:
        """Batch shape broadcast; -1 keeps a size."""
        wanted = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
        kept = (1,) * (len(wanted) - self.ndim) + self.shape
        return self._functions.run(
            "broadcast_to", self, tuple(n if m == -1 else m for m, n in zip(wanted, kept, strict=True))
        )

    # -- fields, as on tensors --------------------------------------------------------------------------------------

    def clone(self) -> Any:
        """Fields copied; gradients flow to the original."""
        return self._functions.run("copy", self)

    def conj(self) -> Any:
        """Complex conjugate of every field."""
        return self._functions.run("conj", self)

    def detach(self) -> Any:
        """Fields as constants for derivatives."""
        return self._functions.run("detach", self)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Fields on another device or of another dtype, as ``Tensor.to``; itself if nothing changes.

        NumPy sidecars stay as they are. A floating dtype is for the floating fields, if there are any. Weights and
        other tensors that are no fields follow to the device.
        """
        fields = {name: getattr(self, name) for name in self.protected_axes}
        moved = {name: value.to(*args, **kwargs) for name, value in fields.items() if not isinstance(value, np.ndarray)}
        if any(_is_floating(fields[name]) for name in moved):
            for name, value in moved.items():
                if _is_floating(value) and not _is_floating(fields[name]):
                    moved[name] = fields[name].to(value.device)
        changed = {name: value for name, value in moved.items() if value is not fields[name]}
        changed.update(self._companions(next(iter(moved.values())).device if moved else None))
        return dataclasses.replace(self, **changed) if changed else self  # type: ignore[type-var]

    def _companions(self, device: Any) -> dict[str, Any]:
        """Tensors that are no fields, where they have to move."""
        names = [field.name for field in dataclasses.fields(self) if field.name not in self.protected_axes]  # type: ignore[arg-type]
        others = {name: getattr(self, name) for name in names}
        return {
            name: value.to(device)
            for name, value in others.items()
            if isinstance(value, torch.Tensor) and value.device != device
        }

    def cpu(self) -> Self:
        """Fields on the host."""
        return self.to("cpu")

    def cuda(self, device: Any = None) -> Self:
        """Fields on a CUDA device, the current one by default."""
        return self.to("cuda" if device is None else device)

    def numpy(self, *, force: bool = False) -> Any:
        """As :func:`numpy.asarray`; without ``force`` only from the host and without derivatives, as for tensors."""
        if not force:
            for name in self.protected_axes:
                value = getattr(self, name)
                if isinstance(value, torch.Tensor | TorchAxisProtected):
                    value.numpy()
        return np.asarray(self)


def _is_floating(value: Any) -> bool:
    return not isinstance(value, np.ndarray) and bool(getattr(value.dtype, "is_floating_point", False))


def _stages(parts: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...] | None]:
    """Split a key that mixes integers with index arrays: Torch picks by integers first, the arrays act on the rest.

    NumPy takes such integers as index arrays, which moves axes elsewhere.
    """
    widths = [_array_width(part) for part in parts]
    if not any(widths) or not any(map(_is_integer, parts)):
        return parts, None
    first: list[Any] = []
    second: list[Any] = []
    for part, width in zip(parts, widths, strict=True):
        first.extend([slice(None)] * width if width else [part])
        if not _is_integer(part):
            second.append(part if width or part is Ellipsis else slice(None))
    return tuple(first), tuple(second)


def _array_width(part: Any) -> int:
    """Number of axes that an index array uses up; 0 for other parts of a key."""
    if isinstance(part, list):
        part = np.asarray(part)
    if not isinstance(part, torch.Tensor | np.ndarray) or not part.ndim:
        return 0
    return part.ndim if part.dtype in (torch.bool, np.bool_) else 1


def _is_integer(part: Any) -> bool:
    if isinstance(part, torch.Tensor | np.ndarray):
        return not part.ndim
    return isinstance(part, int | np.integer) and not isinstance(part, bool)
