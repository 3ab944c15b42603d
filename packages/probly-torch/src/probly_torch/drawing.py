"""Random draws from explicit generators, on the device and in the dtype of a reference tensor."""

from __future__ import annotations

import torch

from probly.errors import InvalidValueError
from probly_torch.making import is_concrete

__all__ = ["categorical", "gamma", "generators", "normal", "uniform"]

Tensor = torch.Tensor
Generator = torch.Generator
Shape = tuple[int, ...]

#: Dtypes that Torch draws gamma variables in.
_DRAWN = (torch.float32, torch.float64)


def generators(rng: object, count: int, like: Tensor) -> tuple[Generator, ...]:
    """One generator, as often as asked for: draws from it are independent.

    Raises
    ------
    TypeError
        If ``rng`` is no generator.
    InvalidValueError
        If it belongs to another device, or is missing while Torch traces.
    """
    if rng is None:
        if not is_concrete(like):
            raise InvalidValueError("give rng, a torch.Generator, while compiling or inside torch.func transforms")
        rng = Generator(device=like.device)
        rng.seed()
    if not isinstance(rng, Generator):
        raise TypeError(f"rng is {type(rng).__name__}; give a torch.Generator")
    if rng.device.type != like.device.type:
        raise InvalidValueError(
            f"rng draws on {rng.device}, the tensors are on {like.device}: use a generator of theirs"
        )
    return (rng,) * count


def uniform(generator: Generator, shape: Shape, like: Tensor) -> Tensor:
    """Draws from [0, 1)."""
    return torch.rand(shape, generator=generator, dtype=like.dtype, device=like.device)


def normal(generator: Generator, shape: Shape, like: Tensor) -> Tensor:
    """Standard normal draws."""
    return torch.randn(shape, generator=generator, dtype=like.dtype, device=like.device)


def gamma(generator: Generator, shape: Shape, alphas: Tensor) -> Tensor:
    """Gamma draws of rate 1, differentiable by the concentrations."""
    drawn = alphas if alphas.dtype in _DRAWN else alphas.float()
    return torch._standard_gamma(drawn.expand(shape), generator=generator).to(alphas.dtype)


def categorical(generator: Generator, num: int, logits: Tensor) -> Tensor:
    """Class ids by inversion of the cumulative distribution in double precision; a step of height zero is never hit.

    ``torch.multinomial`` is limited to 2^24 classes and accumulates in the dtype of its weights.
    """
    precise = torch.float32 if logits.device.type == "mps" else torch.float64
    weights = torch.softmax(logits.detach().to(precise), dim=-1)
    steps = torch.cumsum(weights, dim=-1)
    batch = steps.shape[:-1]
    draws = torch.rand((*batch, num), generator=generator, dtype=precise, device=logits.device) * steps[..., -1:]
    ids = torch.searchsorted(steps, draws, right=True)
    last = steps.shape[-1] - 1 - torch.argmax((weights > 0).flip(-1).int(), dim=-1, keepdim=True)
    return torch.movedim(torch.minimum(ids, last), -1, 0)
