"""Which test modules can run here: forwarders need their backend's package."""

from importlib.util import find_spec

BACKENDS = {"jax": "probly_jax", "torch": "probly_torch"}

ABSENT = [name for name, module in BACKENDS.items() if not (find_spec(module) and find_spec(name))]

collect_ignore_glob = [
    pattern
    for name in ABSENT
    for pattern in (
        f"src/probly/**/{name}_*.py",
        f"src/probly/representation/{name}_functions.py",
        f"src/probly/**/{name}.py",
    )
]


def pytest_report_header() -> str:
    """Name what is left out."""
    listing = ", ".join(f"{name} (install {BACKENDS[name].replace('_', '-')})" for name in ABSENT) or "none"
    return f"probly backends left out: {listing}"
