"""Operators and reductions on representations (O-1 to O-13, P-10, P-11, N-2, N-3)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probly_layouts import KINDS, Array, Nested, One, Plain, Two, Zero, batches, fill, make, objects, raw_fields

from probly.representation._protected_axis.numpy import NumpyAxisProtected

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "true_divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
}
ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "positive": operator.pos,
    "negative": operator.neg,
    "absolute": abs,
    "invert": operator.invert,
}


def same(x: Any, arrays: list[Array]) -> None:
    for (mine, _), wanted in zip(raw_fields(x), arrays, strict=True):
        np.testing.assert_array_equal(mine, wanted)
        assert mine.dtype == wanted.dtype


@given(objects, st.sampled_from(sorted(BINARY)), st.sampled_from([3, np.int64(2), np.array(2), True]))
def test_binary_operators_are_fieldwise(x: Any, name: str, c: Any) -> None:
    """O-2, O-5: forward, reflected, and the ufunc itself."""
    op, ufunc = BINARY[name], getattr(np, name)
    y = np.flip(x)
    arrays, others = ([a for a, _ in raw_fields(each)] for each in (x, y))
    if name == "left_shift":
        y = x % 5
        others = [a % 5 for a in arrays]
    if name == "power":
        x, y = x % 4, y % 4
        arrays, others = [a % 4 for a in arrays], [a % 4 for a in others]
    same(op(x, y), [op(a, b) for a, b in zip(arrays, others, strict=True)])
    same(ufunc(x, y), [ufunc(a, b) for a, b in zip(arrays, others, strict=True)])
    same(op(x, c), [op(a, c) for a in arrays])
    if name != "left_shift":
        same(op(c, x), [op(c, a) for a in arrays])


@given(objects, st.sampled_from(sorted(UNARY)))
def test_unary_operators_are_fieldwise(x: Any, name: str) -> None:
    same(UNARY[name](x - 5), [UNARY[name](a - 5) for a, _ in raw_fields(x)])


@given(objects)
def test_divmod_gives_two(x: Any) -> None:
    """O-8: forward and reflected."""
    for result, pick in ((divmod(x, 3), lambda a: divmod(a, 3)), (divmod(20, x), lambda a: divmod(20, a))):
        assert type(result) is tuple
        for half, part in zip(result, (0, 1), strict=True):
            same(half, [pick(a)[part] for a, _ in raw_fields(x)])


@given(objects, st.sampled_from(sorted(ORDER)))
def test_comparisons_give_masks(x: Any, name: str) -> None:
    """O-7: all components of all fields; any for !=."""
    op, c = ORDER[name], x.size
    wanted = None
    for array, count in raw_fields(x):
        axes = tuple(range(array.ndim - count, array.ndim))
        part = op(array, c).any(axes) if name == "not_equal" else op(array, c).all(axes)
        wanted = part if wanted is None else (wanted | part if name == "not_equal" else wanted & part)
    result = op(x, c)
    assert result.dtype == bool
    assert result.shape == x.shape
    np.testing.assert_array_equal(result, wanted)


def test_comparison_with_nan() -> None:
    x = One(np.array([[1.0, np.nan, 2.0], [1.0, 1.0, 1.0]]))
    np.testing.assert_array_equal(x == x, [False, True])
    np.testing.assert_array_equal(x != x, [True, False])


@given(batches, batches, st.sampled_from(KINDS))
def test_batches_broadcast(left: tuple[int, ...], right: tuple[int, ...], kind: Any) -> None:
    """O-4: batch dimensions of two objects broadcast as NumPy's do."""
    x, y = make(kind, left), make(kind, right, 50)
    try:
        shape = np.broadcast_shapes(left, right)
    except ValueError:
        with pytest.raises(ValueError, match=r"broadcast|inconsistent|modified"):
            x + y
        return
    assert (x + y).shape == shape


def test_ordinary_arrays_use_field_level_broadcasting() -> None:
    """O-5: no expansion of batch weights."""
    x = One(np.ones((2, 3)))
    np.testing.assert_array_equal((x * np.array([1.0, 2.0, 3.0])).array, [[1, 2, 3]] * 2)
    np.testing.assert_array_equal((np.array([[2.0], [3.0]]) * x).array, [[2] * 3, [3] * 3])
    assert (np.ones((4, 1, 1)) + x).shape == (4, 2)
    for bad in (np.ones(2), np.ones((5, 3))):
        with pytest.raises(ValueError, match="broadcast"):
            x * bad
        with pytest.raises(ValueError, match="broadcast"):
            bad * x


