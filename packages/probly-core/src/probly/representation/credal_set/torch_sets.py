"""Credal sets of probly-torch, under this name too."""

try:
    from probly_torch.representation.credal_set.torch_sets import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError(
        "probly.representation.credal_set.torch_sets needs the package probly-torch: install it"
    ) from error
