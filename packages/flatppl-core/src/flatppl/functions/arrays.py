"""Operations on the layout of arrays and tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.functions.common import got, matrix, sizes, spread, tensor, vector
from flatppl.functions.variadic import Ragged, parts_of
from flatppl.functions.variadic import vector as vector_of
from flatppl.tensor.avals import join
from flatppl.tensor.ops import concat, convert, cut, reshape, transpose
from flatppl.values.callables import Function, fixed_integer
from flatppl.values.forms import Table, Tensor, Texts
from flatppl.values.sets import FiniteSet, Labels

__all__ = ["FUNCTIONS"]


def _array(value: Any, name: str) -> Tensor:
    """An array (not a scalar, not a transposed vector)."""
    found = tensor(value, name)
    if not found.levels or found.row:
        refuse("shape", f"{name} takes an array, got {got(value)}" + ("; transpose it first" if found.row else ""))
    return found


def _rows(vs: Any, name: str) -> Tensor:
    if isinstance(vs, Ragged):
        refuse("shape", f"{name} takes vectors of equal length, got {got(vs)}")
    found = _array(vs, name)
    if found.levels[:2] != (1, 1):
        refuse("shape", f"{name} takes a vector of vectors, got {got(vs)}")
    return found


def _rowstack(vs: Any) -> Tensor:
    found = _rows(vs, "rowstack")
    return Tensor(found.node, (2, *found.levels[2:]))


def _colstack(vs: Any) -> Tensor:
    found = _rows(vs, "colstack")
    axes = (1, 0, *range(2, len(found.node.shape)))
    return Tensor(transpose(found.node, axes), (2, *found.levels[2:]))


def _per_axis(value: Tensor, spec: Any, what: str, least: int) -> tuple[int, ...]:
    found = sizes(spec, what, least)
    if len(found) != value.levels[0]:
        refuse("shape", f"{what} needs one integer per axis, {value.levels[0]} in all, got {len(found)}")
    return found


def _tile(A: Any, size: Any) -> Tensor:  # noqa: N803
    found = _array(A, "tile")
    counts = _per_axis(found, size, "the size of tile", 0)
    axes, cell = len(counts), found.node.shape[found.levels[0] :]
    paired = tuple(n for pair in zip(counts, found.shape, strict=True) for n in pair)
    places = (*range(1, 2 * axes, 2), *range(2 * axes, 2 * axes + len(cell)))
    whole = spread(found.node, paired + cell, places)
    shape = tuple(count * n for count, n in zip(counts, found.shape, strict=True))
    return Tensor(reshape(whole, shape + cell), found.levels)


def _splitblocks(A: Any, blocksize: Any) -> Tensor:  # noqa: N803
    found = _array(A, "splitblocks")
    blocks = _per_axis(found, blocksize, "the blocksize of splitblocks", 1)
    axes, cell = len(blocks), found.node.shape[found.levels[0] :]
    for n, block in zip(found.shape, blocks, strict=True):
        if n % block:
            refuse("shape", f"splitblocks: an axis of length {n} does not divide into blocks of {block}")
    paired = tuple(m for n, block in zip(found.shape, blocks, strict=True) for m in (n // block, block))
    order = (*range(0, 2 * axes, 2), *range(1, 2 * axes, 2), *range(2 * axes, 2 * axes + len(cell)))
    return Tensor(transpose(reshape(found.node, paired + cell), order), (axes, axes, *found.levels[1:]))


def _joinblocks(A: Any) -> Tensor:  # noqa: N803
    if isinstance(A, Ragged):
        refuse("shape", f"joinblocks takes blocks of one shape, got {got(A)}")
    found = _array(A, "joinblocks")
    axes = found.levels[0]
    if found.levels[1:2] != (axes,):
        refuse("shape", f"joinblocks takes an array of arrays with as many axes as itself, got {got(A)}")
    shape, rest = found.node.shape, range(2 * axes, len(found.node.shape))
    order = (*(axis for k in range(axes) for axis in (k, axes + k)), *rest)
    joined = tuple(shape[k] * shape[axes + k] for k in range(axes)) + shape[2 * axes :]
    return Tensor(reshape(transpose(found.node, order), joined), (axes, *found.levels[2:]))


def _partition(xs: Any, spec: Any) -> Any:
    found = _array(xs, "partition")
    if found.levels[0] != 1:
        refuse("shape", f"partition takes a vector, got {got(xs)}")
    n, groups = found.node.shape[0], sizes(spec, "the group sizes of partition", 1)
    if not spec.levels:
        if n % groups[0]:
            refuse("shape", f"partition: {n} elements do not divide into groups of {groups[0]}")
        shape = (n // groups[0], groups[0], *found.node.shape[1:])
        return Tensor(reshape(found.node, shape), (1, *found.levels))
    if sum(groups) != n:
        refuse("shape", f"partition: the group sizes sum to {sum(groups)}, but there are {n} elements")
    ends = np.cumsum(groups).tolist()
    cuts = [cut(found.node, end - size, end) for size, end in zip(groups, ends, strict=True)]
    return vector_of(found.node.builder, [Tensor(cut, found.levels) for cut in cuts])


def _reverse(xs: Any) -> Any:
    match xs:
        case Table(items, rows):
            return Table(tuple((name, _reverse(column)) for name, column in items), rows)
        case Texts(texts):
            return Texts(texts[::-1])
        case Ragged(items):
            return Ragged(items[::-1])
    found = tensor(xs, "reverse")
    if found.levels[:1] != (1,):
        refuse("shape", f"reverse takes a vector or a table, got {got(xs)}")
    return Tensor(found.node.builder.apply("reverse", found.node, axes=(0,)), found.levels, found.row)


def _sort(xs: Any) -> Any:
    match xs:
        case Texts(texts):
            return Texts(tuple(sorted(texts)))
        case Labels(texts) if texts is not None:
            return Texts(tuple(sorted(texts)))
        case FiniteSet(values, kind):
            return np.sort(np.array(values, {"boolean": np.bool_, "integer": np.int64}.get(kind, np.float64)))
    node = vector(xs, "sort")
    return Tensor(node.builder.apply("sort", node, axis=0), (1,))


def _addaxes(A: Any, n_leading: Any, n_trailing: Any) -> Tensor:  # noqa: N803
    found = _array(A, "addaxes")
    counts = [fixed_integer(n, "the number of axes of addaxes") for n in (n_leading, n_trailing)]
    if min(counts) < 0:
        refuse("domain", f"the number of axes of addaxes must be at least 0, got {min(counts)}")
    axes = found.levels[0]
    shape = (1,) * counts[0] + found.node.shape[:axes] + (1,) * counts[1] + found.node.shape[axes:]
    return Tensor(reshape(found.node, shape), (axes + sum(counts), *found.levels[1:]))


def _blockdiagmat(mats: Any) -> Tensor:
    blocks = [matrix(part, "blockdiagmat") for part in parts_of(mats)]
    if not blocks:
        refuse("shape", "blockdiagmat takes at least one matrix")
    builder, kind = blocks[0].builder, join(*(block.kind for block in blocks))
    total, start, rows = sum(block.shape[1] for block in blocks), 0, []
    zero = convert(builder.constant(0), kind)
    for block in blocks:
        m, n = block.shape
        pads = [spread(zero, (m, width), ()) for width in (start, total - start - n)]
        rows.append(concat([pads[0], convert(block, kind), pads[1]], axis=1))
        start += n
    return Tensor(concat(rows), (2,))


def _bandedmat(v: Any, rows: Any) -> Tensor:
    """Rows of ``v`` padded with ``rows`` zeros: read with one column less, each row starts one place later."""
    node, count = vector(v, "bandedmat"), fixed_integer(rows, "the number of rows of bandedmat")
    if count < 1:
        refuse("domain", f"the number of rows of bandedmat must be at least 1, got {count}")
    width = node.shape[0] + count
    zeros = spread(convert(node.builder.constant(0), node.kind), (count,), ())
    flat = reshape(spread(concat([node, zeros]), (count, width), (1,)), (count * width,))
    return Tensor(reshape(cut(flat, 0, count * (width - 1)), (count, width - 1)), (2,))


FUNCTIONS = (
    Function("rowstack", ("vs",), _rowstack),
    Function("colstack", ("vs",), _colstack),
    Function("tile", ("A", "size"), _tile),
    Function("splitblocks", ("A", "blocksize"), _splitblocks),
    Function("joinblocks", ("A",), _joinblocks),
    Function("partition", ("xs", "spec"), _partition),
    Function("reverse", ("xs",), _reverse, whole=True),
    Function("sort", ("xs",), _sort),
    Function("addaxes", ("A", "n_leading", "n_trailing"), _addaxes),
    Function("blockdiagmat", ("mats",), _blockdiagmat),
    Function("bandedmat", ("v", "rows"), _bandedmat),
)
