"""The reference backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from flatppl.backend import Executable, Options, Signature
from flatppl.errors import Refusal
from flatppl.numpy_backend import NUMPY
from flatppl.tensor.avals import Aval
from flatppl.tensor.checks import take_checks
from flatppl.tensor.guards import guard_parameters, guard_value
from flatppl.tensor.ops import isnan, log
from flatppl.tensor.primitives import CORE
from flatppl.tensor.program import Builder, Node, close
from flatppl.values.forms import Form, RecordForm, TensorForm

REAL = TensorForm("real")


def compiled(body: Any, inputs: dict[str, TensorForm], outputs: Sequence[Form] | None = None, **options: Any) -> Any:
    builder = Builder(CORE)
    params = [builder.variable(Aval(form.kind, form.shape)) for form in inputs.values()]
    built = body(builder, *params)
    results, flags = take_checks(builder, [built] if isinstance(built, Node) else built)
    forms = outputs or [TensorForm(node.kind, node.shape) for node in results]
    parts = [part for flag in flags for part in (flag.ok, flag.silent)]
    signature = Signature(tuple(inputs.items()), tuple((None, form) for form in forms), len(forms) > 1)
    program = close(params, [*results, *parts], builder.root)
    executable = Executable(program, signature, tuple((f.message, f.category) for f in flags))
    return NUMPY.compile(executable, Options(**options))


def test_values_and_precision() -> None:
    inputs = {"x": REAL, "n": TensorForm("integer")}
    single = compiled(lambda b, x, n: [x * n, n + 1], inputs)
    value, count = single(0.1, n=3)
    assert (value.dtype, count.dtype, count) == (np.float32, np.int32, 4)
    assert value == np.float32(3 * np.float64(np.float32(0.1)))
    double = compiled(lambda b, x, n: [x * n, n + 1], inputs, dtype="float64")
    assert double(0.1, 3) == (0.1 * 3, 4)
    assert double.schema.inputs[1].value.dtype == "int64"


def test_structured_outputs() -> None:
    form = RecordForm((("a", REAL), ("b", REAL)))
    assert compiled(lambda b, x: [x, x + 1.0], {"x": REAL}, [form])(1.0) == {"a": 1.0, "b": 2.0}


def sigma(builder: Builder, s: Node) -> Any:
    return [guard_parameters(log(s), s > 0.0, isnan(s), "sigma is outside its declared value set"), builder.constant(2)]


def test_parameter_checks() -> None:
    quiet = compiled(sigma, {"s": REAL})
    assert quiet(1.0) == (0.0, 2)
    assert np.isnan(quiet(0.0)[0])
    assert quiet(0.0)[1] == 2
    loud = compiled(sigma, {"s": REAL}, checks="raise")
    assert np.isnan(loud(np.nan)[0])
    with pytest.raises(ValueError, match="outside its declared value set"):
        loud(-1.0)


def test_value_checks_always_raise() -> None:
    query = compiled(lambda b, x: guard_value(x, x < 1.0, "too large"), {"x": REAL})
    assert query(0.5) == 0.5
    with pytest.raises(ValueError, match="too large"):
        query(2.0)


def test_options() -> None:
    with pytest.raises(Refusal, match="only cpu"):
        compiled(lambda b, x: x, {"x": REAL}, target="gpu")
    with pytest.raises(ValueError, match="checks"):
        compiled(lambda b, x: x, {"x": REAL}, checks="loud")
    with pytest.raises(ValueError, match="dtype"):
        compiled(lambda b, x: x, {"x": REAL}, dtype="int32")
