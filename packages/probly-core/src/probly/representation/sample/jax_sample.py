"""Samples of probly-jax, under this name too."""

try:
    from probly_jax.representation.sample.jax_sample import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_jax":
        raise
    raise ImportError("probly.representation.sample.jax_sample needs the package probly-jax: install it") from error
