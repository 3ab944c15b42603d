"""Forwards to ``probly_torch.representation._protected_axis.torch``, the protected-axis base class over Torch arrays."""

try:
    from probly_torch.representation._protected_axis.torch import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError("probly.representation._protected_axis.torch needs the package probly-torch") from error
