"""Expressions that the builder writes in a simpler way."""

from __future__ import annotations

import numpy as np
import pytest

from flatppl import flatppl
from flatppl.tensor import ops
from flatppl.tensor.avals import Aval
from flatppl.tensor.evaluate import evaluate_nodes
from flatppl.tensor.intervals import REALS, Interval
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, ancestors
from flatppl.tensor.ranges import proved_range


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


def test_logarithm_of_an_exponential_does_not_overflow() -> None:
    x = Builder(CORE).variable(Aval("real"))
    assert ops.log(ops.exp(x)) is x


def test_a_choice_inside_an_interval_lies_there() -> None:
    x = Builder(CORE).variable(Aval("real"))
    inside = ops.select((x >= 2.0) & (x < 5.0), x, 3.0)
    assert proved_range(inside) == Interval(2.0, 5.0, hi_open=True)
    assert (inside > 0.0).constant
    assert proved_range(ops.select(x >= 2.0, x, 0.0)) == Interval(0.0)
    assert proved_range(ops.select(x >= 2.0, -x, 0.0)) == REALS


def test_logarithm_of_a_softmax_keeps_the_tail() -> None:
    x = Builder(CORE).variable(Aval("real", (2, 2)))
    at = np.array([[0.0, 900.0], [1.0, 1.0]])
    for axis in (0, 1):
        found = value(ops.log(ops.softmax(x, axis)), x=(x, at))
        np.testing.assert_allclose(found, at - np.logaddexp.reduce(at, axis=axis, keepdims=True))


def test_a_choice_between_results_is_a_choice_between_operands() -> None:
    builder = Builder(CORE)
    c, x = builder.variable(Aval("boolean", (3,))), builder.variable(Aval("real", (3,)))
    assert ops.select(c, ops.exp(x + 1.0), ops.exp(x + 1.0)) is ops.exp(x + 1.0)
    assert ops.select(c, ops.exp(-x), ops.exp(x)) is ops.exp(ops.select(c, -x, x))
    assert ops.select(c, ops.exp(x), ops.log(x)).primitive.name == "select"
    at, chosen = np.array([0.5, 2.0, 3.0]), np.array([True, False, True])
    both = ops.select(c, ops.log(2.0 * x) - x, ops.log(3.0 * x) - x)
    expected = np.where(chosen, np.log(2.0 * at), np.log(3.0 * at)) - at
    np.testing.assert_allclose(value(both, c=(c, chosen), x=(x, at)), expected)


def test_choices_between_scalars_keep_their_shape() -> None:
    builder = Builder(CORE)
    c, x = builder.variable(Aval("boolean", (2,))), builder.variable(Aval("real"))
    node = ops.select(c, ops.exp(x), ops.exp(-x))
    assert node.shape == (2,)
    np.testing.assert_allclose(value(node, c=(c, [True, False]), x=(x, 0.7)), np.exp([0.7, -0.7]))


def test_a_choice_between_long_chains_needs_no_recursion() -> None:
    builder = Builder(CORE)
    c, x = builder.variable(Aval("boolean")), builder.variable(Aval("real"))
    a, b = x, -x
    for _ in range(5_000):
        a, b = a + 1.0, b + 1.0
    node = ops.select(c, a, b)
    assert value(node, c=(c, False), x=(x, 2.0)) == 4_998.0


def test_the_logistic_law_takes_one_exponential() -> None:
    """``log p`` where the trial succeeds and ``log(1 - p)`` where not."""
    builder = Builder(CORE)
    c, x = builder.variable(Aval("boolean", (4,))), builder.variable(Aval("real", (4,)))
    p = ops.logistic(x)
    node = ops.select(c, ops.log(p), ops.log1p(-p))
    names = [n.primitive.name for n in ancestors([node])]
    assert names.count("exp") == names.count("log1p") == 1
    at = np.array([-800.0, 40.0, 40.0, -3.0])
    expected = [-800.0, -np.log1p(np.exp(-40.0)), -40.0 - np.log1p(np.exp(-40.0)), -np.log1p(np.exp(-3.0))]
    found = value(node, c=(c, [True, True, False, False]), x=(x, at))
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_function_of_every_row_is_a_function_of_the_matrix() -> None:
    x = Builder(CORE).variable(Aval("real", (3, 2)))
    rows = ops.stack(*(ops.softmax(entry(x, k, "slice")) for k in range(3)))
    assert rows is ops.softmax(x, 1)
    sums = ops.stack(*(ops.sum_(ops.exp(entry(x, k, "slice"))) for k in range(3)))
    assert sums is ops.sum_(ops.exp(x), (1,))


def test_the_last_state_of_a_scan_is_what_it_ends_with() -> None:
    source = """
xs = external(cartpow(reals, 5))
states = scan((s, x) -> record(p = s.p * x, t = s.t + s.p), record(p = 1.0, t = 0.0), xs)
inputs = xs
outputs = (states.t[5], states.p[5], states.t[4])
"""
    query = flatppl(source).compile(backend="numpy")
    xs = np.array([2.0, 0.5, 3.0, -1.0, 4.0])
    p = np.cumprod(xs)
    t = np.cumsum(np.append(1.0, p[:-1]))
    np.testing.assert_allclose(query(xs), (t[4], p[4], t[3]))
