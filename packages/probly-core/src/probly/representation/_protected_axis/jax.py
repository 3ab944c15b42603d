"""Forwards to ``probly_jax.representation._protected_axis.jax``, the protected-axis base class over Jax arrays."""

try:
    from probly_jax.representation._protected_axis.jax import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_jax":
        raise
    raise ImportError("probly.representation._protected_axis.jax needs the package probly-jax") from error
