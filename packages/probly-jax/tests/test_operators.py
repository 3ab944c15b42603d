"""Operators: one permission, one implementation, operands of every kind (O-1 to O-16)."""

import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax_representations import Adds, Denied, Pair, Sidecar, Vectors

from probly.representation.jax_functions import jax_add, jax_multiply, jax_sum
from probly_jax.functions import OPERATORS

BINARY = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "true_divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "divmod": divmod,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
UNARY = {"positive": operator.pos, "negative": operator.neg, "absolute": abs, "invert": operator.invert}
COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}

data = jnp.arange(1, 7).reshape(2, 3)
x = Vectors(data)


def check(result: Any, raw: Any, name: str) -> None:
    if name in COMPARISONS:
        combine = jnp.any if name == "not_equal" else jnp.all
        np.testing.assert_array_equal(result, combine(raw, axis=-1))
        return
    for part, expected in zip(*((p if isinstance(p, tuple) else (p,)) for p in (result, raw)), strict=True):
        assert type(part) is Vectors
        np.testing.assert_array_equal(part.array, expected)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    apply, wrapper = BINARY[name], OPERATORS[name]
    native = getattr(jnp, name)
    check(apply(x, x), native(data, data), name)
    check(wrapper(x, 2), native(data, 2), name)
    for left in (2, np.int32(2), np.full((2, 1), 2, np.int32), jnp.full((2, 1), 2)):
        check(apply(left, x), native(left, data), name)
    check(jax.jit(lambda left: apply(left, x))(2), native(2, data), name)
    with pytest.raises(TypeError, match="no implementation found"):
        wrapper(Denied(data), Denied(data))
    if name not in ("equal", "not_equal"):
        for operands in ((Denied(data), 2), (2, Denied(data)), (x, "text"), (x, None), (x, [1, 2, 3])):
            with pytest.raises(TypeError):
                apply(*operands)


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    check(UNARY[name](x), getattr(jnp, name)(data), name)
    with pytest.raises(TypeError):
        UNARY[name](Denied(data))


def test_matmul_takes_raw_operands_whole() -> None:
    matrix = jnp.arange(8).reshape(4, 2)
    expected = jnp.stack([matrix @ data[:, c] for c in range(3)], axis=-1)
    for left in (matrix, np.asarray(matrix)):
        np.testing.assert_array_equal((left @ x).array, expected)
    np.testing.assert_array_equal((x @ jnp.array([1, 2])).array, jnp.array([1, 2]) @ data)


def test_permission_is_per_wrapper_and_of_both_operands() -> None:
    a = Adds(data)
    assert type(1 + a) is type(a + 1) is type(jax_add(1, a)) is Adds
    for call in (lambda: a * 2, lambda: jax_multiply(a, 2), lambda: jax_sum(a), lambda: a + Denied(data)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError):
        Denied(data) + a


def test_instance_veto_counts_on_either_side() -> None:
    class Veto(Vectors):
        def protected_values(self, func: Any = None, method: Any = None) -> Any:
            vetoed = func is not None and not bool(self.array[0, 0])
            return None if vetoed else super().protected_values(func, method)

    open_, closed = Veto(data), Veto(data * 0)
    assert type(open_ + open_) is Veto
    for operands in ((open_, closed), (closed, open_)):
        with pytest.raises(TypeError):
            operator.add(*operands)


def test_operator_and_wrapper_use_one_key() -> None:
    seen = []

    class Counting(Vectors):
        @classmethod
        def __jax_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func)
            return super().__jax_function__(func, types, args, kwargs)

    y = Counting(data)
    y + 1, 1 + y, jax_add(y, 1)
    assert seen == [jax_add] * 3


def test_the_other_operand_gets_its_chance() -> None:
    class Other:
        def __radd__(self, left: Any) -> str:
            return "asked"

    assert x + Other() == "asked"


def test_hook_gets_wrapper_and_operands_in_expression_order() -> None:
    seen = []

    class Hooked(Vectors):
        def _postprocess_elementwise_result(self, values: Any, *, func: Any, operands: Any) -> Any:
            seen.append((func, operands))
            return values

    h = Hooked(data)
    5 - h
    func, operands = seen[0]
    assert func is OPERATORS["subtract"]
    assert operands[0] == 5
    assert operands[1] is h


def test_comparisons_fall_back_to_identity() -> None:
    d = Denied(data)
    assert (d == d) is True
    assert (d != d) is False
    assert hash(x) == hash(x)


def test_augmented_assignment_rebinds() -> None:
    y = x
    y += 1
    assert y is not x
    assert x.array is data
    array = jnp.ones((2, 3), int)
    array += x
    assert type(array) is Vectors
    with pytest.raises(TypeError):
        operator.iadd(np.ones((2, 3)), x)


def test_numpy_cannot_bypass_permissions() -> None:
    for call in (lambda: np.add(x, 1), lambda: np.exp(x), lambda: jnp.add(x, 1), lambda: pow(x, 2, 3)):
        with pytest.raises(TypeError):
            call()
    np.testing.assert_array_equal(np.asarray(x), data)


def test_layouts_and_sidecars() -> None:
    with pytest.raises(ValueError, match="protected"):
        x + Vectors(jnp.ones((2, 4)))
    with pytest.raises(ValueError, match="batch"):
        Pair(jnp.ones((2, 3)), jnp.ones((2, 3, 3))) + jnp.ones((4, 1, 1, 1))
    with pytest.raises(TypeError):
        Sidecar(data, np.array(["a", "b"], dtype=object)) + 1
