"""What a lowering rule sees: the precision, and how to run a sub-program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from flatppl.tensor.program import Node, Program

__all__ = ["Context", "Rule", "alike", "as_jax"]

#: ``rule(context, *arrays, **params) -> array`` (or a tuple): one primitive in JAX. Operands of an elementwise
#: primitive arrive with the shape of the result; scalar constants may be NumPy arrays.
Rule = Callable[..., Any]


def as_jax(x: Any) -> Any:
    """A constant operand as a JAX array, any other operand as it is."""
    return x if isinstance(x, jax.Array) else jnp.asarray(x)


def alike(values: Iterable[Any], operands: Iterable[Any]) -> tuple[Any, ...]:
    """The values, varying over every mesh axis of ``jax.shard_map`` that any operand varies over.

    JAX demands this of the first carry of a loop; outside ``shard_map`` nothing happens.
    """
    axes = frozenset[str]().union(*(jax.typeof(x).manual_axis_type.varying for x in operands))
    return tuple(_spread(x, axes - jax.typeof(x).manual_axis_type.varying) for x in values)


def _spread(x: Any, axes: frozenset[str]) -> Any:
    return lax.pcast(x, tuple(sorted(axes)), to="varying") if axes else x


@dataclass(frozen=True, slots=True)
class Context:
    """Surroundings of a rule while a program is traced.

    Attributes
    ----------
    dtypes : mapping of str to numpy.dtype
        Element type of each kind.
    table : mapping of str to Rule
        Rules by primitive name.
    constants : mapping of int to array
        Values of all constants by node number, in their final element type.
    """

    dtypes: Mapping[str, np.dtype[Any]]
    table: Mapping[str, Rule]
    constants: Mapping[int, Any]

    @property
    def real(self) -> np.dtype[Any]:
        """Element type of reals."""
        return self.dtypes["real"]

    def run(self, program: Program, params: Iterable[Any], captures: Iterable[Any]) -> tuple[Any, ...]:
        """Results of a (sub-)program as traced operations; iterative over its nodes."""
        values = {node.number: value for node, value in zip(program.params, params, strict=True)}
        values.update((node.number, value) for node, value in zip(program.captures, captures, strict=True))
        for node in program.nodes:
            if node.primitive.name == "constant":
                values[node.number] = self.constants[node.number]
            else:
                values[node.number] = self._apply(node, [values[operand.number] for operand in node.operands])
        return tuple(values[result.number] for result in program.results)

    def _apply(self, node: Node, operands: Sequence[Any]) -> Any:
        if node.primitive.elementwise:
            pairs = zip(operands, node.operands, strict=True)
            operands = [x if operand.shape == node.shape else lax.broadcast(x, node.shape) for x, operand in pairs]
        return self.table[node.primitive.name](self, *operands, **node.params)
