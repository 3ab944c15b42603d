"""The doors: each hook is heard, no plugin harms another, and the documentation lists exactly the hooks that exist."""

import importlib.metadata
import inspect
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import pytest

from flatppl import hooks
from flatppl.errors import Refusal
from flatppl.hooks import StandardModule, hookimpl
from flatppl.registry import PluginError, Registry, default_registry, quarantine_note

ARCHITECTURE = Path(__file__).parents[3] / "ARCHITECTURE.md"
HOOKS = sorted(name for name in vars(hooks) if name.startswith("flatppl_"))


@dataclass(frozen=True)
class Thing:
    """Stands for any named value."""

    name: str


@dataclass(frozen=True)
class Backend:
    name: str
    profiles: tuple[str, ...] = ("cpu", "gpu")

    def compile(self) -> None: ...


def plugin(**answers):
    """A plugin object whose hook ``flatppl_<name>`` has the given body, or returns the given value."""
    made = types.SimpleNamespace()
    for name, answer in answers.items():
        setattr(made, f"flatppl_{name}", hookimpl(answer if callable(answer) else constant(answer)))
    return made


def constant(value):
    return lambda: value


def registry(**plugins):
    """A registry of plugins ``name=(distribution, plugin)``."""
    return Registry.from_plugins([(name, *given) for name, given in plugins.items()])


def fail():
    raise ValueError("broken on purpose")


HEALTHY = ("z-dist", plugin(primitives=[Thing("healthy")]))


# ---------------------------------------------------------------- one test per hook


def test_hook_flatppl_modules():
    module = StandardModule("gumbel", "0.1", {"Gumbel": 1})
    found = registry(gumbel=("flatppl-gumbel", plugin(modules=[module])))
    assert found.modules == {"gumbel": module}
    assert found.base == {}


@pytest.mark.parametrize("table", ["primitives", "measures", "transports", "optimizations"])
def test_hook_tables(table):
    thing = Thing("x")
    found = registry(one=("one-dist", plugin(**{table: [thing]})), two=("two-dist", plugin(**{table: [Thing("y")]})))
    assert list(getattr(found, table)) == ["x", "y"]
    assert getattr(found, table)["x"] is thing


test_hook_flatppl_primitives = test_hook_flatppl_measures = test_hook_tables
test_hook_flatppl_transports = test_hook_flatppl_optimizations = test_hook_tables


def test_hook_flatppl_backends():
    backend = Backend("numpy")
    found = registry(core=("flatppl-core", plugin(backends=[backend])))
    assert found.backends == {"numpy": backend}


def test_hook_flatppl_lowerings():
    asked = []

    def lowerings(backend, profile):
        asked.append((backend, profile))
        return {"add": profile} if backend == "xla" else {}

    found = registry(xla=("xla-dist", plugin(backends=[Backend("xla"), Backend("other")], lowerings=lowerings)))
    assert asked == []  # lazy
    assert found.lowerings("xla", "gpu") == {"add": "gpu"}
    assert found.lowerings("xla", "gpu") is found.lowerings("xla", "gpu")
    assert found.lowerings("other", "cpu") == {}
    assert asked == [("xla", "gpu"), ("other", "cpu")]


def test_hook_flatppl_derivative_engines():
    engines = {"xla": [Thing("enzyme")]}
    xla = plugin(
        backends=[Backend("xla"), Backend("other")], derivative_engines=lambda backend: engines.get(backend, [])
    )
    found = registry(xla=("xla-dist", xla))
    assert found.engines("xla") == {"enzyme": Thing("enzyme")}
    assert found.engines("other") == {}


def test_hook_flatppl_fetch():
    found = registry(
        a=("a-dist", plugin(fetch=lambda location: None)),
        b=("b-dist", plugin(fetch=lambda location: location.encode())),
        c=("c-dist", plugin(fetch=lambda location: b"too late")),
    )
    assert found.fetch("here") == b"here"
    assert registry(healthy=HEALTHY).fetch("here") is None


