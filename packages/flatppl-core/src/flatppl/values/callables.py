"""Built-in functions as data, and helpers for their rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flatppl.errors import refuse
from flatppl.values.forms import Tensor, Value, describe

__all__ = ["Closure", "Function", "Native", "fixed_integer", "fixed_integers"]


@dataclass(frozen=True, slots=True, eq=False)
class Function(Value):
    """An ordinary function of ``base`` or a standard module.

    Attributes
    ----------
    name : str
    parameters : tuple of str
        Keyword names in positional order.
    rule : callable
        ``rule(*values) -> Value``; a generator if it needs the evaluator (see :mod:`flatppl.elaborate`).
    whole : bool
        A sole record or table is passed as it is, not splatted into keywords.
    defaults : tuple
        Values (Python objects the rule understands) of trailing parameters that may be left out.
    """

    name: str
    parameters: tuple[str, ...]
    rule: Callable[..., Any]
    whole: bool = False
    defaults: tuple[Any, ...] = ()

    def describe(self) -> str:
        """Name for messages."""
        return f"function {self.name}"


def fixed_integer(value: Any, what: str) -> int:
    """A Python integer from a fixed integer scalar; refuses anything else, naming ``what``."""
    if not isinstance(value, Tensor) or value.levels or value.kind not in ("integer", "boolean"):
        refuse("kind", f"{what} must be an integer, got a {describe(value)}")
    if value.node.constant is None:
        refuse("shape", f"{what} must be a fixed value; give it a value in the model or with Module.set")
    return int(value.node.constant)


def fixed_integers(value: Any, what: str) -> tuple[int, ...]:
    """Python integers from a fixed integer scalar or vector."""
    if isinstance(value, Tensor) and value.levels == (1,):
        if value.kind != "integer":
            refuse("kind", f"{what} must hold integers, got a {describe(value)}")
        if value.node.constant is None:
            refuse("shape", f"{what} must be fixed; give it a value in the model or with Module.set")
        return tuple(int(x) for x in value.node.constant)
    return (fixed_integer(value, what),)


@dataclass(frozen=True, slots=True, eq=False)
class Native(Value):
    """A callable that an operation built: a composition, a lifted kernel.

    Attributes
    ----------
    name : str
    inputs : tuple of str
    rule : callable
        ``rule(*values)`` in input order; a value or a generator.
    ordered : bool
        Positional calls are allowed.
    """

    name: str
    inputs: tuple[str, ...]
    rule: Callable[..., Any]
    ordered: bool = True

    def describe(self) -> str:
        """Name for messages."""
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Closure(Value):
    """A reified callable: its node, the frame it was made in, and its inputs.

    Attributes
    ----------
    reify : Reify
    frame : Frame
    targets : tuple of Input
    ordered : bool
    """

    reify: Any
    frame: Any
    targets: tuple[Any, ...]
    ordered: bool

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs in order."""
        return tuple(target.name for target in self.targets)

    def describe(self) -> str:
        """Name for messages."""
        return f"callable of ({', '.join(self.inputs)})"
