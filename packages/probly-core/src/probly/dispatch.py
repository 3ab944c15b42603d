"""Which backend a value belongs to: discovery of the plugins, claims, and loading on first sight.

Plugins are discovered once, in the order of their entry points' names. One that fails is quarantined and named in any
later "no backend" error; two backends of one name are an error that names both distributions. A backend is loaded when
the first of its arrays is seen.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from typing import Any

from probly import hooks
from probly.array_ops import ArrayOps
from probly.errors import BackendNotFoundError, PluginError
from probly.plugins import Installed, discover
from probly.representation._protected_axis.base import ProtectedAxes

__all__ = ["backend", "backend_of", "backends", "class_of", "convert", "is_array", "library", "ops", "ops_of"]

#: Distributions that hold the backends of known array libraries, for the error when they are missing.
KNOWN = {"jax": "probly-jax", "jaxlib": "probly-jax", "torch": "probly-torch"}

_lock = threading.RLock()
_claims: dict[type[Any], hooks.Backend] = {}


@functools.cache
def installed() -> Installed:
    """Installed backends and the plugins left out; discovered on the first call.

    Raises
    ------
    PluginError
        If two distributions claim one name.
    """
    return discover()


def backends() -> Mapping[str, hooks.Backend]:
    """Installed backends by name.

    Examples
    --------
    >>> backends()["numpy"].package
    'probly-core'
    """
    return installed().backends


def backend(name: str) -> hooks.Backend:
    """One installed backend by name; BackendNotFoundError if there is none.

    Examples
    --------
    >>> backend("numpy").name
    'numpy'
    """
    found = backends().get(name)
    if found is None:
        raise BackendNotFoundError(f"no installed backend is named {name!r}{_hint(name)}")
    return found


def backend_of(value: object) -> hooks.Backend:
    """Return the backend whose array a value is, and load it; a representation belongs to its class's backend.

    Numbers and nested lists belong to NumPy.

    Raises
    ------
    BackendNotFoundError
        If nothing claims it, or its backend fails to load.
    PluginError
        If several backends claim it.

    Examples
    --------
    >>> backend_of(1.5).name
    'numpy'
    """
    if isinstance(value, ProtectedAxes):
        return backend(value._ops.name)
    kind = type(value)
    found = _claims.get(kind)
    if found is None:
        found = _claim(value)
        library(found.name)
        _claims[kind] = found
    return found


def ops_of(value: object) -> ArrayOps:
    """Array vocabulary of the backend that a value belongs to.

    Examples
    --------
    >>> ops_of([1.0, 2.0]).name
    'numpy'
    """
    return value._ops if isinstance(value, ProtectedAxes) else ops(backend_of(value).name)


def is_array(value: object) -> bool:
    """Whether an installed backend claims a value that is no number, list or representation.

    Examples
    --------
    >>> is_array([1.0])
    False
    """
    try:
        return not isinstance(value, ProtectedAxes) and bool(ops_of(value).is_array(value))
    except BackendNotFoundError:
        return False


@functools.cache
def ops(name: str) -> ArrayOps:
    """Array vocabulary of a backend.

    Examples
    --------
    >>> float(ops("numpy").sum([1.0, 2.0]))
    3.0
    """
    with _lock:
        return _loaded(backend(name), "ops")


@functools.cache
def library(name: str) -> hooks.Library:
    """Representation classes and public functions of a backend, loaded once.

    Raises
    ------
    BackendNotFoundError
        If the backend is not installed or fails to load; the cause is chained.

    Examples
    --------
    >>> library("numpy").base.__name__
    'NumpyAxisProtected'
    """
    with _lock:
        ops(name)
        return _loaded(backend(name), "load")


def class_of(ops: ArrayOps, kind: str) -> type[Any]:
    """Return a backend's class of one kind, such as ``"dirichlet"``.

    Raises
    ------
    BackendNotFoundError
        If the backend has none.

    Examples
    --------
    >>> class_of(ops("numpy"), "dirichlet").__name__
    'NumpyDirichletDistribution'
    """
    found = library(ops.name).classes.get(kind)
    if found is None:
        raise BackendNotFoundError(f"backend {ops.name!r} of {backend(ops.name).package} has no class for {kind!r}")
    return found


def convert(value: object, ops: ArrayOps, like: Any = None) -> Any:
    """Return a number, list or array of any backend as an array of one backend.

    Examples
    --------
    >>> convert([1, 2], ops("numpy"))
    array([1, 2])
    """
    return value if ops.is_array(value) else backend(ops.name).convert(value, like)


def _claim(value: object) -> hooks.Backend:
    claiming = [each for each in backends().values() if each.claim(value)]
    if len(claiming) == 1:
        return claiming[0]
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if claiming:
        packages = " and ".join(each.package for each in claiming)
        raise PluginError(f"{packages} both claim values of type {kind}; uninstall one")
    raise BackendNotFoundError(f"no installed backend claims values of type {kind}{_hint(_root(value))}")


def _root(value: object) -> str:
    roots = [base.__module__.partition(".")[0] for base in type(value).__mro__]
    return next((root for root in roots if root in KNOWN), roots[0])


def _loaded(found: hooks.Backend, step: str) -> Any:
    try:
        return getattr(found, step)()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise BackendNotFoundError(f"backend {found.name!r} of {found.package} failed to load: {reason}") from error


def _hint(root: str) -> str:
    package = f"; install {KNOWN[root]}" if root in KNOWN else ""
    listing = ", ".join(f"{each.name} ({each.package})" for each in backends().values())
    left_out = "; ".join(f"{name}: {reason}" for name, reason in installed().quarantined.items())
    return f"{package} (installed: {listing}{f'; left out: {left_out}' if left_out else ''})"
