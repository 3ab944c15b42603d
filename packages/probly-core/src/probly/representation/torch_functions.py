"""The same function objects of probly-torch, under this name too."""

try:
    from probly_torch.representation.torch_functions import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError("probly.representation.torch_functions needs the package probly-torch: install it") from error
