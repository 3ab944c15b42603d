"""The pointwise lift: an operation on a kernel is the kernel of the operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flatppl.distribution import Distribution
from flatppl.measures.base import Measure
from flatppl.values.callables import Closure, Native

__all__ = ["is_kernel", "lifted"]


def is_kernel(value: Any) -> bool:
    """Whether a value can stand for a kernel."""
    return isinstance(value, (Closure, Native, Distribution))


def lifted(evaluator: Any, operation: str, target: Any, rule: Callable[[Measure], Any]) -> Any:
    """``rule(target)`` for a measure; for a kernel, the kernel that applies ``rule`` to its output measure."""
    if not is_kernel(target):
        return rule(target)
    inputs = evaluator.inputs_of(target)

    def apply(*values: Any) -> Any:
        measure = yield evaluator.apply(target, [], dict(zip(inputs, values, strict=True)))
        return (yield rule(measure))

    return Native(f"{operation} of a kernel", inputs, apply, ordered=getattr(target, "ordered", True))
