# mypy: disable-error-code="empty-body"
"""The doors of FlatPPL: every hook that a plugin may implement, and what each value must show.

A plugin is a module (or object) named by an entry point of group ``flatppl``. It implements any of the hooks below,
marked with :data:`hookimpl`, and returns values; it registers nothing and changes nothing. Each hook is called once,
its answer is checked and frozen into the tables of :class:`flatppl.registry.Registry`. A plugin whose hook raises or
returns something else is left out as a whole and listed by ``flatppl plugins``. FlatPPL's own functions,
distributions and backends come through the same doors.

The protocols name only what the registry itself relies on; a table keeps the objects as they were given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import pluggy

if TYPE_CHECKING:
    from flatppl.tensor.program import Primitive

__all__ = [
    "GROUP",
    "Backend",
    "DerivativeEngine",
    "MeasureOperation",
    "Named",
    "Optimization",
    "StandardModule",
    "Transport",
    "hookimpl",
    "hookspec",
]

#: Entry-point group, and pluggy's project name.
GROUP = "flatppl"

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


class Named(Protocol):
    """A value with a name, unique in its table."""

    @property
    def name(self) -> str:
        """Key of the table."""


class MeasureOperation(Named, Protocol):
    """An operation that makes measures from measures or functions."""


class Transport(Named, Protocol):
    """A map between two distributions."""


class Optimization(Named, Protocol):
    """A pass over tensor programs."""


class DerivativeEngine(Named, Protocol):
    """A way to differentiate what a backend compiled."""


class Backend(Named, Protocol):
    """What turns a tensor program into a callable, and the profiles it knows."""

    def session(self, dtype: str) -> AbstractContextManager[Any]:
        """What a precision needs around compile and call."""

    def profile(self, target: str | None) -> str:
        """Name of the profile that a target means."""

    @property
    def profiles(self) -> Collection[str]:
        """Names of the profiles."""

    @property
    def compile(self) -> Callable[..., Any]:
        """Make the callable."""


#: How one backend computes one primitive; only that backend knows its type.
Lowering = Any


@dataclass(frozen=True, slots=True)
class StandardModule:
    """Members that a model reaches as ``standard_module(name, version)``.

    The members of the module ``base`` need no prefix; only FlatPPL's own packages contribute to it. FlatPPL's own
    packages may contribute parts of one module, at the same version.

    Parameters
    ----------
    name : str
        As a model writes it, such as ``"particle-physics"``.
    version : str
        ``MAJOR.MINOR`` or ``MAJOR.MINOR.PATCH``.
    members : mapping of str to object
        Functions, distributions, measures and constants; copied, read-only afterwards.

    Examples
    --------
    >>> module = StandardModule("gumbel", "0.1", {"zero": 0.0})
    >>> module.members["zero"]
    0.0
    """

    name: str
    version: str
    members: Mapping[str, object]

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", MappingProxyType(dict(self.members)))


@hookspec
def flatppl_modules() -> Iterable[StandardModule]:
    """Give named, versioned modules of functions, distributions and measures."""


@hookspec
def flatppl_primitives() -> Iterable[Primitive]:
    """Give operations of the tensor program, each with its abstract evaluation and its NumPy meaning."""


@hookspec
def flatppl_measures() -> Iterable[MeasureOperation]:
    """Give operations that make measures from measures, such as ``weighted`` or ``truncate``."""


@hookspec
def flatppl_transports() -> Iterable[Transport]:
    """Give maps between distributions for which no cumulative distribution function would do."""


@hookspec
def flatppl_optimizations() -> Iterable[Optimization]:
    """Give passes over the tensor program that keep its meaning."""


@hookspec
def flatppl_backends() -> Iterable[Backend]:
    """Give backends, each with its name, its profiles and ``compile``; load no array library here."""


@hookspec
def flatppl_lowerings(backend: str, profile: str) -> Mapping[str, Lowering]:
    """Say how a backend computes primitives under a profile, by primitive name; import the heavy library here.

    A lowering comes from the distribution that owns the primitive or from the one that owns the backend. For a backend
    that the plugin does not know, the answer is an empty mapping.
    """


@hookspec
def flatppl_derivative_engines(backend: str) -> Iterable[DerivativeEngine]:
    """Give ways to differentiate what this backend compiles; none for a backend that the plugin does not know."""


@hookspec(firstresult=True)
def flatppl_fetch(location: str) -> bytes | None:
    """Give the content at a location, or None to leave it to the next plugin."""
