"""Sparse log-categorical distributions of probly-torch, under this name too."""

try:
    from probly_torch.representation.distribution.torch_sparse import *  # noqa: F403
except ModuleNotFoundError as error:
    if error.name != "probly_torch":
        raise
    raise ImportError(
        "probly.representation.distribution.torch_sparse needs the package probly-torch: install it"
    ) from error
