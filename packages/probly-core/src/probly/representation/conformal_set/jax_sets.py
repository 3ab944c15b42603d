"""Conformal sets of probly-jax, under this name too."""

try:
    from probly_jax.representation.conformal_set.jax_sets import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_jax":
        raise
    raise ImportError(
        "probly.representation.conformal_set.jax_sets needs the package probly-jax: install it"
    ) from error
