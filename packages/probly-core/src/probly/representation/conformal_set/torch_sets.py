"""Conformal sets of probly-torch, under this name too."""

try:
    from probly_torch.representation.conformal_set.torch_sets import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError(
        "probly.representation.conformal_set.torch_sets needs the package probly-torch: install it"
    ) from error
