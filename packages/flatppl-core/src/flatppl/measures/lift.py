"""The pointwise lift: an operation on a kernel is the kernel of the operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flatppl.distribution import Distribution
from flatppl.values.callables import Closure, Native

__all__ = ["fan_out", "is_kernel", "lifted"]


def is_kernel(value: Any) -> bool:
    """Whether a value can stand for a kernel."""
    return isinstance(value, (Closure, Native, Distribution))


def lifted(evaluator: Any, operation: str, target: Any, rule: Callable[[Any], Any]) -> Any:
    """``rule(target)`` for a measure; for a kernel, the kernel that applies ``rule`` to its output measure."""
    return fan_out(evaluator, operation, (target,), lambda parts: rule(parts[0]))


def fan_out(evaluator: Any, operation: str, parts: tuple[Any, ...], rule: Callable[[tuple[Any, ...]], Any]) -> Any:
    """``rule(parts)`` for measures; if some are kernels, a kernel of all their inputs, each name one value."""
    if not any(map(is_kernel, parts)):
        return rule(parts)
    needs = [evaluator.inputs_of(part) if is_kernel(part) else () for part in parts]
    inputs = tuple(dict.fromkeys(name for need in needs for name in need))

    def apply(*values: Any) -> Any:
        given = dict(zip(inputs, values, strict=True))
        measures = []
        for part, need in zip(parts, needs, strict=True):
            measures.append((yield evaluator.apply(part, [], {n: given[n] for n in need})) if need else part)
        return (yield evaluator.made_by(kernel, rule, tuple(measures)))

    ordered = all(getattr(part, "ordered", True) for part in parts)
    kernel = Native(f"{operation} of a kernel", inputs, apply, ordered)
    return kernel
