"""What a backend gets and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from flatppl.tensor.program import Program
from flatppl.values.forms import Form

__all__ = ["Backend", "Executable", "Options", "Signature"]


@dataclass(frozen=True, slots=True)
class Signature:
    """Inputs and outputs of a query.

    Attributes
    ----------
    inputs : tuple of (str, Form)
        In declared order; the program's params are their tensors, flattened in this order.
    outputs : tuple of (str or None, Form)
        In declared order, with the authored name where the output is a plain reference.
    multiple : bool
        The query returns a tuple of outputs.
    """

    inputs: tuple[tuple[str, Form], ...]
    outputs: tuple[tuple[str | None, Form], ...]
    multiple: bool


@dataclass(frozen=True, slots=True, eq=False)
class Executable:
    """A finished tensor program.

    Attributes
    ----------
    program : Program
        ``results`` are the tensors of the outputs, then two scalar booleans per flag: ``ok`` (no violation)
        and ``silent`` (no violation to report).
    signature : Signature
    flags : tuple of (str, str)
        Message and category (``parameter`` or ``value``) of each runtime check.
    """

    program: Program
    signature: Signature
    flags: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Options:
    """Compile options (see ``Module.compile``)."""

    dtype: str = "float32"
    checks: str = "nan"
    target: str | None = None
    autodiff: bool | str = True


class Backend(Protocol):
    """A backend is a value with a name, the names of its profiles, and a compiler."""

    name: str
    profiles: tuple[str, ...]

    def profile(self, target: str | None) -> str:
        """Name of the profile that a target (None: what the machine has) means."""
        ...

    def session(self, dtype: str) -> AbstractContextManager[Any]:
        """What a precision needs around compile and call."""
        ...

    def compile(self, executable: Executable, options: Options, lowerings: Mapping[str, Any]) -> Callable[..., Any]:
        """The query as a callable, with the lowerings of the chosen profile."""
        ...
