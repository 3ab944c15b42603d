"""Deep and wide programs are ordinary: no recursion, no blow-up."""

import math

import pytest
from scipy import stats

from flatppl import CompilationError, elaborate, flatppl


def run(source: str, *args: float) -> float:
    return float(flatppl(source).compile(backend="numpy", dtype="float64")(*args))


def test_a_thousand_chained_values() -> None:
    lines = [f"x{i + 1} = x{i} * 0.5 + 1.0" for i in range(1000)]
    assert run("\n".join(["x0 = elementof(reals)", *lines, "inputs = x0", "outputs = x1000"]), 7.0) == pytest.approx(
        2.0
    )


def test_a_thousand_chained_measures() -> None:
    lines = [f"m{i + 1} = weighted(1.001, m{i})" for i in range(1000)]
    value = run("\n".join(["m0 = Normal(0.0, 1.0)", *lines, "outputs = logdensityof(m1000, 0.3)"]))
    assert value == pytest.approx(stats.norm.logpdf(0.3) + 1000 * math.log(1.001))


def test_a_sum_of_five_thousand_terms() -> None:
    assert run(f"x = elementof(reals)\ninputs = x\noutputs = {' + '.join(['x'] * 5000)}", 0.5) == 2500.0


def test_two_thousand_chained_draws() -> None:
    n = 2000
    lines = ["x0 ~ Normal(0.0, 1.0)", *(f"x{i + 1} ~ Normal(x{i}, 1.0)" for i in range(n))]
    law = ", ".join(f"x{i} = x{i}" for i in range(n + 1))
    point = ", ".join(f"x{i} = 0.5" for i in range(n + 1))
    value = run("\n".join([*lines, f"outputs = logdensityof(lawof(record({law})), record({point}))"]))
    assert value == pytest.approx(stats.norm.logpdf(0.5) + n * stats.norm.logpdf(0.0))


def test_twenty_definitions_that_call_the_previous_one_twice() -> None:
    lines = [f"f{i + 1}(x) = 0.5 * (f{i}(x) + f{i}(x))" for i in range(20)]
    module = flatppl("\n".join(["f0(x) = x + 1.0", *lines, "y = elementof(reals)", "inputs = y", "outputs = f20(y)"]))
    assert float(module.compile(backend="numpy", dtype="float64")(2.0)) == 3.0
    # Shared applications: the program grows with the definitions, not with the calls.
    assert len(module._executable().program.nodes) < 100


def test_two_thousand_nested_calls() -> None:
    lines = [f"f{i + 1}(x) = f{i}(x) + 1" for i in range(2000)]
    assert (
        run("\n".join(["f0(x) = x", *lines, "y = elementof(reals)", "inputs = y", "outputs = f2000(y)"]), 0.5) == 2000.5
    )


def test_nesting_beyond_the_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elaborate, "DEPTH_LIMIT", 300)
    lines = [f"m{i + 1} = weighted(1.001, m{i})" for i in range(400)]
    with pytest.raises(CompilationError, match="nested deeper than 300") as caught:
        run("\n".join(["m0 = Normal(0.0, 1.0)", *lines, "outputs = logdensityof(m400, 0.3)"]))
    assert caught.value.code == "depth"
