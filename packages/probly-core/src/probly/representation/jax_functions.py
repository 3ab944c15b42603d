"""Forwards to ``probly_jax.representation.jax_functions``, the same function objects."""

try:
    from probly_jax.representation.jax_functions import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_jax":
        raise
    raise ImportError("probly.representation.jax_functions needs the package probly-jax") from error
