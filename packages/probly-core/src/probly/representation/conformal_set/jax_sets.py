"""Forwards to ``probly_jax.representation.conformal_set.jax_sets``, conformal sets over Jax arrays."""

try:
    from probly_jax.representation.conformal_set.jax_sets import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_jax":
        raise
    raise ImportError("probly.representation.conformal_set.jax_sets needs the package probly-jax") from error
