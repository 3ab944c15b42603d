"""States leave as arrays, become bytes, and come back."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from flatppl import CompilationError, flatppl, rngstate_bytes

SOURCE = """
bytes = elementof(cartpow(integers, 24))
again = rngstate(bytes)
inputs = bytes
outputs = rand(again, iid(Normal(0.0, 1.0), 3))
"""
STATE = np.array([2**63 + 12345, 7], np.uint64)


@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_a_state_goes_on_where_it_was(backend: str) -> None:
    direct = SOURCE.replace(
        "bytes = elementof(cartpow(integers, 24))\nagain = rngstate(bytes)", "s = external(rngstates)"
    )
    direct = direct.replace("inputs = bytes", "inputs = s").replace("rand(again", "rand(s")
    with jax.enable_x64(True):
        expected, after = flatppl(direct).compile(backend=backend)(STATE)
        value, left = flatppl(SOURCE).compile(backend=backend)(rngstate_bytes(STATE))
    np.testing.assert_array_equal(value, expected)
    np.testing.assert_array_equal(left, after)
    assert list(map(int, left)) == [2**63 + 12345, 8]


def test_written_in_the_model() -> None:
    source = SOURCE.replace("elementof(cartpow(integers, 24))", str(rngstate_bytes(STATE).tolist()))
    query = flatppl(source.replace("inputs = bytes\n", "")).compile(backend="numpy")
    assert list(map(int, query()[1])) == [2**63 + 12345, 8]


@pytest.mark.parametrize("backend", ["numpy", "jax"])
@pytest.mark.parametrize("place", [0, 7, 23])
def test_foreign_bytes_are_rejected(place: int, backend: str) -> None:
    foreign = rngstate_bytes(STATE)
    foreign[place] = 300 if place == 23 else foreign[place] + 1
    with jax.enable_x64(True), pytest.raises(ValueError, match="no state of this engine"):
        flatppl(SOURCE).compile(backend=backend)(foreign)
    literal = SOURCE.replace("elementof(cartpow(integers, 24))", str(foreign.tolist())).replace("inputs = bytes\n", "")
    with pytest.raises(CompilationError, match="no state of this engine"):
        flatppl(literal).compile(backend="numpy")


def test_another_length_is_refused() -> None:
    with pytest.raises(CompilationError, match="vector of 24 bytes"):
        flatppl("outputs = rand(rngstate([1, 2, 3]), Normal(0.0, 1.0))").compile(backend="numpy")


@pytest.mark.parametrize("state", [np.array([1, 2]), np.array([1, 2, 3], np.uint64), [1.0, 2.0]])
def test_only_states_become_bytes(state: object) -> None:
    with pytest.raises(ValueError, match="uint64"):
        rngstate_bytes(state)


def test_a_process_says_what_can_be_drawn() -> None:
    source = "outputs = rand(rnginit(1), PoissonProcess(weighted(4.0, Normal(0.0, 1.0))))"
    with pytest.raises(CompilationError, match="BinnedPoissonProcess") as caught:
        flatppl(source).compile(backend="numpy")
    assert "random number of points" in str(caught.value)
