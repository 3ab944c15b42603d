"""Structural functions, joins, indexing and reductions: each acts on every protected coordinate as Torch acts on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch_layouts import KINDS, Nested, One, Plain, Sidecar, Two, Zero, assert_cells, assert_same, cells, fill, make

from probly.representation.sample.torch_sample import TorchSample

INDEX = torch.tensor([2, 0])

FUNCTIONS = {
    "reshape": lambda x: torch.reshape(x, (4, 6)),
    "reshape_free": lambda x: torch.reshape(x, (-1, 3)),
    "flatten": lambda x: torch.flatten(x),
    "flatten_some": lambda x: torch.flatten(x, start_dim=1, end_dim=-1),
    "ravel": lambda x: torch.ravel(x),
    "permute": lambda x: torch.permute(x, (2, 0, 1)),
    "permute_dims": lambda x: torch.permute(input=x, dims=(2, 0, 1)),
    "transpose": lambda x: torch.transpose(x, 0, -1),
    "transpose_named": lambda x: torch.transpose(input=x, dim0=0, dim1=2),
    "swapaxes": lambda x: torch.swapaxes(x, axis0=0, axis1=1),
    "swapdims": lambda x: torch.swapdims(x, dim0=0, dim1=1),
    "movedim": lambda x: torch.movedim(x, (0, 1), (1, 2)),
    "moveaxis": lambda x: torch.moveaxis(x, source=0, destination=-1),
    "adjoint": lambda x: torch.adjoint(x),
    "unsqueeze": lambda x: torch.unsqueeze(x, 3),
    "unsqueeze_first": lambda x: torch.unsqueeze(x, dim=-4),
    "squeeze": lambda x: torch.squeeze(torch.unsqueeze(x, 1)),
    "squeeze_one": lambda x: torch.squeeze(torch.unsqueeze(x, 1), dim=1),
    "broadcast_to": lambda x: torch.broadcast_to(x, (5, 2, 3, 4)),
    "broadcast_size": lambda x: torch.broadcast_to(x, size=(2, 3, 4)),
    "clone": lambda x: torch.clone(x),
    "conj": lambda x: torch.conj(x),
    "resolve_conj": lambda x: torch.resolve_conj(x),
    "detach": lambda x: torch.detach(x),
    "index_select": lambda x: torch.index_select(x, 1, INDEX),
    "index_select_named": lambda x: torch.index_select(x, dim=-1, index=INDEX),
    "take_along_dim": lambda x: torch.take_along_dim(x, INDEX.reshape(1, 2, 1), 1),
    "gather": lambda x: torch.gather(x, 1, torch.tensor([[[2, 1], [0, 0]]])),
    "gather_named": lambda x: torch.gather(x, dim=0, index=torch.ones(1, 3, 4, dtype=torch.int64)),
    "flip": lambda x: torch.flip(x, (0, 2)),
    "roll": lambda x: torch.roll(x, 1, 2),
    "roll_flat": lambda x: torch.roll(x, 5),
    "roll_two": lambda x: torch.roll(x, shifts=(1, 2), dims=(0, 1)),
    "repeat": lambda x: torch.repeat_interleave(x, 2, dim=1),
    "repeat_counts": lambda x: torch.repeat_interleave(x, torch.tensor([1, 0, 2]), 1),
    "tile": lambda x: torch.tile(x, (2, 1, 1, 2)),
    "where": lambda x: torch.where(torch.arange(3).reshape(3, 1) > 0, x, torch.flip(x, (0,))),
    "split_first": lambda x: torch.split(x, 3, dim=2)[1],
    "split_sizes": lambda x: torch.split(x, [1, 2], 1)[1],
    "tensor_split": lambda x: torch.tensor_split(x, 3, dim=2)[0],
    "stack": lambda x: torch.stack([x, torch.flip(x, (0,))], dim=-1),
    "stack_named": lambda x: torch.stack(tensors=[x, x], dim=0),
    "cat": lambda x: torch.cat((x, x), 1),
    "concat": lambda x: torch.concat([x, x], dim=-1),
    "concatenate": lambda x: torch.concatenate([x, x]),
    "mean": lambda x: torch.mean(x),
    "mean_dim": lambda x: torch.mean(x, dim=(0, 2)),
    "mean_axis": lambda x: torch.mean(x, axis=1, keepdim=True),
    "sum": lambda x: torch.sum(x, 0, True),
    "sum_dtype": lambda x: torch.sum(x, dim=1, dtype=torch.float32),
    "prod": lambda x: torch.prod(x, 1),
    "std": lambda x: torch.std(x, 1),
    "std_unbiased": lambda x: torch.std(x, 1, False),
    "var": lambda x: torch.var(x, dim=(0, 1), correction=0),
    "var_default": lambda x: torch.var(x),
    "amin": lambda x: torch.amin(x, (0, 1)),
    "amax": lambda x: torch.amax(x, dim=-1, keepdim=True),
    "any": lambda x: torch.any(x, dim=0),
    "all": lambda x: torch.all(x),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str, kind: type[Any]) -> None:
    x, function = make(kind, (2, 3, 4)), FUNCTIONS[name]
    assert_cells(function(x), [function(cell) for cell in cells(x)])


@pytest.mark.parametrize("kind", KINDS)
def test_methods(kind: type[Any]) -> None:
    x = make(kind, (2, 3, 4))
    assert_cells(x.T, [cell.permute(2, 1, 0) for cell in cells(x)])
    assert_cells(x.mT, [cell.mT for cell in cells(x)])
    assert_same(x.reshape(6, -1), torch.reshape(x, (6, 4)))
    assert_same(x.transpose(0, 2), torch.transpose(x, 0, 2))
    assert_same(x.swapaxes(0, 2), torch.transpose(x, 0, 2))
    assert_same(x.permute(1, 2, 0), torch.permute(x, (1, 2, 0)))
    assert_same(x.permute((1, 2, 0)), torch.permute(x, (1, 2, 0)))
    assert_same(x.movedim(0, 1), torch.movedim(x, 0, 1))
    assert_same(x.unsqueeze(0).expand(5, -1, -1, -1), torch.broadcast_to(x, (5, 2, 3, 4)))
    assert_same(x.flatten(1), torch.flatten(x, 1))
    assert_same(x.clone().conj(), x)


def test_split_into_wrong_sizes() -> None:
    with pytest.raises(ValueError, match="do not make up"):
        torch.split(make(One, (3,)), [1, 1])


KEYS = [
    0,
    -1,
    slice(1, None),
    slice(None, None, -1),
    (..., slice(3, 0, -2)),
    (slice(None), slice(5, 5, -1)),
    ...,
    None,
    (..., 0),
    (0, ..., None, 1),
    (1, 2, 3),
    [1, 0],
    np.array([1, 0, 1]),
    torch.tensor([1, 0, 1], dtype=torch.int32),
    torch.tensor([1, 0], dtype=torch.uint8),
    torch.tensor(1),
    (slice(None), torch.tensor([[2, 0], [1, 1]])),
    (0, slice(None), torch.tensor([3, 1])),
    (torch.tensor([1, 0]), slice(None), 2),
    (torch.tensor([1, 0]), slice(None), torch.tensor([3, 1])),
    (torch.tensor([1, 0]), torch.tensor([2, 1])),
    (slice(None), 1, torch.tensor([3, 1])),
    (..., 1, [3, 1, 0]),
    (np.int64(1), ..., torch.tensor([0, 2])),
    (1, None, torch.tensor([0, 2])),
    torch.tensor([True, False]),
    (slice(None), torch.ones(3, 4, dtype=torch.bool)),
    (0, torch.eye(3, 4, dtype=torch.bool)),
    torch.ones(2, 3, 4, dtype=torch.bool),
]


def _native(cell: torch.Tensor, key: Any) -> torch.Tensor:
    """What Torch gives, and for backward slices and uint8, which it reads otherwise, what NumPy gives."""
    parts = key if isinstance(key, tuple) else (key,)
    backwards = any(isinstance(part, slice) and (part.step or 1) < 0 for part in parts)
    small = any(isinstance(part, torch.Tensor) and part.dtype == torch.uint8 for part in parts)
    return torch.as_tensor(cell.numpy()[key].copy()) if backwards or small else cell[key]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indexing(key: Any, kind: type[Any]) -> None:
    x = make(kind, (2, 3, 4))
    assert_cells(x[key], [_native(cell, key) for cell in cells(x)])


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indexing_follows_the_member_axis(key: Any, axis: int) -> None:
    """Every element of member i is i, so the members can be told apart in the result."""
    shape = (2, 3, 4)
    wide = torch.Size(shape[axis] if a == axis else 1 for a in range(3))
    members = torch.arange(shape[axis]).reshape(wide).expand(shape)
    try:
        result = TorchSample(members, axis, 10 * torch.arange(shape[axis]))[key]
    except IndexError:  # members mixed with other axes
        assert any(isinstance(part, torch.Tensor) for part in (key if isinstance(key, tuple) else (key,)))
        return
    if not isinstance(result, TorchSample):
        assert torch.equal(result, _native(members, key))
        return
    assert torch.equal(result.array, _native(members, key))
    ids = result.samples.flatten(1) if result.ndim > 1 else result.samples.unsqueeze(1)
    assert bool((ids == ids[:, :1]).all())
    if ids.numel():
        assert torch.equal(result.weights, 10 * ids[:, 0])


@pytest.mark.parametrize("key", [(0, 0, 0, 0), (..., 0, 0, 0, 0), 7, 1.5, "a", torch.tensor([5]), torch.tensor([0.5])])
def test_bad_indices(key: Any) -> None:
    with pytest.raises(IndexError):
        make(One, (2, 3, 4))[key]


def test_zero_protected_axes_stay_tensors() -> None:
    assert make(Zero, (2,))[0].array.shape == ()


def test_assignment() -> None:
    x = make(Two, (2, 3))
    x[0, 1] = make(Two, ())
    assert_same(x[0, 1], make(Two, ()))
    y = make(One, (2, 3))
    y[:, 0] = torch.zeros(3)
    y[1] = (torch.ones(3),)
    assert torch.equal(y.array[:, :, 0], torch.tensor([[0.0, 4, 7], [1, 1, 1]], dtype=torch.float64))
    view = y.array
    y[...] = 0 * y
    assert torch.equal(view, torch.zeros(2, 3, 3))
    z = make(Nested, (2,))
    z[0] = make(Nested, (), 100)
    assert_same(z[0], make(Nested, (), 100))


def test_bad_assignments() -> None:
    x = make(One, (2, 3))
    with pytest.raises(TypeError):
        x[0] = make(Zero, ())
    with pytest.raises(TypeError):
        x[0] = (torch.ones(3), torch.ones(3))
    with pytest.raises(ValueError, match="protected shape"):
        x[0] = torch.ones(4)
    with pytest.raises(ValueError, match="broadcast"):
        x[0] = torch.ones(2, 3)


def test_axes_are_checked() -> None:
    x = make(One, (2, 3))
    for call in (
        lambda: torch.unsqueeze(x, 5),
        lambda: torch.mean(x, 2),
        lambda: torch.permute(x, (0, 1, 2)),
        lambda: torch.mean(x, (0, 0)),
        lambda: torch.reshape(x, (5,)),
        lambda: torch.squeeze(x, 0),
        lambda: torch.broadcast_to(x, (3, 3)),
        lambda: torch.stack([x, x[0]]),
        lambda: torch.cat([x, x[:, :1]]),
        lambda: torch.stack([x], dim=4),
        lambda: torch.adjoint(x[0]),
        lambda: torch.gather(x, 0, torch.tensor([0])),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            call()
    with pytest.raises(TypeError):
        torch.take_along_dim(x, torch.tensor([[0]]))


def test_joins() -> None:
    x = make(One, (2, 3))
    raw = torch.zeros(1, 3, 3, dtype=torch.float64)
    assert torch.equal(torch.cat([raw, x]).array[:1], raw)
    assert torch.equal(torch.cat([x, raw]).array[2:], raw)
    out = make(One, (4, 3), 100)
    assert torch.cat([x, x], out=out) is out
    assert_same(out, torch.cat([x, x]))
    plain = torch.empty(4, 3, 3, dtype=torch.float64)
    assert torch.cat([x, x], out=plain) is plain
    with pytest.raises(TypeError):
        torch.cat([x, torch.zeros(1, 3, 4)])
    with pytest.raises(TypeError):
        torch.stack([x, Plain(x.array)])
    with pytest.raises(ValueError, match="protected axes"):
        torch.stack([x, make(Zero, (2, 3))])
    with pytest.raises(TypeError):
        torch.cat([torch.zeros(2, 3), make(Two, (2, 3))])


def test_sidecars() -> None:
    x = Sidecar(np.array([["a", "b"]], dtype=object), fill((1, 2, 3)))
    y = torch.cat([x, x])[1:, torch.tensor([1, 0])].unsqueeze(0)
    assert y.text.tolist() == [[["b", "a"]]]
    assert torch.equal(y.array, fill((1, 2, 3)).flip(1).unsqueeze(0))
    assert (x.dtype, x.device) == (torch.float64, torch.device("cpu"))
    assert x.to(torch.float32).text is x.text
    assert x.detach().array.shape == (1, 2, 3)
    for call in (
        lambda: torch.clone(x),
        lambda: torch.mean(x),
        lambda: torch.take_along_dim(x, torch.zeros(1, 1, dtype=torch.int64), 1),
        lambda: x + 1,
    ):
        with pytest.raises(TypeError):
            call()
