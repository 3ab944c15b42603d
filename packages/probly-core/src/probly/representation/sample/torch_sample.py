"""Samples of probly-torch, under this name too."""

try:
    from probly_torch.representation.sample.torch_sample import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError("probly.representation.sample.torch_sample needs the package probly-torch: install it") from error
