"""Where JAX is absent, this package's tests and doctests are left out, and the header of the run names them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
LEFT_OUT = [] if find_spec("jax") and find_spec("probly_jax") else [*HERE.glob("tests/test_*.py"), HERE / "src"]
collect_ignore_glob = ["tests/*", "src/*"] if LEFT_OUT else []


def pytest_report_header() -> list[str]:
    """Name what is left out."""
    if not LEFT_OUT:
        return []
    names = ", ".join(path.relative_to(HERE).as_posix() for path in sorted(LEFT_OUT))
    return [f"probly-jax: jax or probly_jax is not installed; deselected: {names}"]
