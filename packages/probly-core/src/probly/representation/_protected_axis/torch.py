"""The protected-axis base class of probly-torch, under this name too."""

try:
    from probly_torch.representation._protected_axis.torch import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError(
        "probly.representation._protected_axis.torch needs the package probly-torch: install it"
    ) from error
