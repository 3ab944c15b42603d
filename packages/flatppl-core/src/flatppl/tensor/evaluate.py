"""NumPy evaluation of a tensor program, in float64: the oracle of every lowering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from flatppl.errors import InternalError
from flatppl.tensor.program import Node

__all__ = ["evaluate_nodes"]


def evaluate_nodes(nodes: Iterable[Node], results: Sequence[Node], values: dict[int, Any]) -> tuple[Any, ...]:
    """Evaluate ``nodes`` (in topological order) and return the values of ``results``.

    Parameters
    ----------
    nodes : iterable of Node
    results : sequence of Node
    values : dict
        Values of the program's params and captures by node number; filled with the intermediate values.
    """
    with np.errstate(all="ignore"):
        for node in nodes:
            if node.number in values:
                continue
            if node.primitive.name in ("variable", "random"):
                raise InternalError(f"{node!r} has no value")
            operands = [values[operand.number] for operand in node.operands]
            result = node.primitive.evaluate(*operands, **node.params)
            values[node.number] = result if isinstance(result, tuple) else np.asarray(result)
    return tuple(values[result.number] for result in results)
