"""What the Torch backend has once it is loaded."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch

from probly.hooks import Library
from probly.representation.kinds import KINDS
from probly_torch.representation._protected_axis.torch import TorchAxisProtected
from probly_torch.representation.conformal_set import torch_sets as conformal
from probly_torch.representation.credal_set import torch_sets as credal
from probly_torch.representation.distribution import (
    torch_bernoulli,
    torch_categorical,
    torch_dirichlet,
    torch_gaussian,
    torch_mixture,
    torch_sparse,
)
from probly_torch.representation.sample import torch_sample
from probly_torch.representation.torch_functions import torch_average

__all__ = ["LIBRARY"]

_MODULES = (
    *(torch_categorical, torch_bernoulli, torch_sparse, torch_dirichlet, torch_gaussian, torch_mixture),
    *(torch_sample, conformal, credal),
)


def _classes_of(modules: tuple[ModuleType, ...]) -> dict[str, type[Any]]:
    """Classes of some modules by the kind of the family that they derive from."""
    public = [getattr(module, name) for module in modules for name in module.__all__]
    return {kind: next(cls for cls in public if issubclass(cls, family)) for kind, family in KINDS.items()}


def _mean(x: Any, axis: Any = None) -> Any:
    return torch.mean(x, dim=axis)


def _sum(x: Any, axis: Any = None) -> Any:
    return torch.sum(x, dim=axis)


def _average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    return torch_average(x, axis, weights=weights)


def _stack(xs: Any, axis: int = 0) -> Any:
    return torch.stack(xs, dim=axis)


def _concatenate(xs: Any, axis: int | None = 0) -> Any:
    """Torch refuses ``dim=None`` before it dispatches."""
    return torch.cat([torch.reshape(x, (-1,)) for x in xs]) if axis is None else torch.cat(xs, dim=axis)


def _squeeze(x: Any, axis: Any = None) -> Any:
    return torch.squeeze(x) if axis is None else torch.squeeze(x, axis)


#: The Torch backend's classes and functions.
LIBRARY = Library(
    base=TorchAxisProtected,
    classes=_classes_of(_MODULES),
    functions={
        "mean": _mean,
        "sum": _sum,
        "average": _average,
        "stack": _stack,
        "concatenate": _concatenate,
        "reshape": torch.reshape,
        "squeeze": _squeeze,
        "moveaxis": torch.movedim,
        "swapaxes": torch.swapaxes,
        "expand_dims": torch.unsqueeze,
        "size": torch.numel,
    },
)
