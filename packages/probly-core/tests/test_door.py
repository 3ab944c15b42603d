"""The door: imports, discovery, claims, quarantine, forwarders."""

from __future__ import annotations

import importlib
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import probly
from probly import BackendNotFoundError, PluginError, dispatch, plugins
from probly.array_ops import ArrayOps, from_namespace
from probly.hooks import Backend, claim_instances, hookimpl

SOURCES = Path(probly.__file__).parent
FORWARDERS = sorted(
    path for path in SOURCES.rglob("*.py") if path.stem.startswith(("jax", "torch")) and "representation" in path.parts
)


def _plugin(*backends: object) -> object:
    return SimpleNamespace(probly_backends=hookimpl(lambda: list(backends)))


def _backend(name: str = "toy", package: str = "probly-toy", **changes: Any) -> Backend:
    fields: dict[str, Any] = {"claim": lambda v: False, "load": dict, "ops": dict, "convert": lambda v, like: v}
    return Backend(name, package, **{**fields, **changes})


def test_import_loads_no_array_library_but_numpy() -> None:
    code = (
        "import sys, probly, probly.representation.distribution, probly.scores, probly.conformal, probly.testing;"
        "probly.scores.lac([0.5, 0.5]); print(*sorted({'jax', 'torch', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("name", sorted(SOURCES.rglob("__init__.py")), ids=lambda path: path.parent.name)
def test_all_names_exist(name: Path) -> None:
    dotted = ".".join(("probly", *name.parent.relative_to(SOURCES).parts))
    module = importlib.import_module(dotted)
    for public in getattr(module, "__all__", ()):
        assert hasattr(module, public), f"{dotted}.{public}"


@pytest.mark.parametrize("path", FORWARDERS, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_forwarder(path: Path) -> None:
    """The same objects if the backend is there, else an ImportError naming the package."""
    dotted = ".".join(("probly", *path.relative_to(SOURCES).with_suffix("").parts))
    library = "jax" if "jax" in path.stem else "torch"
    root = f"probly_{library}"
    assert len(path.read_text().splitlines()) <= 10
    missing = root.replace("_", "-") if find_spec(root) is None else library if find_spec(library) is None else None
    if missing is not None:
        with pytest.raises(ImportError, match=missing):
            importlib.import_module(dotted)
        return
    target = importlib.import_module(root + dotted.removeprefix("probly"))
    forwarded = importlib.import_module(dotted)
    assert target.__all__
    for name in target.__all__:
        assert getattr(forwarded, name) is getattr(target, name)


def test_broken_plugins_are_quarantined() -> None:
    def broken() -> object:
        raise ImportError("no such library")

    bad: list[tuple[str, str, Callable[[], object]]] = [
        ("a", "pkg-a", broken),
        ("b", "pkg-b", lambda: SimpleNamespace()),
        ("c", "pkg-c", lambda: _plugin("no backend")),
        ("d", "pkg-d", lambda: _plugin(_backend(claim="no function"))),
        ("e", "pkg-e", lambda: SimpleNamespace(probly_misspelled=hookimpl(list))),
        ("f", "pkg-f", lambda: _plugin(_backend())),
    ]
    found = plugins.read(bad)
    assert set(found.backends) == {"toy"}
    assert set(found.quarantined) == set("abcde")
    assert "pkg-a: ImportError: no such library" in found.quarantined["a"]


def test_duplicates_name_both_distributions() -> None:
    with pytest.raises(PluginError, match="pkg-a and pkg-b both give backend 'toy'"):
        plugins.read([("a", "pkg-a", lambda: _plugin(_backend())), ("b", "pkg-b", lambda: _plugin(_backend()))])
    with pytest.raises(PluginError, match="pkg-a and pkg-b both give plugin 'a'"):
        plugins.read([("a", "pkg-a", lambda: _plugin()), ("a", "pkg-b", lambda: _plugin())])


def test_plugins_can_be_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBLY_DISABLE_PLUGINS", "numpy, other")
    assert "numpy" not in plugins.discover().backends


def _install(patch: pytest.MonkeyPatch, *backends: Backend, quarantined: dict[str, str] | None = None) -> None:
    found = plugins.Installed({each.name: each for each in backends}, quarantined or {})
    patch.setattr(dispatch, "installed", lambda: found)
    patch.setattr(dispatch, "_claims", {})
    for name in ("library", "ops"):
        patch.setattr(dispatch, name, getattr(dispatch, name).__wrapped__)


class Thing:
    """A value of a stranger's library."""


def test_unknown_values_name_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, _backend(), quarantined={"jax": "probly-jax: ImportError: no jax"})
    with pytest.raises(BackendNotFoundError, match=r"Thing \(installed: toy \(probly-toy\); left out: jax: .*no jax\)"):
        dispatch.backend_of(Thing())


def test_missing_backend_of_a_known_library_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, _backend())
    array = type("Tensor", (), {"__module__": "torch._tensor"})()
    with pytest.raises(BackendNotFoundError, match="install probly-torch"):
        dispatch.backend_of(array)
    with pytest.raises(BackendNotFoundError, match="install probly-jax"):
        dispatch.backend("jax")