@pytest.mark.parametrize("other", ["text", [1, 2, 3], None, object()])
def test_other_operands_decline(other: Any) -> None:
    x = make(One, (2,))
    for op in BINARY.values():
        with pytest.raises(TypeError):
            op(x, other)
    assert (x == other) is False
    assert (x != other) is True
    with pytest.raises(TypeError):
        _ = x < other


def test_results_keep_the_protected_shape() -> None:
    """O-6."""
    with pytest.raises(ValueError, match="modified protected trailing axes"):
        One(np.ones((2, 1))) + np.ones((2, 3))
    with pytest.raises(ValueError, match="identical protected trailing shapes"):
        One(np.ones((2, 1))) + One(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"inconsistent batch-shapes|modified"):
        Two(np.ones((1, 2, 3)), np.ones(1)) + np.ones((2, 2, 3))


def test_concrete_types_must_agree() -> None:
    """O-3: a subclass is another type."""

    @dataclass(frozen=True, eq=False)
    class Heir(One):
        pass

    x, y = make(One, (2,)), Heir(fill((2, 3)))
    for left, right in ((x, y), (y, x), (x, make(Zero, (2,)))):
        with pytest.raises(TypeError):
            left + right
    assert (x == y) is False


def test_nothing_is_permitted_by_default() -> None:
    """O-1a, with arrays on the left as well (O-1e)."""
    x = Plain(fill((2, 3), 1))
    for op in BINARY.values():
        for left, right in ((x, x), (x, 1), (1, x), (np.ones(3, int), x)):
            with pytest.raises(TypeError):
                op(left, right)
    for unary in UNARY.values():
        with pytest.raises(TypeError):
            unary(x)
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(TypeError):
            compare(x, x)
    for function in (np.mean, np.sum, np.average, np.std, np.var, np.min, np.max, np.exp, np.add.reduce):
        with pytest.raises(TypeError):
            function(x)
    for call in (lambda: divmod(x, 1), lambda: divmod(1, x), lambda: x @ x):
        with pytest.raises(TypeError):
            call()
    assert (x == x) is True
    assert (x == Plain(x.array)) is False


@dataclass(frozen=True, eq=False)
class OnlyAdd(NumpyAxisProtected[Array]):
    array: Array
    veto: bool = False
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_ufuncs: ClassVar[dict[np.ufunc, list[str]]] = {np.add: ["__call__"]}

    def protected_values(self, func: Any = None, method: str | None = None) -> Any:
        return None if self.veto and func is not None else super().protected_values(func, method)


def test_permissions_are_separate() -> None:
    """O-1b: addition permits its reflection, and neither multiplication nor sum."""
    x = OnlyAdd(np.ones((2, 3)))
    for result in (x + x, 1 + x, np.add(x, 1), np.ones(3) + x):
        np.testing.assert_array_equal(result.array, np.full((2, 3), 2.0))
    for call in (lambda: x * 2, lambda: np.sum(x), lambda: x - x, lambda: np.add.reduce(x), lambda: np.multiply(x, 2)):
        with pytest.raises(TypeError):
            call()


def test_a_veto_is_honoured_on_either_side() -> None:
    """O-1c."""
    x, vetoing = OnlyAdd(np.ones((2, 3))), OnlyAdd(np.ones((2, 3)), veto=True)
    for left, right in ((x, vetoing), (vetoing, x), (vetoing, 1), (1, vetoing)):
        with pytest.raises(TypeError):
            left + right


def test_the_other_operand_gets_its_chance() -> None:
    """O-1: the dunder returns NotImplemented to Python."""

    class Other:
        def __radd__(self, left: Any) -> str:
            return "reflected"

        def __rmatmul__(self, left: Any) -> str:
            return "reflected"

    assert make(One, (2,)) + Other() == "reflected"
    assert Plain(fill((2, 3))) @ Other() == "reflected"


def test_augmented_assignment_rebinds() -> None:
    """O-1, O-15: and three-argument pow is unsupported."""
    x = old = make(One, (2,))
    before = old.array.copy()
    x += 1
    assert x is not old
    np.testing.assert_array_equal(old.array, before)
    for call in (lambda: pow(x, 2, 3), lambda: pow(2, x, 3), lambda: pow(2, 3, x)):
        with pytest.raises(TypeError):
            call()


@dataclass(frozen=True, eq=False)
class Recorder(NumpyAxisProtected[Array]):
    array: Array
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_operations: ClassVar[frozenset[str]] = frozenset({"add", "subtract", "equal", "divmod", "negative"})
    calls: ClassVar[list[Any]] = []
    trim: ClassVar[bool] = False

    def _postprocess_elementwise_result(self, values: Any, *, func: Any, operands: Any) -> Any:
        self.calls.append((func, operands))
        return {name: value[..., :1] if self.trim else value for name, value in values.items()}

    def with_protected_values(self, values: Any, func: Any = None) -> Any:
        self.calls.append(func)
        return super().with_protected_values(values, func)


