"""Run acceptance files: ``python -m flatppl.testing CASES.json [--backend NAME] [--dtype NAME]``.

A file is a list of *value* cases (``source``, ``inputs``, ``expected``) or *refusal* cases (``expected: "refuse"``,
``construct``, ``accept_twin``). One line per failing case, then ``N passed, N failed``; exit status 1 on a failure.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from flatppl.errors import CompilationError
from flatppl.host import Context, Module, flatppl
from flatppl.integration import Integration

__all__ = ["check_case", "main"]

#: Absolute and relative tolerance; a case's own ``tol`` replaces the relative one in float64.
TOLERANCES = {"float64": (1e-12, 1e-9), "float32": (2e-5, 2e-4)}


def check_case(case: Mapping[str, Any], context: Context, backend: str, dtype: str) -> str | None:
    """What is wrong with the library's answer to a case, or None.

    Parameters
    ----------
    case : mapping
    context : Context
    backend : str
    dtype : str
        ``float32`` or ``float64``.
    """
    if case["expected"] == "refuse":
        return _check_refusal(case, context, backend, dtype)
    return _check_value(case, case["source"], case.get("inputs", {}), case["expected"], (context, backend, dtype))


def _check_value(
    case: Mapping[str, Any], source: str, inputs: Mapping[str, Any], expected: Any, setting: tuple[Context, str, str]
) -> str | None:
    context, backend, dtype = setting
    try:
        got = _call(flatppl(source, context=context), inputs, backend, dtype, _settings(case, dtype))
    except CompilationError as error:
        return f"refused: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return _compare(got, expected, case.get("tol"), dtype)


def _settings(case: Mapping[str, Any], dtype: str) -> Integration | None:
    """Numerical integration for cases that ask for it."""
    if "integration" not in (case.get("needs") or ""):
        return None
    return Integration(rtol=1e-10 if dtype == "float64" else 1e-5, max_intervals=512)


def _call(
    module: Module, inputs: Mapping[str, Any], backend: str, dtype: str, settings: Integration | None = None
) -> list[float]:
    with module.context.plugins.backends[backend].session(_session(module.source, dtype)):
        result = module.compile(backend=backend, dtype=dtype, integration=settings)(**inputs)
        return _numbers(result)


def _session(source: str, dtype: str) -> str:
    """Precision of the session: random states are 64 bits wide whatever the query's dtype."""
    return "float64" if "rnginit" in source or "rngstates" in source else dtype


def _numbers(result: Any) -> list[float]:
    if isinstance(result, Mapping):
        return [x for part in result.values() for x in _numbers(part)]
    if isinstance(result, (tuple, list)):
        return [x for part in result for x in _numbers(part)]
    flat: Any = result.tolist() if hasattr(result, "tolist") else result
    return _numbers(flat) if isinstance(flat, list) else [float(flat)]


def _compare(got: Sequence[float], expected: Any, tol: float | None, dtype: str) -> str | None:
    wanted = _numbers(expected)
    if len(got) != len(wanted):
        return f"{len(got)} numbers instead of {len(wanted)}"
    absolute, relative = TOLERANCES[dtype]
    if tol is not None and dtype == "float64":
        relative = tol
    for have, want in zip(got, wanted, strict=True):
        close = have == want if math.isinf(want) else abs(have - want) <= absolute + relative * abs(want)
        if not close:
            return f"got {have!r}, expected {want!r}"
    return None


def _check_refusal(case: Mapping[str, Any], context: Context, backend: str, dtype: str) -> str | None:
    source = case["source"]
    try:
        got = _call(flatppl(source, context=context), case.get("inputs", {}), backend, dtype)
    except CompilationError as error:
        wrong = _misplaced(error, source, case["construct"])
        return wrong or _check_twin(case, context, backend, dtype)
    except Exception as error:
        return f"{type(error).__name__} instead of a refusal: {error}"
    if not case.get("optional"):
        return f"answered {got} instead of refusing"
    return _compare(got, case["answer"], case.get("tol"), dtype) or _check_twin(case, context, backend, dtype)


def _misplaced(error: CompilationError, source: str, construct: str) -> str | None:
    if error.span is None:
        return f"refused without a span: {error}"
    start = source.index(construct)
    if start <= error.span.start and error.span.end <= start + len(construct):
        return None
    return f"refused at {error.span.text!r}, outside {construct!r}"


def _check_twin(case: Mapping[str, Any], context: Context, backend: str, dtype: str) -> str | None:
    twin = case["accept_twin"]
    if "twin_expected" in case:
        wrong = _check_value(case, twin, case.get("twin_inputs", {}), case["twin_expected"], (context, backend, dtype))
    else:
        wrong = _compiles(twin, context, backend, dtype)
    return None if wrong is None else f"twin: {wrong}"


def _compiles(source: str, context: Context, backend: str, dtype: str) -> str | None:
    try:
        with context.plugins.backends[backend].session(_session(source, dtype)):
            flatppl(source, context=context).compile(backend=backend, dtype=dtype)
    except CompilationError as error:
        return f"refused: {error}"
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of ``python -m flatppl.testing``; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m flatppl.testing", description="Run a FlatPPL acceptance file.")
    parser.add_argument("cases", type=Path, help="JSON file of value or refusal cases")
    parser.add_argument("--backend", default="numpy", choices=("numpy", "jax"))
    parser.add_argument("--dtype", default="float64", choices=tuple(TOLERANCES))
    parser.add_argument("--foundation", action="store_true", help="only cases marked as foundation")
    options = parser.parse_args(arguments)
    cases = json.loads(options.cases.read_text(encoding="utf-8"))
    if options.foundation:
        cases = [case for case in cases if case.get("foundation")]
    if options.dtype == "float32":
        cases = [case for case in cases if case.get("float32", True)]
    context, failed = Context(), 0
    for case in cases:
        wrong = check_case(case, context, options.backend, options.dtype)
        if wrong is not None:
            failed += 1
            print(f"FAILED {case['name']}: {wrong}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
