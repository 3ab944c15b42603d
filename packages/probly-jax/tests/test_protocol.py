"""The JAX function protocol (J-1 to J-5)."""

import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from probly.representation.jax_functions import (
    SupportsJaxFunction,
    handle_jax_function,
    has_jax_function,
    jax_add,
    jax_astype,
    jax_average,
    jax_concatenate,
    jax_function_dispatch,
    jax_mean,
    jax_reshape,
    jax_stack,
    jax_sum,
    jax_take_along_axis,
    try_jax_function,
)


class Recorder:
    """Answers with the call."""

    @classmethod
    def __jax_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return cls, func, types, args, kwargs


class Child(Recorder):
    pass


class Declines:
    @classmethod
    def __jax_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return NotImplemented


class Raises:
    @classmethod
    def __jax_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise TypeError("mine")


r, array = Recorder(), jnp.ones(2)


def test_implementation_gets_the_call_as_it_was_made() -> None:
    assert jax_add(array, r) == (Recorder, jax_add, (Recorder,), (array, r), {})
    assert jax_mean(r, axis=0)[3:] == ((r,), {"axis": 0})
    assert jax_reshape(r, (2,), order="C")[3:] == ((r, (2,)), {"order": "C"})


@pytest.mark.parametrize(
    "call",
    [
        lambda: jax_sum(array, None, None, None, False, r),
        lambda: jax_sum(array, initial=r),
        lambda: jax_mean(array, where=r),
        lambda: jax_average(array, weights=r),
        lambda: jax_take_along_axis(array, indices=r),
        lambda: jax_stack([array, r]),
        lambda: jax_concatenate((r,), axis=None),
    ],
    ids=["positional", "initial", "where", "weights", "indices", "list", "tuple"],
)
def test_selected_arguments_take_part(call: Any) -> None:
    assert call()[0] is Recorder


def test_other_arguments_do_not() -> None:
    with pytest.raises(TypeError, match="Recorder"):
        jax_astype(array, r)
    assert isinstance(jax_stack(np.ones((2, 3))), jax.Array)


def test_default_value_takes_part() -> None:
    @jax_function_dispatch("b")
    def wrapper(a: Any, b: Any = r) -> Any:
        return "native"

    assert wrapper(1)[3:] == ((1,), {})
    assert wrapper(1, 2) == "native"


def test_type_decides_not_the_instance() -> None:
    class Plain:
        pass

    plain = Plain()
    plain.__jax_function__ = Recorder.__jax_function__  # type: ignore[attr-defined]
    assert not has_jax_function([plain, None, 1.0, array])
    assert isinstance(r, SupportsJaxFunction)


def test_order_is_left_to_right_subclass_first_each_type_once() -> None:
    assert jax_add(r, Child())[:3] == (Child, jax_add, (Child, Recorder))
    assert jax_add(Declines(), r)[2] == (Declines, Recorder)
    assert jax_stack([r, Declines(), r])[2] == (Recorder, Declines)


def test_declining_is_a_type_error_and_never_native() -> None:
    with pytest.raises(TypeError, match=r"^no implementation found for jax_add on Declines"):
        jax_add(Declines(), 1.0)
    assert try_jax_function(jax_add, (Declines(), 1), Declines(), 1) is NotImplemented
    with pytest.raises(TypeError, match="no implementation found"):
        handle_jax_function(jax_add, [Declines()], Declines(), 1)


def test_exceptions_propagate() -> None:
    with pytest.raises(TypeError, match=r"^mine$"):
        jax_add(Raises(), r)


def test_a_bad_call_fails_before_dispatch() -> None:
    with pytest.raises(TypeError, match="missing a required"):
        jax_add(r)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"positional.only"):
        jax_add(x1=r, x2=r)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="unexpected keyword"):
        jax_mean(r, axes=0)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("names", "unpack"),
    [((), ()), (("a", "a"), ()), (("a",), ("a",)), (("c",), ()), (("args",), ()), ((), ("kwargs",))],
)
def test_selectors_are_checked_when_decorating(names: tuple[str, ...], unpack: tuple[str, ...]) -> None:
    def native(a: Any, b: Any = None, *args: Any, **kwargs: Any) -> Any: ...

    with pytest.raises(ValueError, match="Dispatch selector"):
        jax_function_dispatch(*names, unpack=unpack)(native)


def test_wrapper_keeps_what_describes_it() -> None:
    def native(a: int, /, *, b: str = "x") -> float:
        """Say so."""
        return 1.0

    wrapper = jax_function_dispatch("a")(native)
    assert wrapper.__name__ == "native"
    assert wrapper.__qualname__ == native.__qualname__
    assert wrapper.__doc__ == "Say so."
    assert wrapper.__annotations__ == native.__annotations__
    assert inspect.signature(wrapper) == inspect.signature(native)
    assert wrapper.__wrapped__ is native  # type: ignore[attr-defined]


def test_iterators_are_not_consumed() -> None:
    with pytest.raises(TypeError):
        jax_stack(iter([r]))  # type: ignore[call-overload]
