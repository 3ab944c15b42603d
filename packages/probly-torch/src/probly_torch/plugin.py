"""Entry point of the Torch backend; Torch is imported by ``ops`` and ``load``, not here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from probly.array_ops import ArrayOps
from probly.hooks import Backend, Library, claim_instances, hookimpl

__all__ = ["probly_backends"]


@hookimpl
def probly_backends() -> Iterable[Backend]:
    """Give the Torch backend."""
    return [Backend("torch", "probly-torch", claim_instances("torch", "Tensor"), load, ops, convert)]


def ops() -> ArrayOps:
    """Array vocabulary."""
    from probly_torch.ops import TORCH

    return TORCH


def load() -> Library:
    """Representation classes and functions."""
    from probly_torch.library import LIBRARY

    return LIBRARY


def convert(value: object, like: Any) -> Any:
    """Any array-like as a tensor on the device of ``like``; TypeError if it has no tensor form."""
    from probly_torch.making import to_tensor

    return to_tensor(value, like)