# ---------------------------------------------------------------- the catalogue


@pytest.mark.parametrize("hook", HOOKS)
def test_each_hook_has_a_test_a_paragraph_and_a_line_in_the_architecture(hook):
    assert f"test_hook_{hook}" in globals()
    specification = getattr(hooks, hook)
    assert specification.__doc__.strip().endswith(".")
    arguments = ", ".join(inspect.signature(specification).parameters)
    assert f"def {hook}({arguments}) -> " in ARCHITECTURE.read_text(encoding="utf-8")


def test_the_architecture_lists_no_other_hook():
    text = ARCHITECTURE.read_text(encoding="utf-8")
    assert sorted(line.split("(")[0][4:] for line in text.splitlines() if line.startswith("def flatppl_")) == HOOKS


# ---------------------------------------------------------------- names


def test_two_plugins_of_one_name_are_refused():
    with pytest.raises(PluginError, match="'same'") as caught:
        Registry.from_plugins([("same", "one-dist", plugin(measures=[])), ("same", "two-dist", plugin(measures=[]))])
    assert "one-dist" in str(caught.value)
    assert "two-dist" in str(caught.value)


@pytest.mark.parametrize("table", ["primitives", "measures", "transports", "optimizations", "backends"])
def test_two_values_of_one_name_are_refused(table):
    given = plugin(**{table: [Backend("x")]})
    with pytest.raises(PluginError, match=f"one-dist and two-dist both give 'x' to {table}"):
        registry(a=("one-dist", given), b=("two-dist", given))


def test_two_members_of_one_name_are_refused():
    given = plugin(modules=[StandardModule("base", "0.1", {"Normal": 1})])
    with pytest.raises(PluginError, match="flatppl-core and flatppl-distributions both give 'Normal'"):
        registry(a=("flatppl-core", given), b=("flatppl-distributions", given))


def test_own_distributions_share_a_module_at_one_version():
    def part(version, **members):
        return plugin(modules=[StandardModule("particle-physics", version, members)])

    both = registry(a=("flatppl-core", part("0.1", f=1)), b=("flatppl-distributions", part("0.1", D=2)))
    assert both.modules["particle-physics"].members == {"f": 1, "D": 2}
    with pytest.raises(PluginError, match=r"versions 0\.1, 0\.2"):
        registry(a=("flatppl-core", part("0.1", f=1)), b=("flatppl-distributions", part("0.2", D=2)))
    with pytest.raises(PluginError, match="flatppl-core and stranger"):
        registry(a=("flatppl-core", part("0.1", f=1)), b=("stranger", part("0.1", D=2)))


def test_base_is_closed():
    given = plugin(modules=[StandardModule("base", "0.1", {"Gumbel": 1})])
    assert registry(distributions=("flatppl-distributions", given)).base == {"Gumbel": 1}
    found = registry(gumbel=("flatppl-gumbel", given))
    assert found.base == {}
    assert "'base' is closed" in found.quarantined[0].reason


# ---------------------------------------------------------------- quarantine

