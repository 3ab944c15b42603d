"""Every chore of the repository: ``nox -l`` lists the sessions, ``nox -s NAME`` runs one."""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["tests"]
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"

SETTINGS = nox.project.load_toml("pyproject.toml")
PACKAGES = [path.parent for path in sorted(Path().glob("packages/*/pyproject.toml"))]
FLATPPL = [path for path in PACKAGES if path.name.startswith("flatppl-")]
#: Torch is large: its package is tested where a small build is at hand, and nowhere else.
TORCH = Path("packages/probly-torch")
TORCH_PYTHON = "3.11"
STRANGERS = [path.parent for path in sorted(Path().glob("third/*/pyproject.toml"))]

WITHOUT_JAX = """
import sys
from flatppl import flatppl
assert "jax" not in sys.modules, "importing flatppl loaded jax"
try:
    flatppl("outputs = 1.0").compile()
except Exception as error:
    assert "flatppl-jax" in str(error), f"the error does not name the package to install: {error}"
else:
    raise SystemExit("compile() succeeded without flatppl-jax")
"""


@nox.session
def demo(session: nox.Session) -> None:
    """Eight schools: from FlatPPL text to a sampled posterior."""
    install(session, FLATPPL, "demo")
    session.run("python", "examples/eight_schools/run.py", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """The test suite on the interpreter that runs nox; long checks have sessions of their own."""
    run_tests(session)


def run_tests(session: nox.Session, *which: str) -> None:
    """The test suite in the session's environment, on two processes."""
    with_torch = python_of(session) == TORCH_PYTHON
    projects = [path for path in PACKAGES if path != TORCH or with_torch]
    install(session, projects + STRANGERS, *(("test", "torch") if with_torch else ("test",)))
    session.run("python", "-m", "pytest", "-n", "2", *which, *session.posargs, env=environment(session))


def environment(session: nox.Session) -> dict[str, str]:
    """Settings of a test run; sessions of one interpreter share compiled JAX programs."""
    return {
        "JAX_COMPILATION_CACHE_DIR": str(Path(session.cache_dir, f"jax-{python_of(session)}").resolve()),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "MPLBACKEND": "agg",
    }


def python_of(session: nox.Session) -> str:
    """Version of the session's interpreter, such as 3.11."""
    return str(session.python or ".".join(map(str, sys.version_info[:2])))


for _version in ("3.11", "3.12", "3.13"):
    nox.session(run_tests, name=f"tests-{_version}", python=_version)


@nox.session(name="exam")
def long_exam(session: nox.Session) -> None:
    """Every distribution on JAX, in both precisions: about eight minutes."""
    run_tests(session, "-m", "long", "tests/test_exam.py")


@nox.session
def lint(session: nox.Session) -> None:
    """Style and format (ruff)."""
    install(session, [], "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Types of the packages' sources (mypy, strict)."""
    install(session, [path for path in PACKAGES if path != TORCH], "types")
    session.run("mypy", *session.posargs)
    session.run("mypy", "packages/probly-jax/tests/typing_wrappers.py")


@nox.session
def layers(session: nox.Session) -> None:
    """Directions of the imports (import-linter)."""
    install(session, [], "layers")
    sources = os.pathsep.join(str(project / "src") for project in PACKAGES)
    session.run("lint-imports", env={"PYTHONPATH": sources})


@nox.session(reuse_venv=False)
def wheels(session: nox.Session) -> None:
    """Build every wheel, install them in a fresh environment, sit the exam, remove the JAX backend."""
    folder = Path(session.create_tmp(), "wheels").resolve()
    for old in folder.glob("*.whl"):
        old.unlink()
    projects = [f"./{project.as_posix()}" for project in PACKAGES + STRANGERS]
    session.run("pip", "wheel", "-q", "--no-deps", "-w", str(folder), *projects)
    built = sorted(folder.glob("*.whl"))
    missing = _sources() - {name for wheel in built for name in zipfile.ZipFile(wheel).namelist()}
    if missing:
        session.error(f"files of src that no wheel contains: {sorted(missing)}")
    lean = [wheel for wheel in built if not wheel.name.startswith("probly_torch")]
    session.install(*map(str, lean), *nox.project.dependency_groups(SETTINGS, "test"))
    for name in sorted(_import_names() - {"probly_torch"}):
        session.run("python", "-c", f"import {name}; assert 'site-packages' in {name}.__file__, {name}.__file__")
    session.run("python", "-m", "pytest", "-n", "2", "tests/test_exam.py", "-k", "numpy", env=environment(session))
    session.run("pip", "uninstall", "-q", "-y", "flatppl-jax")
    session.run("python", "-c", WITHOUT_JAX)


@nox.session
def bench(session: nox.Session) -> None:
    """Speed beside hand-written JAX and NumPyro, and of probly; writes the tables of benchmarks/README.md."""
    with_torch = python_of(session) == TORCH_PYTHON
    projects = [path for path in PACKAGES if path != TORCH or with_torch]
    install(session, projects, *(("bench", "torch") if with_torch else ("bench",)))
    session.run("python", "benchmarks/run.py", *session.posargs)
    if not session.posargs:
        session.run("python", "benchmarks/uncertainty.py")


def install(session: nox.Session, projects: list[Path], *groups: str) -> None:
    """Install projects (editable) and dependency groups; do nothing if the environment already holds just that."""
    wanted = nox.project.dependency_groups(SETTINGS, *groups)
    editable = [word for project in projects for word in ("-e", f"./{project.as_posix()}")]
    facts = [*wanted, *((project / "pyproject.toml").read_text() for project in projects), Path("VERSION").read_text()]
    digest = hashlib.sha256("\0".join([*editable, *facts]).encode()).hexdigest()
    stamp = Path(session.bin).parent / "installed.sha256"
    if stamp.exists() and stamp.read_text() == digest:
        session.log("nothing to install: requirements are as before")
        return
    session.install(*wanted, *editable)
    stamp.write_text(digest)


def _sources() -> set[str]:
    """Every file of the sources, as a wheel names it; caches are no sources."""
    roots = [project / "src" for project in PACKAGES + STRANGERS]
    files = (path.relative_to(root) for root in roots for path in root.rglob("*") if path.is_file())
    caches = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache")
    return {path.as_posix() for path in files if not set(caches) & set(path.parts)}


def _import_names() -> set[str]:
    """Import name of every package and plugin."""
    return {Path(name).parts[0].removesuffix(".py") for name in _sources()}
