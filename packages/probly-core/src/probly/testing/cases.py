"""Running case files (probly.md section 11)."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from probly.array_ops import ArrayOps
from probly.dispatch import backends, ops
from probly.testing.vocabulary import vocabulary

__all__ = ["evaluate", "failure", "load", "selected"]

Case = Mapping[str, Any]

_ARRAY = {"dtype", "shape", "data"}
_SPECIAL = {"nan": math.nan, "+inf": math.inf, "-inf": -math.inf}
_RAISES = {"TypeError": TypeError, "ValueError": ValueError, "IndexError": IndexError}


def load(path: Path | str) -> list[Case]:
    """Cases of a file.

    Raises
    ------
    ValueError
        If the file's own count differs from the number of cases.
    """
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    cases: list[Case] = content["cases"]
    if content["meta"]["count"] != len(cases):
        raise ValueError(f"{path}: meta.count is {content['meta']['count']}, there are {len(cases)} cases")
    return cases


def selected(cases: Sequence[Case], backend: str | None = None) -> Iterator[tuple[Case, str]]:
    """Each case with each installed backend that it names, or with the given one alone."""
    names = list(backends()) if backend is None else [backend]
    return ((case, name) for case in cases for name in names if name in case["backends"])


def failure(case: Case, backend: str) -> str | None:
    """Run one case; None if it holds, else what is wrong."""
    expect = case["expect"]
    try:
        if "raises" in expect:
            return _not_raised(case, backend, expect["raises"])
        result = evaluate(case["call"], case["inputs"], backend)
        return _difference(ops(backend), result, expect["value"], expect.get("atol", 0.0), "value")
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def evaluate(call: str, inputs: Mapping[str, Any], backend: str) -> Any:
    """Value of a case's expression; every array is made anew."""
    decoded = {name: _decode(ops(backend), value) for name, value in inputs.items()}
    return eval(call, {**vocabulary(backend), **decoded})


def _decode(ops: ArrayOps, value: Any) -> Any:
    if not (isinstance(value, dict) and set(value) == _ARRAY):
        return value
    return ops.asarray(np.array(_numbers(value["data"]), dtype=value["dtype"]).reshape(value["shape"]))


def _numbers(data: Any) -> Any:
    if isinstance(data, list):
        return [_numbers(item) for item in data]
    if isinstance(data, dict):
        return complex(data["re"], data["im"])
    return _SPECIAL.get(data, data) if isinstance(data, str) else data


def _not_raised(case: Case, backend: str, names: str) -> str | None:
    """Check that each expression of a tuple display, or the only one, raises."""
    wanted = tuple(_RAISES[name] for name in names.split(" or "))
    for expression in _expressions(case["call"]):
        try:
            evaluate(expression, case["inputs"], backend)
        except wanted:
            continue
        except Exception as error:
            return f"{expression}: {type(error).__name__} instead of {names}: {error}"
        return f"{expression}: no {names} was raised"
    return None


def _expressions(call: str) -> list[str]:
    body = ast.parse(call, mode="eval").body
    return [ast.unparse(item) for item in body.elts] if isinstance(body, ast.Tuple) else [call]


def _difference(ops: ArrayOps, result: Any, value: Any, atol: float, where: str) -> str | None:
    """What distinguishes a result from an expected value, or None."""
    if isinstance(value, dict) and set(value) == _ARRAY:
        return _array_difference(ops, result, value, atol, where)
    if isinstance(value, dict):
        if not isinstance(result, dict) or set(result) != set(value):
            return f"{where}: {result!r} has not the keys {sorted(value)}"
        return _first(_difference(ops, result[key], value[key], atol, f"{where}[{key!r}]") for key in value)
    if isinstance(value, list):
        items = result if isinstance(result, tuple | list) else _nested(ops, result)
        if not isinstance(items, tuple | list) or len(items) != len(value):
            return f"{where}: {result!r} is no sequence of {len(value)}"
        pairs = enumerate(zip(items, value, strict=True))
        return _first(_difference(ops, item, wanted, atol, f"{where}[{i}]") for i, (item, wanted) in pairs)
    return _scalar_difference(ops, result, value, atol, where)


def _first(differences: Iterator[str | None]) -> str | None:
    return next((each for each in differences if each is not None), None)


def _as_numpy(ops: ArrayOps, result: Any) -> np.ndarray[Any, Any] | None:
    """Return arrays and numbers as NumPy arrays, None for anything else."""
    if ops.is_array(result):
        return np.asarray(ops.to_numpy(result))
    return np.asarray(result) if isinstance(result, bool | int | float | complex | np.generic) else None


def _nested(ops: ArrayOps, result: Any) -> Any:
    array = _as_numpy(ops, result)
    return None if array is None else array.tolist()


def _array_difference(ops: ArrayOps, result: Any, value: Mapping[str, Any], atol: float, where: str) -> str | None:
    array = _as_numpy(ops, result)
    if array is None:
        return f"{where}: {type(result).__name__} is no array"
    wanted = np.array(_numbers(value["data"]), dtype=value["dtype"]).reshape(value["shape"])
    if array.shape != wanted.shape:
        return f"{where}: shape {array.shape}, expected {wanted.shape}"
    if _kind(array) != _kind(wanted):
        return f"{where}: dtype {array.dtype}, expected {wanted.dtype}"
    return None if _close(array, wanted, atol) else f"{where}: {array.tolist()}, expected {wanted.tolist()}"


def _scalar_difference(ops: ArrayOps, result: Any, value: Any, atol: float, where: str) -> str | None:
    array = _as_numpy(ops, result)
    if array is None or array.shape:
        return f"{where}: {result!r} is no number, expected {value!r}"
    if (array.dtype.kind == "b") != isinstance(value, bool):
        return f"{where}: {result!r}, expected {value!r}"
    wanted = np.asarray(_SPECIAL.get(value, value) if isinstance(value, str) else value)
    return None if _close(array, wanted, atol) else f"{where}: {result!r}, expected {value!r}"


def _kind(array: np.ndarray[Any, Any]) -> str:
    return {"b": "boolean", "i": "integer", "u": "integer", "f": "floating", "c": "complex"}.get(
        array.dtype.kind, "other"
    )


def _close(array: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], atol: float) -> bool:
    if array.dtype.kind in "biu" and wanted.dtype.kind in "biu":
        return bool(np.array_equal(array, wanted))
    tolerance = max(atol, 1e-5) if array.dtype in (np.float32, np.complex64) else atol
    return bool(np.allclose(array, wanted, rtol=0.0, atol=tolerance, equal_nan=True))
