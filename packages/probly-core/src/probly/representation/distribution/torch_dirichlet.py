"""Forwards to ``probly_torch.representation.distribution.torch_dirichlet``, Dirichlet distributions over Torch arrays."""

try:
    from probly_torch.representation.distribution.torch_dirichlet import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError("probly.representation.distribution.torch_dirichlet needs the package probly-torch") from error