BROKEN = {
    "raises": (plugin(primitives=fail), "ValueError: broken on purpose"),
    "raises in a generator": (plugin(primitives=lambda: (fail() for _ in "x")), "broken on purpose"),
    "None": (plugin(primitives=None), "flatppl_primitives returned None"),
    "not iterable": (plugin(measures=3), "TypeError"),
    "no name": (plugin(transports=[object()]), "AttributeError"),
    "name is no text": (plugin(optimizations=[Thing(3)]), "a name is 3"),
    "a name twice": (plugin(primitives=[Thing("x"), Thing("x")]), "it gives 'x' twice"),
    "no module": (plugin(modules=[Thing("x")]), "not of type StandardModule"),
    "member name": (plugin(modules=[StandardModule("m", "0.1", {1: 1})]), "member name is 1"),
    "profile": (plugin(backends=[Backend("b", (1,))]), "a profile of backend 'b' is 1"),
    "compile": (plugin(backends=[types.SimpleNamespace(name="b", profiles=(), compile=1)]), "not callable"),
    "unknown hook": (plugin(primitves=[]), "flatppl_primitves"),
    "unknown argument": (plugin(primitives=lambda frontend: []), "frontend"),
    "no hook": (types.SimpleNamespace(flatppl_primitives=list), "implements no hook"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_plugin_is_left_out_and_named(case):
    broken, reason = BROKEN[case]
    found = registry(broken=("broken-dist", broken), healthy=HEALTHY)
    assert [(one.name, one.distribution) for one in found.quarantined] == [("broken", "broken-dist")]
    assert reason in found.quarantined[0].reason
    assert [one.name for one in found.plugins] == ["healthy"]
    assert list(found.primitives) == ["healthy"]
    assert "broken of broken-dist: " in quarantine_note(found)


def test_a_broken_plugin_is_left_out_as_a_whole():
    found = registry(broken=("broken-dist", plugin(measures=[Thing("half")], primitives=fail)), healthy=HEALTHY)
    assert found.measures == {}


def test_nothing_to_note_without_quarantine():
    assert quarantine_note(registry(healthy=HEALTHY)) == ""


def test_fetch_goes_on_after_a_failure_and_reports_it_if_nobody_delivers():
    broken = ("a-dist", plugin(fetch=lambda location: fail()))
    wrong = ("b-dist", plugin(fetch=lambda location: "text"))
    assert registry(a=broken, b=wrong, c=("c-dist", plugin(fetch=lambda location: b"x"))).fetch("here") == b"x"
    with pytest.raises(PluginError, match=r"'here'.*a of a-dist: ValueError: .*; b of b-dist: content is"):
        registry(a=broken, b=wrong).fetch("here")


# ---------------------------------------------------------------- lowerings


def lowering(*names):
    return lambda backend, profile: dict.fromkeys(names, f"{backend}/{profile}")


CORE = ("flatppl-core", plugin(primitives=[Thing("add")]))


def test_a_lowering_comes_from_the_owner_of_the_primitive_or_of_the_backend():
    found = registry(
        core=CORE,
        xla=("xla-dist", plugin(backends=[Backend("xla")], lowerings=lowering("add"))),
        stranger=("stranger-dist", plugin(primitives=[Thing("erfcx")], lowerings=lowering("erfcx"))),
    )
    assert found.lowerings("xla", "cpu") == {"add": "xla/cpu", "erfcx": "xla/cpu"}


@pytest.mark.parametrize("name", ["add", "nobody's"])
def test_an_orphan_lowering_is_left_out(name):
    found = registry(
        core=CORE,
        xla=("xla-dist", plugin(backends=[Backend("xla")], lowerings=lowering("mul"))),
        stranger=("stranger-dist", plugin(lowerings=lowering(name))),
    )
    assert found.quarantined == ()
    assert found.lowerings("xla", "cpu") == {"mul": "xla/cpu"}
    assert name in found.quarantined[0].reason
    assert "flatppl_lowerings(xla, cpu)" in found.quarantined[0].reason


def test_lowerings_are_a_mapping():
    found = registry(
        xla=("xla-dist", plugin(backends=[Backend("xla")])),
        core=("flatppl-core", plugin(lowerings=lambda backend, profile: ["add"])),
    )
    assert found.lowerings("xla", "cpu") == {}
    assert "not a mapping" in found.quarantined[0].reason


def test_two_lowerings_of_one_primitive_are_refused():
    found = registry(
        xla=("xla-dist", plugin(backends=[Backend("xla")], lowerings=lowering("erfcx"))),
        stranger=("stranger-dist", plugin(primitives=[Thing("erfcx")], lowerings=lowering("erfcx"))),
    )
    with pytest.raises(PluginError, match="stranger-dist and xla-dist both give 'erfcx'"):
        found.lowerings("xla", "cpu")


def test_a_backend_that_cannot_load_its_library_says_so():
    def lowerings(backend, profile):
        raise ImportError("no module named xla")

    found = registry(xla=("xla-dist", plugin(backends=[Backend("xla")], lowerings=lowerings)))
    with pytest.raises(PluginError, match=r"'xla' of xla-dist.*ImportError: no module named xla"):
        found.lowerings("xla", "cpu")


def test_unknown_backend_and_profile_are_refused_with_the_known_ones():
    found = registry(xla=("xla-dist", plugin(backends=[Backend("xla")])), bad=("bad-dist", plugin(primitives=fail)))
    with pytest.raises(Refusal, match=r"'xal' as backend, only: xla; did you mean 'xla'\?.*bad of bad-dist"):
        found.lowerings("xal", "cpu")
    with pytest.raises(Refusal, match="'tpu' as profile of backend 'xla', only: cpu, gpu"):
        found.lowerings("xla", "tpu")
    with pytest.raises(Refusal, match="'torch' as backend"):
        found.engines("torch")


# ---------------------------------------------------------------- read-only


def test_tables_are_read_only():
    members = {"f": 1}
    found = registry(
        core=("flatppl-core", plugin(modules=[StandardModule("base", "0.1", members)], backends=[Backend("xla")]))
    )
    members["g"] = 2
    assert found.base == {"f": 1}
    tables = (found.modules, found.base, found.primitives, found.measures, found.transports, found.optimizations)
    for table in (*tables, found.backends, found.lowerings("xla", "cpu"), found.engines("xla")):
        with pytest.raises(TypeError, match="does not support item assignment"):
            table["x"] = 1
    with pytest.raises(AttributeError):
        found.plugins = ()


# ---------------------------------------------------------------- discovery


@pytest.fixture
def installed(monkeypatch):
    """Make given (name, distribution, module text) the only entry points; returns the function that does it."""

    def install(*entries):
        found = []
        for name, distribution, plugin in entries:
            if plugin is not None:
                monkeypatch.setitem(sys.modules, f"plugin_{name}", plugin)
            entry = importlib.metadata.EntryPoint(name, f"plugin_{name}", hooks.GROUP)
            found.append(entry._for(types.SimpleNamespace(name=distribution)))
        monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found if group == hooks.GROUP else [])
        default_registry.cache_clear()

    yield install
    default_registry.cache_clear()


def test_discovery_is_sorted_and_done_once(installed):
    installed(("b", "b-dist", plugin(measures=[Thing("x")])), ("a", "a-dist", plugin(measures=[Thing("y")])))
    assert [one.name for one in default_registry().plugins] == ["a", "b"]
    assert list(default_registry().measures) == ["y", "x"]
    assert default_registry() is default_registry()


def test_a_plugin_that_fails_to_import_is_left_out(installed):
    installed(("a", "a-dist", None), ("b", *HEALTHY))
    found = default_registry()
    assert list(found.primitives) == ["healthy"]
    assert "ModuleNotFoundError" in found.quarantined[0].reason


def test_entry_points_of_one_name_are_refused(installed):
    installed(("a", "a-dist", plugin(measures=[])), ("a", "b-dist", None))
    with pytest.raises(PluginError, match="a-dist and b-dist both have a plugin named 'a'"):
        default_registry()


def test_plugins_can_be_disabled_by_name(installed, monkeypatch):
    monkeypatch.setenv("FLATPPL_DISABLE_PLUGINS", "a, other")
    installed(("a", "a-dist", None), ("a", "b-dist", None), ("b", *HEALTHY))
    found = default_registry()
    assert [one.name for one in found.plugins] == ["b"]
    assert {one.reason for one in found.quarantined} == {"disabled by FLATPPL_DISABLE_PLUGINS"}
