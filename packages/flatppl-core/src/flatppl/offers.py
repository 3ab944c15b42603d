"""What one plugin gives, checked in itself, and how the tables of several plugins join."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

import pluggy

from flatppl import hooks

__all__ = ["OWN", "TABLES", "Offer", "Plugin", "PluginError", "by_name", "instance", "join_modules", "merge", "read"]

#: The distributions that may contribute to ``base`` and may share a module.
OWN = frozenset({"flatppl-core", "flatppl-distributions"})

#: Tables that are read once from every plugin: the hook ``flatppl_<table>`` fills ``Registry.<table>``.
TABLES = ("primitives", "measures", "transports", "optimizations", "backends")

T = TypeVar("T")


class PluginError(Exception):
    """A plugin is at fault: not the user's model, and not FlatPPL."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A healthy plugin.

    Parameters
    ----------
    name : str
        Of its entry point.
    distribution : str
        The installed distribution that it comes from.
    manager : pluggy.PluginManager
        Holds this plugin alone, so that a failure stays with it.
    """

    name: str
    distribution: str
    manager: pluggy.PluginManager = field(repr=False, compare=False)

    @classmethod
    def load(cls, name: str, distribution: str, plugin: object) -> Plugin:
        """Validate the plugin's hook implementations against the specifications."""
        manager = pluggy.PluginManager(hooks.GROUP)
        manager.add_hookspecs(hooks)
        manager.register(plugin, name)
        manager.check_pending()
        if not manager.get_hookcallers(plugin):
            raise PluginError("it implements no hook; mark its functions with flatppl.hooks.hookimpl")
        return cls(name, distribution, manager)

    def ask(self, hook: str, **arguments: str) -> Any:
        """Return the answer to a hook, None if the plugin does not implement it; raises what the plugin raises."""
        caller = getattr(self.manager.hook, hook)
        if not caller.get_hookimpls():
            return None
        answer = caller(**arguments)
        if not isinstance(answer, list):  # a first-result hook
            return answer
        if not answer:
            raise PluginError(f"{hook} returned None")
        return answer[0]


@dataclass(frozen=True, slots=True)
class Offer:
    """Everything one plugin gives, valid in itself."""

    plugin: Plugin
    modules: Mapping[str, hooks.StandardModule]
    tables: Mapping[str, Mapping[str, Any]]


def read(plugin: Plugin) -> Offer:
    """Ask a plugin for everything that does not depend on a backend; raises if any of it is invalid."""
    modules = [_module(plugin, module) for module in _answer_items(plugin, "flatppl_modules")]
    tables = {table: by_name(_answer_items(plugin, f"flatppl_{table}")) for table in TABLES}
    for backend in tables["backends"].values():
        _check_backend(backend)
    return Offer(plugin, join_modules([(plugin, module) for module in modules]), tables)


def merge(what: str, offers: Iterable[tuple[Plugin, Mapping[str, T]]]) -> tuple[Mapping[str, T], Mapping[str, str]]:
    """Join tables of several plugins, and say which distribution owns each name."""
    values: dict[str, T] = {}
    owners: dict[str, str] = {}
    for plugin, offer in offers:
        for name in offer:
            if name in owners:
                raise PluginError(f"{owners[name]} and {plugin.distribution} both give {name!r} to {what}")
            owners[name] = plugin.distribution
        values.update(offer)
    return MappingProxyType(values), MappingProxyType(owners)


def join_modules(parts: list[tuple[Plugin, hooks.StandardModule]]) -> Mapping[str, hooks.StandardModule]:
    """Join parts of one module that come from one distribution or from FlatPPL's own."""
    by_name: dict[str, list[tuple[Plugin, hooks.StandardModule]]] = {}
    for plugin, module in parts:
        by_name.setdefault(module.name, []).append((plugin, module))
    return MappingProxyType({name: _join_module(name, given) for name, given in by_name.items()})


def _join_module(name: str, parts: list[tuple[Plugin, hooks.StandardModule]]) -> hooks.StandardModule:
    sources = {plugin.distribution for plugin, _ in parts}
    versions = sorted({module.version for _, module in parts})
    if len(sources) > 1 and not sources <= OWN:
        raise PluginError(f"{' and '.join(sorted(sources))} both give a standard module {name!r}; uninstall one")
    if len(versions) > 1:
        raise PluginError(f"{' and '.join(sorted(sources))} give versions {', '.join(versions)} of module {name!r}")
    members, _ = merge(f"module {name!r}", [(plugin, module.members) for plugin, module in parts])
    return hooks.StandardModule(name, versions[0], members)


def _module(plugin: Plugin, value: object) -> hooks.StandardModule:
    module = instance(value, hooks.StandardModule, "a module")
    for word in (module.name, module.version, *module.members):
        instance(word, str, "a name, version or member name")
    if module.name == "base" and plugin.distribution not in OWN:
        raise PluginError("the module 'base' is closed; give the members in a standard module of its own")
    return module


def _check_backend(backend: hooks.Backend) -> None:
    for profile in backend.profiles:
        instance(profile, str, f"a profile of backend {backend.name!r}")
    if not callable(backend.compile):
        raise PluginError(f"compile of backend {backend.name!r} is not callable")


def _answer_items(plugin: Plugin, hook: str) -> list[Any]:
    answer = plugin.ask(hook)
    return [] if answer is None else list(answer)


def by_name(values: Iterable[Any]) -> Mapping[str, Any]:
    """Table of the values of one plugin; every value has a name, and the names differ."""
    table: dict[str, Any] = {}
    for value in values:
        name = instance(value.name, str, "a name")
        if name in table:
            raise PluginError(f"it gives {name!r} twice")
        table[name] = value
    return table


def instance(value: object, kind: type[T], what: str) -> T:
    """Return a value that must be of a type."""
    if not isinstance(value, kind):
        raise PluginError(f"{what} is {value!r}, not of type {kind.__name__}")
    return value
