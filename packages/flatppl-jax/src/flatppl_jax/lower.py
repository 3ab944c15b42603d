"""From a tensor program to a plain JAX function of flat arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flatppl.errors import refuse
from flatppl.tensor.program import Node, Program
from flatppl_jax.context import Context, Rule

__all__ = ["OPERAND_BYTES", "Lowered", "lower", "used_primitives"]

#: Larger fixed arrays are operands of the compiled function instead of constants in its text.
OPERAND_BYTES = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """A program in JAX.

    Attributes
    ----------
    function : callable
        ``function(operands, arrays) -> tuple of arrays``; traceable, of ``lax`` operations with explicit types.
    operands : tuple of NumPy array
        Large fixed arrays.
    """

    function: Callable[[Sequence[Any], Sequence[Any]], tuple[Any, ...]]
    operands: tuple[np.ndarray[Any, Any], ...]


def lower(program: Program, table: Mapping[str, Rule], dtypes: Mapping[str, np.dtype[Any]]) -> Lowered:
    """Lower a closed program.

    Raises
    ------
    Refusal
        If a primitive has no rule, or an integer constant does not fit the integer type.
    """
    nodes = list(_nodes(program))
    for node in nodes:
        if node.primitive.name != "constant" and node.primitive.name not in table:
            refuse("backend", f"the JAX backend has no lowering for primitive {node.primitive.name!r}")
    constants = {node.number: _cast(node, dtypes) for node in nodes if node.primitive.name == "constant"}
    large = tuple(number for number, array in constants.items() if array.nbytes > OPERAND_BYTES)

    def function(operands: Sequence[Any], arrays: Sequence[Any]) -> tuple[Any, ...]:
        values = {**constants, **dict(zip(large, operands, strict=True))} if large else constants
        return Context(dtypes, table, values).run(program, arrays, ())

    return Lowered(function, tuple(constants[number] for number in large))


def used_primitives(program: Program) -> frozenset[str]:
    """Names of all primitives of a program and its bodies."""
    return frozenset(node.primitive.name for node in _nodes(program))


def _nodes(program: Program) -> Iterator[Node]:
    for node in program.nodes:
        yield node
        body = node.params.get("body")
        if isinstance(body, Program):
            yield from _nodes(body)


def _cast(node: Node, dtypes: Mapping[str, np.dtype[Any]]) -> np.ndarray[Any, Any]:
    array = node.params["value"].array
    dtype = dtypes[node.kind]
    if node.kind == "integer" and array.size:
        bounds = np.iinfo(dtype)
        if array.min() < bounds.min or array.max() > bounds.max:
            refuse("domain", f"an integer constant does not fit {dtype}; compile with dtype='float64'")
    with np.errstate(over="ignore"):
        return np.asarray(array, dtype)
