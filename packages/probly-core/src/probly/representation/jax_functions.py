"""The same function objects of probly-jax, under this name too."""

try:
    from probly_jax.representation.jax_functions import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_jax":
        raise
    raise ImportError("probly.representation.jax_functions needs the package probly-jax: install it") from error
