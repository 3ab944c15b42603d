"""The protected-axis base class of probly-jax, under this name too."""

try:
    from probly_jax.representation._protected_axis.jax import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_jax":
        raise
    raise ImportError("probly.representation._protected_axis.jax needs the package probly-jax: install it") from error