def test_the_hook_sees_the_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    """O-12: function and operands in the order of the expression; checked; then rebuilt with the function."""
    x = Recorder(np.ones((2, 3)))
    monkeypatch.setattr(Recorder, "calls", [])
    _ = 5 - x
    (func, operands), rebuilt = Recorder.calls
    assert func is rebuilt is np.subtract
    assert operands[0] == 5
    assert operands[1] is x
    Recorder.calls.clear()
    _ = x == x
    assert Recorder.calls == []
    divmod(x, 2)
    assert len(Recorder.calls) == 4
    Recorder.calls.clear()
    _ = (x + x, np.add(x, x))
    assert len(Recorder.calls) == 4
    monkeypatch.setattr(Recorder, "trim", True)
    with pytest.raises(ValueError, match="modified protected"):
        _ = -x


SHAPES = [(2,), (3, 2), (2, 3), (4, 3, 2), (4, 2, 3), (1, 2, 2), (2, 2), ()]


@pytest.mark.parametrize("left", SHAPES)
@pytest.mark.parametrize("right", SHAPES)
@pytest.mark.parametrize("raw", ["none", "left", "right"])
def test_matmul_at_each_coordinate(left: tuple[int, ...], right: tuple[int, ...], raw: str) -> None:
    """O-9: against a loop over the protected coordinates, for two fields of different protected rank."""
    rng = np.random.default_rng(0)

    def build(batch: tuple[int, ...]) -> Two:
        return Two(rng.normal(size=(*batch, 2, 3)), rng.normal(size=batch))

    x, y = build(left), build(right)
    a: Any = rng.normal(size=left) if raw == "left" else x
    b: Any = rng.normal(size=right) if raw == "right" else y
    try:
        wanted = np.matmul(np.ones(left), np.ones(right)).shape
    except ValueError:
        with pytest.raises(ValueError, match=r"matmul|stacks|mismatch|enough dimensions"):
            a @ b
        return
    result = a @ b
    assert result.shape == wanted
    for k in np.ndindex(2, 3):
        one = a if raw == "left" else x.array[(..., *k)]
        two = b if raw == "right" else y.array[(..., *k)]
        np.testing.assert_allclose(result.array[(..., *k)], one @ two)
    one, two = (a if raw == "left" else x.other), (b if raw == "right" else y.other)
    np.testing.assert_allclose(result.other, one @ two)


def test_matmul_of_nested_fields_is_refused() -> None:
    x = make(Nested, (2, 2))
    with pytest.raises(TypeError):
        x @ x


@given(objects, st.sampled_from(["mean", "sum", "std", "var", "min", "max", "prod"]), st.data())
def test_reductions(x: Any, name: str, data: st.DataObject) -> None:
    """P-10: over batch axes only, all fields alike."""
    function = getattr(np, name)
    axes = data.draw(st.one_of(st.none(), st.permutations(range(x.ndim)).map(lambda p: tuple(p[:2]))))
    keepdims = data.draw(st.booleans())
    result = function(x, axis=axes, keepdims=keepdims)
    for (mine, _), (array, count) in zip(raw_fields(result), raw_fields(x), strict=True):
        along = tuple(range(array.ndim - count)) if axes is None else axes
        np.testing.assert_allclose(mine, function(array, axis=along, keepdims=keepdims))


def test_reduction_options() -> None:
    x = One(fill((2, 4, 3)).astype(float))
    mask = np.array([[True, False, True, True], [False, False, True, True]])
    wanted = np.mean(x.array, axis=1, where=mask[..., None])
    np.testing.assert_allclose(np.mean(x, axis=1, where=mask).array, wanted)
    np.testing.assert_allclose(np.sum(x, 0, initial=5.0).array, x.array.sum(0) + 5)
    np.testing.assert_allclose(np.std(x, -1, ddof=1).array, x.array.std(1, ddof=1))
    assert np.mean(x, dtype=np.float32).dtype == np.float32
    for call, error in (
        (lambda: np.mean(x, axis=2), ValueError),
        (lambda: np.mean(x, axis=-3), ValueError),
        (lambda: np.mean(x, axis=(0, 0)), ValueError),
        (lambda: np.mean(x, axis=0.5), TypeError),
        (lambda: np.mean(x, where=np.ones((5, 4), bool)), ValueError),
        (lambda: np.mean(x, out=np.zeros(3)), TypeError),
    ):
        with pytest.raises(error):
            call()


