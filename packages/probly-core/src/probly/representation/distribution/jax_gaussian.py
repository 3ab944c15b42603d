"""Gaussian distributions of probly-jax, under this name too."""

try:
    from probly_jax.representation.distribution.jax_gaussian import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_jax":
        raise
    raise ImportError(
        "probly.representation.distribution.jax_gaussian needs the package probly-jax: install it"
    ) from error