def test_two_claims_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, _backend("a", "pkg-a", claim=lambda v: True), _backend("b", "pkg-b", claim=lambda v: True))
    with pytest.raises(PluginError, match="pkg-a and pkg-b both claim"):
        dispatch.backend_of(Thing())


def test_failure_to_load_is_chained_and_leaves_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> Any:
        raise RuntimeError("no driver")

    numpy = dispatch.backend("numpy")
    _install(monkeypatch, numpy, _backend(claim=lambda v: isinstance(v, Thing), load=load))
    with pytest.raises(BackendNotFoundError, match="probly-toy failed to load: RuntimeError: no driver") as caught:
        dispatch.backend_of(Thing())
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert dispatch.backend_of(np.ones(2)).name == "numpy"


def test_error_is_a_type_error_and_not_implemented() -> None:
    with pytest.raises(TypeError):
        dispatch.backend_of(object())
    with pytest.raises(NotImplementedError):
        dispatch.backend_of(object())


def test_missing_class_names_the_backend() -> None:
    with pytest.raises(BackendNotFoundError, match="no class for 'nothing'"):
        dispatch.class_of(dispatch.ops("numpy"), "nothing")


def test_claims_decide_on_values() -> None:
    class Meta(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return type(instance) is Thing  # as for JAX tracers: an instance, but no subclass

    module = SimpleNamespace(Array=Meta("Array", (), {}))
    claim = claim_instances("stranger", "Array")
    assert not claim(Thing())
    sys.modules["stranger"] = module  # type: ignore[assignment]
    try:
        assert claim(Thing())
        assert not claim(1.0)
    finally:
        del sys.modules["stranger"]


def test_first_dispatch_from_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    numpy = dispatch.backend("numpy")

    def load() -> Any:
        loads.append(1)
        return numpy.load()

    dispatch.library.cache_clear()
    found = plugins.Installed({"numpy": Backend("numpy", "x", numpy.claim, load, numpy.ops, numpy.convert)}, {})
    monkeypatch.setattr(dispatch, "installed", lambda: found)
    monkeypatch.setattr(dispatch, "_claims", {})
    threads = [threading.Thread(target=dispatch.backend_of, args=(np.ones(2),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    dispatch.library.cache_clear()
    assert len(loads) == 1


def test_vocabulary_is_complete_or_refused() -> None:
    with pytest.raises(AttributeError):
        from_namespace("empty", SimpleNamespace())
    with pytest.raises(TypeError):
        ArrayOps(name="empty")  # type: ignore[call-arg]


def test_the_two_families_do_not_import_each_other() -> None:
    for path in SOURCES.rglob("*.py"):
        assert "flatppl" not in path.read_text(), path
