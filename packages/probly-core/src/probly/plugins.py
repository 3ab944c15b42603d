"""Discovery: entry points of group ``probly``, each asked once and alone, so that a failure stays with its plugin."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pluggy

from probly import hooks
from probly.errors import PluginError

__all__ = ["Installed", "discover", "read"]

#: (name of the entry point, distribution, function that imports the plugin).
Candidate = tuple[str, str, Callable[[], object]]


@dataclass(frozen=True, slots=True)
class Installed:
    """Backends by name, and the reason for each plugin that was left out."""

    backends: Mapping[str, hooks.Backend]
    quarantined: Mapping[str, str]


def discover() -> Installed:
    """Ask the installed plugins, less those that ``PROBLY_DISABLE_PLUGINS=name,name`` lists.

    Raises
    ------
    PluginError
        If two distributions have a plugin, or a backend, of one name.
    """
    disabled = {name.strip() for name in os.environ.get("PROBLY_DISABLE_PLUGINS", "").split(",")}
    found = importlib.metadata.entry_points(group=hooks.GROUP)
    candidates = ((entry.name, entry.dist.name if entry.dist else "an unknown distribution", entry) for entry in found)
    return read([(name, package, entry.load) for name, package, entry in candidates if name not in disabled])


def read(candidates: Iterable[Candidate]) -> Installed:
    """Load and check candidates in the order of their names; see :func:`discover`.

    Examples
    --------
    >>> read([("broken", "a-package", lambda: 1 / 0)]).quarantined["broken"]
    'a-package: ZeroDivisionError: division by zero'
    """
    backends: dict[str, hooks.Backend] = {}
    plugins: dict[str, str] = {}
    owners: dict[str, str] = {}
    quarantined: dict[str, str] = {}
    for name, package, load in sorted(candidates, key=lambda candidate: candidate[:2]):
        _own(plugins, f"plugin {name!r}", package)
        try:
            offered = _ask(name, load())
        except Exception as error:
            quarantined[name] = f"{package}: {type(error).__name__}: {error}"
            continue
        for backend in offered:
            _own(owners, f"backend {backend.name!r}", package)
            backends[backend.name] = backend
    return Installed(MappingProxyType(backends), MappingProxyType(quarantined))


def _own(owners: dict[str, str], what: str, package: str) -> None:
    if what in owners:
        raise PluginError(f"{owners[what]} and {package} both give {what}; uninstall one")
    owners[what] = package


def _ask(name: str, plugin: object) -> list[hooks.Backend]:
    """Check one plugin and return its backends; raises whatever is wrong with it."""
    manager = pluggy.PluginManager(hooks.GROUP)
    manager.add_hookspecs(hooks)
    manager.register(plugin, name)
    manager.check_pending()
    if not manager.get_hookcallers(plugin):
        raise PluginError("it implements no hook; mark probly_backends with probly.hooks.hookimpl")
    offered = [backend for answer in manager.hook.probly_backends() for backend in answer]
    for backend in offered:
        _check(backend)
    return offered


def _check(backend: object) -> None:
    if not isinstance(backend, hooks.Backend):
        raise PluginError(f"probly_backends gave {backend!r}, not a Backend")
    for step in ("claim", "load", "ops", "convert"):
        if not callable(getattr(backend, step)):
            raise PluginError(f"{step} of backend {backend.name!r} is not callable")
