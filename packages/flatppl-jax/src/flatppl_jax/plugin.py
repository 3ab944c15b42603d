"""What this package offers to FlatPPL; importing it does not load JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from flatppl.backend import Executable, Options
from flatppl.hooks import hookimpl

__all__ = ["JaxBackend", "flatppl_backends", "flatppl_lowerings"]


@dataclass(frozen=True, slots=True)
class JaxBackend:
    """Backend ``jax``."""

    name: str = "jax"
    profiles: tuple[str, ...] = ("cpu", "gpu")

    def profile(self, target: str | None) -> str:
        """Name of the profile for a target; None stands for JAX's default backend."""
        from flatppl_jax.profiles import choose

        return choose(target)

    def session(self, dtype: str) -> AbstractContextManager[Any]:
        """64-bit types for float64, JAX's own setting otherwise."""
        import jax

        return jax.enable_x64(True) if dtype == "float64" else nullcontext()

    def compile(
        self, executable: Executable, options: Options, lowerings: Mapping[str, Any] | None = None
    ) -> Callable[..., Any]:
        """The query as a JAX callable (see :func:`flatppl_jax.callable.compile_query`)."""
        from flatppl_jax.callable import compile_query

        return compile_query(executable, options, lowerings)


@hookimpl
def flatppl_backends() -> tuple[JaxBackend, ...]:
    """Give the backend ``jax``."""
    return (JaxBackend(),)


@hookimpl
def flatppl_lowerings(backend: str, profile: str) -> Mapping[str, Any]:
    """Give the rules of all core primitives."""
    if backend != "jax":
        return {}
    from flatppl_jax.profiles import rules

    return rules(profile)