def test_weights_of_averages() -> None:
    """P-11: along the axis, of the batch shape, of the field's shape."""
    rng = np.random.default_rng(0)
    x = One(rng.normal(size=(2, 4, 3)))
    w1, w2, w3 = rng.random(4), rng.random((2, 4)), rng.random((2, 4, 3))
    np.testing.assert_allclose(np.average(x, 1, w1).array, np.average(x.array, 1, w1))
    np.testing.assert_allclose(np.average(x, weights=w2).array, np.tensordot(w2, x.array, 2) / w2.sum())
    wanted = (w2[..., None] * x.array).sum(0) / w2.sum(0)[:, None]
    np.testing.assert_allclose(np.average(x, axis=0, weights=w2).array, wanted)
    np.testing.assert_allclose(np.average(x, axis=0, weights=w3).array, np.average(x.array, 0, w3))
    np.testing.assert_allclose(np.average(x, axis=0).array, x.array.mean(0))
    np.testing.assert_allclose(np.average(x[0], weights=w1).array, np.average(x.array[0], 0, w1))
    with pytest.raises(ZeroDivisionError):
        np.average(x, 1, np.zeros(4))
    with pytest.raises(TypeError, match="returned"):
        np.average(x, 1, w1, returned=True)
    with pytest.raises(ValueError, match="fit neither"):
        np.average(x, 0, w1)
    nested = make(Nested, (4,))
    np.testing.assert_allclose(np.average(nested, 0, w1).inner.array, np.average(nested.inner.array, 0, w1))


def test_nested_reductions_need_both_permissions() -> None:
    @dataclass(frozen=True, eq=False)
    class Outer(NumpyAxisProtected[Array]):
        inner: Any
        protected_axes: ClassVar[dict[str, int]] = {"inner": 0}
        permitted_functions: ClassVar[set[Any]] = {np.mean}

    assert np.mean(Outer(make(One, (2,)))).shape == ()
    with pytest.raises(TypeError, match="does not permit mean"):
        np.mean(Outer(make(Plain, (2,))))


@dataclass(frozen=True, eq=False)
class Methods(NumpyAxisProtected[Array]):
    array: Array
    protected_axes: ClassVar[dict[str, int]] = {"array": 1}
    permitted_ufuncs: ClassVar[dict[np.ufunc, list[str]]] = {np.add: ["reduce", "accumulate", "reduceat"]}


def test_ufunc_methods() -> None:
    """N-2: each needs its own permission; axes are batch axes."""
    x = Methods(fill((2, 4, 3)))
    np.testing.assert_array_equal(np.add.reduce(x).array, x.array.sum(0))
    np.testing.assert_array_equal(np.add.reduce(x, axis=-1).array, x.array.sum(1))
    np.testing.assert_array_equal(
        np.add.reduce(x, axis=(0, 1), keepdims=True).array, x.array.sum((0, 1), keepdims=True)
    )
    np.testing.assert_array_equal(np.add.accumulate(x, axis=1).array, x.array.cumsum(1))
    np.testing.assert_array_equal(np.add.reduceat(x, [0, 2], axis=1).array, np.add.reduceat(x.array, [0, 2], axis=1))
    for call, error in (
        (lambda: np.add(x, x), TypeError),
        (lambda: np.add.outer(x, x), TypeError),
        (lambda: np.add.at(x, 0, 1), TypeError),
        (lambda: np.multiply.reduce(x), TypeError),
        (lambda: np.add.reduce(x, axis=2), ValueError),
    ):
        with pytest.raises(error):
            call()


def test_ufunc_out() -> None:
    x = make(One, (2,))
    out = One(np.zeros((2, 3), int))
    assert np.add(x, 1, out=out) is out
    np.testing.assert_array_equal(out.array, x.array + 1)
    raw = np.zeros((2, 3), int)
    assert np.add(x, 1, out=raw) is raw
    np.testing.assert_array_equal(raw, x.array + 1)


def test_second_wave_functions_need_permission() -> None:
    @dataclass(frozen=True, eq=False)
    class Logs(NumpyAxisProtected[Array]):
        array: Array
        protected_axes: ClassVar[dict[str, int]] = {"array": 1}
        permitted_operations: ClassVar[frozenset[str]] = frozenset({"log", "maximum"})

    x = Logs(fill((2, 3), 1))
    np.testing.assert_array_equal(np.log(x).array, np.log(x.array))
    np.testing.assert_array_equal(np.maximum(x, 3).array, np.maximum(x.array, 3))
    with pytest.raises(TypeError):
        np.exp(x)
