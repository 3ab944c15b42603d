"""Mixtures of probly-jax, under this name too."""

try:
    from probly_jax.representation.distribution.jax_mixture import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_jax":
        raise
    raise ImportError(
        "probly.representation.distribution.jax_mixture needs the package probly-jax: install it"
    ) from error
