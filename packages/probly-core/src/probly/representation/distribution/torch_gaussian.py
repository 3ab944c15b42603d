"""Forwards to ``probly_torch.representation.distribution.torch_gaussian``, Gaussian distributions over Torch arrays."""

try:
    from probly_torch.representation.distribution.torch_gaussian import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError("probly.representation.distribution.torch_gaussian needs the package probly-torch") from error
