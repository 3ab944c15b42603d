"""Operators, permissions and the function protocol (O-1 to O-10, T-2, T-5)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch_layouts import KINDS, Nested, One, Plain, Two, Zero, assert_cells, cells, fill, make

from probly.representation._protected_axis.torch import TorchAxisProtected
from probly.representation.torch_functions import torch_divmod

ARITHMETIC = {
    "add": (operator.add, torch.add, torch.Tensor.add),
    "sub": (operator.sub, torch.sub, torch.subtract),
    "mul": (operator.mul, torch.mul, torch.multiply),
    "truediv": (operator.truediv, torch.true_divide, torch.div, torch.divide),
    "floordiv": (operator.floordiv, torch.floor_divide),
    "mod": (operator.mod, torch.remainder),
    "pow": (operator.pow, torch.pow),
}
BITS = {
    "and": (operator.and_, torch.bitwise_and),
    "or": (operator.or_, torch.bitwise_or),
    "xor": (operator.xor, torch.bitwise_xor),
    "lshift": (operator.lshift, torch.bitwise_left_shift),
    "rshift": (operator.rshift, torch.bitwise_right_shift),
}
COMPARISONS = {
    "eq": (operator.eq, torch.eq),
    "ne": (operator.ne, torch.ne, torch.not_equal),
    "lt": (operator.lt, torch.lt, torch.less),
    "le": (operator.le, torch.le, torch.less_equal),
    "gt": (operator.gt, torch.gt, torch.greater),
    "ge": (operator.ge, torch.ge, torch.greater_equal),
}
UNARY = {
    "pos": (operator.pos, torch.positive),
    "neg": (operator.neg, torch.neg, torch.negative),
    "abs": (operator.abs, torch.abs, torch.absolute),
}
LEFT = (3, 2.5, torch.tensor(2.0, dtype=torch.float64), torch.full((3, 1), 2.0), np.float64(1.5), np.full((3, 1), 3.0))


def spelled(table: dict[str, tuple[Callable[..., Any], ...]]) -> list[Any]:
    return [
        pytest.param(table[name][0], each, id=f"{name}-{i}") for name in table for i, each in enumerate(table[name])
    ]


def raw(value: Any) -> Any:
    return torch.as_tensor(value) if isinstance(value, np.ndarray | np.generic) else value


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("meaning", "function"), spelled(ARITHMETIC))
def test_arithmetic(meaning: Callable[..., Any], function: Callable[..., Any], kind: type[Any]) -> None:
    x, y = make(kind, (2, 3)), make(kind, (3,), 2)
    if function is not torch.Tensor.add:
        assert_cells(function(x, y), [meaning(a, b) for a, b in zip(cells(x), cells(y), strict=True)])
        assert_cells(function(x, 3), [meaning(a, 3) for a in cells(x)])
    whole = torch.tensor(2.0, dtype=torch.float64)
    assert_cells(function(whole, x), [meaning(whole, a) for a in cells(x)])


@pytest.mark.parametrize("meaning", [operators[0] for operators in ARITHMETIC.values()])
@pytest.mark.parametrize("left", LEFT, ids=repr)
def test_ordinary_operands_on_both_sides(meaning: Callable[..., Any], left: Any) -> None:
    x = make(One, (2, 3))
    assert torch.allclose(meaning(left, x).array, meaning(raw(left), x.array), rtol=1e-15)
    assert torch.equal(meaning(x, left).array, meaning(x.array, raw(left)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("meaning", "function"), spelled(BITS))
def test_bits(meaning: Callable[..., Any], function: Callable[..., Any], kind: type[Any]) -> None:
    x = make(kind, (2, 3)).to(torch.int64)
    x = x if kind is not Two else Two(x.array.long(), x.other.long())
    integers = [a.long() for a in cells(x)]
    assert_cells(function(x, x[0]), [meaning(a, a[0]) for a in integers])
    assert_cells(meaning(torch.tensor(2), x), [meaning(torch.tensor(2), a) for a in integers])
    assert_cells(meaning(2, x), [meaning(2, a) for a in integers])
    assert_cells(~x, [~a for a in integers])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("meaning", "function"), spelled(COMPARISONS))
def test_comparisons(meaning: Callable[..., Any], function: Callable[..., Any], kind: type[Any]) -> None:
    x, y = make(kind, (2, 3)), make(kind, (3,))
    parts = torch.stack([meaning(a, b) for a, b in zip(cells(x), cells(y), strict=True)])
    wanted = parts.any(0) if meaning is operator.ne else parts.all(0)
    mask = function(x, y)
    assert mask.dtype == torch.bool
    assert torch.equal(mask, wanted)
    if kind is not Nested:
        assert torch.equal(meaning(torch.tensor(4.0), x), meaning(4.0, x))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("meaning", "function"), spelled(UNARY))
def test_unary(meaning: Callable[..., Any], function: Callable[..., Any], kind: type[Any]) -> None:
    x = make(kind, (2, 3), -4)
    assert_cells(function(x), [meaning(a) for a in cells(x)])


@pytest.mark.parametrize("kind", KINDS)
def test_divmod(kind: type[Any]) -> None:
    x = make(kind, (2, 3))
    pairs = ((divmod(x, 3), x, 3), (divmod(torch.tensor(9.0), x), torch.tensor(9.0), x), (torch_divmod(x, x), x, x))
    for (quotient, remainder), left, right in pairs:
        for part, name in ((quotient, torch.floor_divide), (remainder, torch.remainder)):
            assert_cells(part, cells(name(left, right)))


SHAPES = [((2,), (2,)), ((2,), (2, 4)), ((3, 2), (2,)), ((3, 2), (2, 4)), ((5, 3, 2), (2, 4)), ((5, 3, 2), (5, 2, 4))]


@pytest.mark.parametrize("kind", [Zero, One, Two])
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_matmul(left: tuple[int, ...], right: tuple[int, ...], kind: type[Any]) -> None:
    x, y = make(kind, left), make(kind, right, 3)
    plain = fill(right)
    assert_cells(x @ y, [a @ b for a, b in zip(cells(x), cells(y), strict=True)])
    assert_cells(torch.matmul(x, plain), [a @ plain for a in cells(x)])
    assert_cells(fill(left) @ y, [fill(left) @ b for b in cells(y)])


def test_matmul_without_batch_axes() -> None:
    with pytest.raises(ValueError, match="batch axes"):
        make(One, ()) @ make(One, ())


BINARY = [row[0] for table in (ARITHMETIC, BITS) for row in table.values()] + [divmod, operator.matmul]
ORDERINGS = [COMPARISONS[name][0] for name in ("lt", "le", "gt", "ge")]


@pytest.mark.parametrize("function", [*BINARY, *ORDERINGS])
def test_nothing_is_permitted_by_default(function: Callable[..., Any]) -> None:
    x = Plain(fill((2, 3)))
    for pair in ((x, x), (x, 2), (2, x), (x, x.array), (x.array, x), (x.array.numpy(), x)):
        with pytest.raises(TypeError):
            function(*pair)


def test_equality_falls_back_to_identity() -> None:
    x = Plain(fill((2, 3)))
    assert (x == x) is True
    assert (x != x) is False
    assert (x.array == x) is False
    with pytest.raises(TypeError):
        torch.eq(x, x)


@pytest.mark.parametrize(
    "function", [operator.pos, operator.neg, operator.abs, operator.invert, torch.mean, torch.std, torch.exp]
)
def test_nothing_unary_is_permitted_by_default(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError):
        function(Plain(fill((2, 3))))


@dataclass(frozen=True, eq=False)
class Adding(TorchAxisProtected[torch.Tensor]):
    array: torch.Tensor
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_functions: ClassVar[set[Callable[..., Any]]] = {torch.Tensor.add}


def test_a_permission_holds_for_every_spelling_and_no_other_function() -> None:
    x = Adding(fill((2, 3)))
    for result in (x + x, 1 + x, torch.add(x, 1), torch.add(input=x, other=1), torch.ones(3) + x, np.ones(3) + x):
        assert type(result) is Adding
    for call in (lambda: x * 2, lambda: torch.sum(x), lambda: torch.sub(x, x), lambda: torch.add(x, x, alpha=2)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError):
        torch.add(x, x, out=x)


def test_divmod_follows_from_its_halves() -> None:
    @dataclass(frozen=True, eq=False)
    class Halves(Adding):
        array: torch.Tensor
        permitted_functions: ClassVar[set[Callable[..., Any]]] = {torch.floor_divide, torch.remainder}

    assert torch.equal(divmod(Halves(fill((2, 3))), 2)[1].array, fill((2, 3)) % 2)
    with pytest.raises(TypeError):
        divmod(Adding(fill((2, 3))), 2)


def test_operands_of_other_classes_are_declined() -> None:
    class Sub(Adding):
        pass

    x = Adding(fill((2, 3)))
    for other in (Sub(fill((2, 3))), Plain(fill((2, 3))), make(One, (2,)), [1.0, 2.0, 3.0], "a", None):
        for pair in ((x, other), (other, x)):
            with pytest.raises(TypeError):
                operator.add(*pair)
    with pytest.raises(ValueError, match="protected trailing shapes"):
        x + Adding(fill((2, 1)))
    with pytest.raises(ValueError, match="broadcast"):
        x + torch.ones(2)
    with pytest.raises(ValueError, match="protected trailing axes"):
        Adding(fill((2, 1))) + torch.ones(2, 3)


def test_an_instance_may_veto() -> None:
    class Vetoing(Adding):
        vetoed = False

        def protected_values(self, func: Any = None, method: Any = None) -> Any:
            return None if func is not None and type(self).vetoed else super().protected_values(func, method)

    x, y = Vetoing(fill((2, 3))), Vetoing(fill((2, 3)))
    assert type(x + y) is Vetoing
    Vetoing.vetoed = True
    for pair in ((x, y), (x, 1), (1, x), (x.array, x)):
        with pytest.raises(TypeError):
            operator.add(*pair)


def test_the_other_operand_gets_its_chance() -> None:
    class Other:
        def __radd__(self, left: Any) -> str:
            return "asked"

    assert Adding(fill((2, 3))) + Other() == "asked"
    assert Plain(fill((2, 3))) + Other() == "asked"


def test_operators_and_functions_share_one_hook() -> None:
    calls: list[Any] = []

    class Counting(Adding):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append((func, args))
            return super().__torch_function__(func, types, args, kwargs)

    x = Counting(fill((2, 3)))
    x + x, torch.add(x, x), 5 + x
    assert [func for func, _ in calls] == [torch.add] * 3
    assert calls[2][1] == (5, x)
    calls.clear()
    with pytest.raises(TypeError):
        x * x
    assert len(calls) == 1


def test_the_result_hook_sees_the_expression() -> None:
    seen: list[Any] = []

    class Hooked(Adding):
        permitted_functions: ClassVar[set[Callable[..., Any]]] = {torch.sub}

        def _postprocess_elementwise_result(self, values: Any, *, func: Any, operands: Any) -> Any:
            seen.append((func, operands))
            return {"array": values["array"][..., :2]} if len(seen) > 1 else values

    x = Hooked(fill((2, 3)))
    assert torch.equal((5 - x).array, 5 - x.array)
    assert seen == [(torch.sub, (5, x))]
    with pytest.raises(ValueError, match="protected trailing axes"):
        x - 1


def test_augmented_assignment_rebinds() -> None:
    x = before = make(One, (2,))
    x += 1
    assert x is not before
    assert torch.equal(before.array, fill((2, 3)))
    tensor = torch.ones(3, dtype=torch.float64)
    tensor += before
    assert type(tensor) is One
    with pytest.raises(TypeError):
        torch.ones(3).add_(before)
    with pytest.raises(TypeError):
        pow(before, 2, 3)


def test_numpy_cannot_bypass_the_permissions() -> None:
    x = make(One, (2,))
    for call in (lambda: np.add(x, 1), lambda: np.exp(x), lambda: np.multiply(np.ones(3), x)):
        with pytest.raises(TypeError):
            call()
    array = np.ones(3)
    with pytest.raises(TypeError):
        array += x
    assert np.array_equal(np.asarray(x), x.array.numpy())
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    with pytest.raises(TypeError):
        np.asarray(make(Two, (2,)))
