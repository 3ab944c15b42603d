"""Forwards to ``probly_torch.representation.credal_set.torch_sets``, credal sets over Torch arrays."""

try:
    from probly_torch.representation.credal_set.torch_sets import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError("probly.representation.credal_set.torch_sets needs the package probly-torch") from error
