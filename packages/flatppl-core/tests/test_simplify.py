"""Expressions that the builder writes in a simpler way."""

from __future__ import annotations

import numpy as np
import pytest

from flatppl.tensor import ops
from flatppl.tensor.avals import Aval
from flatppl.tensor.evaluate import evaluate_nodes
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, ancestors


def value(node: Node, **given: tuple[Node, object]) -> object:
    return evaluate_nodes(ancestors([node]), [node], {v.number: x for v, x in given.values()})[0]


def entry(x: Node, k: int, form: str) -> Node:
    if form == "take":
        return ops.take(x, k)
    zeros = (0,) * (len(x.shape) - 1)
    cut = x.builder.apply("slice", x, start=(k, *zeros), stop=(k + 1, *x.shape[1:]), step=(1,) * len(x.shape))
    return ops.reshape(cut, x.shape[1:])


@pytest.mark.parametrize("form", ["take", "slice"])
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_a_stack_of_all_entries_is_the_array(form: str, shape: tuple[int, ...]) -> None:
    x = Builder(CORE).variable(Aval("real", shape))
    assert ops.stack(*(entry(x, k, form) for k in range(3))) is x
    assert ops.stack(*(ops.log(ops.exp(entry(x, k, form))) for k in range(3))) is ops.log(ops.exp(x))


def test_other_stacks_stay() -> None:
    x = Builder(CORE).variable(Aval("real", (3,)))
    at = np.array([1.0, 2.0, 4.0])
    first, second, third = (ops.take(x, k) for k in range(3))
    for parts, expected in (
        ((second, first, third), [2.0, 1.0, 4.0]),
        ((first, second), [1.0, 2.0]),
        ((first, second, second), [1.0, 2.0, 2.0]),
        ((ops.exp(first), ops.log(second), ops.exp(third)), [np.e, np.log(2.0), np.exp(4.0)]),
        ((first, second, x.builder.constant(7.0)), [1.0, 2.0, 7.0]),
    ):
        np.testing.assert_allclose(value(ops.stack(*parts), x=(x, at)), expected)


def test_logarithm_of_a_softmax_keeps_the_tail() -> None:
    x = Builder(CORE).variable(Aval("real", (2, 2)))
    at = np.array([[0.0, 900.0], [1.0, 1.0]])
    for axis in (0, 1):
        found = value(ops.log(ops.softmax(x, axis)), x=(x, at))
        np.testing.assert_allclose(found, at - np.logaddexp.reduce(at, axis=axis, keepdims=True))
