"""Matrices that are symmetric by construction: what is claimed holds in value, and what is not symmetric is not claimed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from flatppl.tensor import ops
from flatppl.tensor.avals import Aval
from flatppl.tensor.evaluate import evaluate_nodes
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, ancestors
from flatppl.tensor.symmetry import parity

T = np.array([0.3, -0.9, 1.4, 2.2])
M = np.arange(16.0).reshape(4, 4) ** 0.5


def rows(v: Node) -> Node:
    return ops.broadcast(v, (4, 4), (1,))


def columns(v: Node) -> Node:
    return ops.broadcast(ops.reshape(v, (4, 1)), (4, 4), (0, 1))


def distance(v: Node) -> Node:
    return rows(v) - columns(v)


CASES: dict[str, tuple[Callable[[Node, Node], Node], int | None]] = {
    "difference": (lambda v, m: distance(v), -1),
    "square": (lambda v, m: distance(v) * distance(v), 1),
    "kernel": (lambda v, m: ops.exp(-0.5 * distance(v) * distance(v) / ops.exp(v.builder.constant(0.3))), 1),
    "odd function": (lambda v, m: ops.sin(2.0 * distance(v)), -1),
    "even function": (lambda v, m: ops.abs_(distance(v)) + ops.cos(distance(v)), 1),
    "cube": (lambda v, m: v.builder.apply("integer_pow", distance(v), exponent=3), -1),
    "minimum": (lambda v, m: ops.minimum(rows(v), columns(v)), 1),
    "outer product": (lambda v, m: rows(v) * columns(v), 1),
    "Gram": (lambda v, m: ops.dot(m, ops.transpose(m)) + 0.1, 1),
    "symmetrized": (lambda v, m: m + ops.transpose(m), 1),
    "identity": (lambda v, m: distance(v) ** 2 + v.builder.constant(np.eye(4)), 1),
    "two vectors": (lambda v, m: rows(v) - columns(v + 1.0), None),
    "any matrix": (lambda v, m: m, None),
    "product with any": (lambda v, m: m * distance(v) * distance(v), None),
    "even plus odd": (lambda v, m: ops.exp(distance(v)), None),
    "mixed sum": (lambda v, m: distance(v) + ops.abs_(distance(v)), None),
    "rows": (lambda v, m: rows(v), None),
    "quotient": (lambda v, m: rows(v) / columns(v), None),
}


@pytest.mark.parametrize(("make", "expected"), CASES.values(), ids=CASES)
def test_parity_is_what_the_values_show(make: Any, expected: int | None) -> None:
    builder = Builder(CORE)
    v, m = builder.variable(Aval("real", (4,))), builder.variable(Aval("real", (4, 4)))
    x = make(v, m)
    assert parity(x) == expected
    (value,) = evaluate_nodes(ancestors([x]), [x], {v.number: T, m.number: M})
    shown = 1 if np.allclose(value, value.T) else -1 if np.allclose(value, -value.T) else None
    assert shown == expected


def test_shared_operands_are_looked_at_once() -> None:
    builder = Builder(CORE)
    x = distance(builder.variable(Aval("real", (4,))))
    for _ in range(18):
        x = x * x + 1.0
    assert parity(x) == 1
