"""Forwards to ``probly_torch.representation.distribution.torch_bernoulli``, Bernoulli distributions over Torch arrays."""

try:
    from probly_torch.representation.distribution.torch_bernoulli import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError("probly.representation.distribution.torch_bernoulli needs the package probly-torch") from error
