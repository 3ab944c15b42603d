"""What the installed plugins offer: found once, checked, frozen into read-only tables.

Nothing a plugin does wrong reaches its neighbours. A plugin that fails to import, raises in a hook or returns
something invalid is quarantined: left out as a whole, with the reason kept. Two plugins that claim one name are an
error that names both distributions, because either choice would change the meaning of somebody's model.
"""

from __future__ import annotations

import functools
import importlib.metadata
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from flatppl import hooks
from flatppl.errors import nearest, refuse
from flatppl.offers import TABLES, Offer, Plugin, PluginError, by_name, instance, join_modules, merge, read

if TYPE_CHECKING:
    from flatppl.tensor.program import Primitive

__all__ = ["Plugin", "PluginError", "Quarantined", "Registry", "default_registry", "quarantine_note"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A plugin, or one late answer of it, that was left out."""

    name: str
    distribution: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Registry:
    """The frozen tables of one set of plugins; each maps a name to the value that a plugin gave.

    Lowerings and derivative engines depend on a backend and are asked for when first needed. Build a registry with
    :meth:`from_plugins`, or take :func:`default_registry`.
    """

    plugins: tuple[Plugin, ...]
    modules: Mapping[str, hooks.StandardModule]
    primitives: Mapping[str, Primitive]
    measures: Mapping[str, hooks.MeasureOperation]
    transports: Mapping[str, hooks.Transport]
    optimizations: Mapping[str, hooks.Optimization]
    backends: Mapping[str, hooks.Backend]
    _owners: Mapping[str, Mapping[str, str]] = field(repr=False)
    _quarantined: list[Quarantined] = field(repr=False)
    _answers: dict[tuple[str, ...], Mapping[str, Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def from_plugins(cls, plugins: Iterable[tuple[str, str, object]]) -> Registry:
        """Build a registry from (name, distribution, plugin object) triples, in the order of their names.

        Raises
        ------
        PluginError
            If two plugins have one name, or give values of one name.
        """
        return _build((name, distribution, functools.partial(_same, plugin)) for name, distribution, plugin in plugins)

    @property
    def base(self) -> Mapping[str, object]:
        """Members of the module ``base``, which a model uses without a prefix."""
        return self.modules["base"].members if "base" in self.modules else MappingProxyType({})

    @property
    def quarantined(self) -> tuple[Quarantined, ...]:
        """What was left out up to now, with the reason."""
        return tuple(self._quarantined)

    def lowerings(self, backend: str, profile: str) -> Mapping[str, hooks.Lowering]:
        """How a backend computes each primitive under a profile.

        Raises
        ------
        Refusal
            If no plugin offers this backend or profile.
        PluginError
            If the backend's own plugin fails, or two plugins lower one primitive.
        """
        self._require("backend", backend, self.backends)
        self._require(f"profile of backend {backend!r}", profile, self.backends[backend].profiles)
        return self._answer("flatppl_lowerings", self._lowerings_of, backend=backend, profile=profile)

    def engines(self, backend: str) -> Mapping[str, hooks.DerivativeEngine]:
        """Derivative engines for a backend; refuses and raises as :meth:`lowerings` does."""
        self._require("backend", backend, self.backends)
        return self._answer("flatppl_derivative_engines", _engines_of, backend=backend)

    def fetch(self, location: str) -> bytes | None:
        """Return the content at a location from the first plugin that has it, or None.

        Raises
        ------
        PluginError
            If no plugin has it and at least one failed.
        """
        failures: list[str] = []
        for plugin in self.plugins:
            try:
                answer = plugin.ask("flatppl_fetch", location=location)
                if answer is not None:
                    return instance(answer, bytes, "content")
            except Exception as error:
                failures.append(f"{plugin.name} of {plugin.distribution}: {_reason(error)}")
        if failures:
            raise PluginError(f"cannot fetch {location!r} ({'; '.join(failures)})")
        return None

    def _require(self, what: str, name: str, known: Collection[str]) -> None:
        if name not in known:
            listing = ", ".join(sorted(known)) or "none"
            hint = nearest(name, known) + quarantine_note(self)
            refuse("backend", f"no installed plugin offers {name!r} as {what}, only: {listing}{hint}")

    def _answer(self, hook: str, check: Callable[..., Mapping[str, T]], **arguments: str) -> Mapping[str, T]:
        """Ask all plugins one question, once; a failure is quarantined unless it is the backend's owner that fails."""
        key = (hook, *arguments.values())
        if key not in self._answers:
            offers = [(plugin, self._ask(plugin, hook, check, arguments)) for plugin in self.plugins]
            self._answers[key] = merge(f"{hook} of backend {arguments['backend']!r}", offers)[0]
        return self._answers[key]

    def _ask(
        self, plugin: Plugin, hook: str, check: Callable[..., Mapping[str, T]], arguments: Mapping[str, str]
    ) -> Mapping[str, T]:
        try:
            answer = plugin.ask(hook, **arguments)
            return {} if answer is None else check(plugin, answer, arguments["backend"])
        except Exception as error:
            reason = f"{hook}({', '.join(arguments.values())}): {_reason(error)}"
            if plugin.distribution == self._owners["backends"][arguments["backend"]]:
                raise PluginError(f"plugin {plugin.name!r} of {plugin.distribution}: {reason}") from error
            self._quarantined.append(Quarantined(plugin.name, plugin.distribution, reason))
            return {}

    def _lowerings_of(self, plugin: Plugin, answer: object, backend: str) -> Mapping[str, hooks.Lowering]:
        """Check that every lowering comes from the owner of the primitive or of the backend."""
        if not isinstance(answer, Mapping):
            raise PluginError(f"the answer is {answer!r}, not a mapping")
        if plugin.distribution != self._owners["backends"][backend]:
            owners = self._owners["primitives"]
            orphans = sorted(name for name in answer if owners.get(name) != plugin.distribution)
            if orphans:
                raise PluginError(f"it owns neither the backend nor the primitives {', '.join(orphans)}")
        return answer


@functools.cache
def default_registry() -> Registry:
    """Return the registry of the installed plugins, less those that ``FLATPPL_DISABLE_PLUGINS=name,name`` lists.

    Raises
    ------
    PluginError
        If two distributions claim one name.
    """
    disabled = {name.strip() for name in os.environ.get("FLATPPL_DISABLE_PLUGINS", "").split(",")}
    found = importlib.metadata.entry_points(group=hooks.GROUP)
    return _build(
        ((entry.name, entry.dist.name if entry.dist else "an unknown distribution", entry.load) for entry in found),
        disabled,
    )


def quarantine_note(registry: Registry) -> str:
    """Text for the end of an "unknown name" error: the plugins that might have known it, or an empty string."""
    each = (f"{plugin.name} of {plugin.distribution}: {plugin.reason}" for plugin in registry.quarantined)
    listing = "; ".join(each)
    return f" (plugins left out: {listing})" if listing else ""


def _build(candidates: Iterable[tuple[str, str, Callable[[], object]]], disabled: Collection[str] = ()) -> Registry:
    """Load the candidates in the order of their names, quarantine those that fail, and join the others' tables."""
    ordered = sorted(candidates, key=lambda candidate: candidate[:2])
    _refuse_namesakes((name, distribution) for name, distribution, _ in ordered if name not in disabled)
    offers: list[Offer] = []
    quarantined: list[Quarantined] = []
    for name, distribution, load in ordered:
        try:
            if name in disabled:
                raise PluginError("disabled by FLATPPL_DISABLE_PLUGINS")
            offers.append(read(Plugin.load(name, distribution, load())))
        except Exception as error:
            quarantined.append(Quarantined(name, distribution, _reason(error)))
    joined = {table: merge(table, [(offer.plugin, offer.tables[table]) for offer in offers]) for table in TABLES}
    tables: dict[str, Any] = {table: values for table, (values, _) in joined.items()}
    return Registry(
        plugins=tuple(offer.plugin for offer in offers),
        modules=join_modules([(offer.plugin, module) for offer in offers for module in offer.modules.values()]),
        **tables,
        _owners={table: owners for table, (_, owners) in joined.items()},
        _quarantined=quarantined,
    )


def _refuse_namesakes(names: Iterable[tuple[str, str]]) -> None:
    """Refuse two plugins of one name, which pluggy would load as one."""
    seen: dict[str, str] = {}
    for name, distribution in names:
        if name in seen:
            raise PluginError(f"{seen[name]} and {distribution} both have a plugin named {name!r}; uninstall one")
        seen[name] = distribution


def _engines_of(plugin: Plugin, answer: Iterable[hooks.DerivativeEngine], backend: str) -> Mapping[str, Any]:
    return by_name(answer)


def _same(plugin: object) -> object:
    """Loader of a plugin that is there already."""
    return plugin


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {error}"
