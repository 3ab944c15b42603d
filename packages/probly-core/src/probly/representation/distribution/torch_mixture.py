"""Forwards to ``probly_torch.representation.distribution.torch_mixture``, mixture distributions over Torch arrays."""

try:
    from probly_torch.representation.distribution.torch_mixture import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError("probly.representation.distribution.torch_mixture needs the package probly-torch") from error
