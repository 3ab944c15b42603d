"""Forwards to ``probly_torch.representation.torch_functions``, the same function objects."""

try:
    from probly_torch.representation.torch_functions import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError("probly.representation.torch_functions needs the package probly-torch") from error
