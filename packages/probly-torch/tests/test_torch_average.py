"""``torch_average`` on representations and on tensors (P-11, P-12)."""

from __future__ import annotations

import pytest
import torch
from torch_layouts import One, Plain, fill, make

from probly.representation.torch_functions import torch_average


def test_average() -> None:
    x = make(One, (2, 3))
    for weights, wide in (
        (torch.tensor([1.0, 3.0]), torch.tensor([1.0, 3.0]).reshape(2, 1, 1)),
        (fill((2, 3)), fill((2, 3))[..., None]),
        (fill((2, 3, 3)), fill((2, 3, 3))),
    ):
        wanted = (x.array * wide).sum(0) / wide.expand(2, 3, 3).sum(0)
        assert torch.allclose(torch_average(x, 0, weights=weights).array, wanted)
        assert torch_average(x, axis=0, weights=weights, keepdim=True).shape == (1, 3)
    assert torch.equal(torch_average(x).array, x.array.mean((0, 1)))
    with pytest.raises(ZeroDivisionError):
        torch_average(x, 0, weights=torch.tensor([1.0, -1.0]))
    with pytest.raises(TypeError):
        torch_average(Plain(x.array))
    with pytest.raises(TypeError):
        torch_average(x, 0, out=torch.empty(3, 3))


def test_average_of_tensors() -> None:
    x = torch.arange(6).reshape(2, 3)
    assert torch.equal(torch_average(x), torch.tensor(2.5))
    assert torch.equal(torch_average(x, (0, 1), weights=x, keepdim=True), torch.tensor([[55 / 15]]))
    assert torch.equal(torch_average(x, axis=-1, weights=torch.tensor([0.0, 0.0, 2.0])), torch.tensor([2.0, 5.0]))
    out = torch.empty(3)
    assert torch_average(x, 0, out=out) is out
    assert out.tolist() == [1.5, 2.5, 3.5]
    with pytest.raises(TypeError):
        torch_average(x, 0, axis=0)
    for bad in ({"dim": (0, 0)}, {"dim": 2}, {"dim": 0, "weights": torch.ones(4)}, {"dim": 0, "out": torch.empty(2)}):
        with pytest.raises(ValueError):  # noqa: PT011
            torch_average(x, **bad)
    with pytest.raises(ZeroDivisionError):
        torch_average(x, 0, weights=torch.zeros(2))
