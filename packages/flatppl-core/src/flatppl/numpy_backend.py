"""The reference backend: evaluates a program with NumPy and SciPy, operation by operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flatppl.backend import Executable, Options
from flatppl.boundary import assemble, bind, dtypes_of, host_array, normalize, spread
from flatppl.errors import refuse
from flatppl.schema import Schema, schema_of
from flatppl.tensor.evaluate import evaluate_nodes
from flatppl.values.forms import TensorForm

__all__ = ["NUMPY", "NumpyBackend", "NumpyQuery"]

_EXACT = dtypes_of("float64")


@dataclass(frozen=True, slots=True)
class NumpyBackend:
    """Backend ``numpy``, the oracle of the others. It has one profile, and no derivatives."""

    name: str = "numpy"
    profiles: tuple[str, ...] = ("cpu",)

    def profile(self, target: str | None) -> str:
        """Name of the profile that a target means."""
        if target not in (None, *self.profiles):
            refuse("backend", f"backend 'numpy' has no profile {target!r}, only {', '.join(self.profiles)}")
        return self.profiles[0]

    def session(self, dtype: str) -> AbstractContextManager[None]:
        """What a precision needs around compile and call: nothing."""
        return nullcontext()

    def compile(
        self, executable: Executable, options: Options, lowerings: Mapping[str, Any] | None = None
    ) -> NumpyQuery:
        """The query as a callable of NumPy arrays; lowerings are not used, primitives evaluate themselves.

        Raises
        ------
        ValueError
            For an unknown precision or way of checking.
        Refusal
            For an unknown target.
        """
        self.profile(options.target)
        if options.checks not in ("nan", "raise"):
            raise ValueError(f"checks must be 'nan' or 'raise', not {options.checks!r}")
        return NumpyQuery(executable, np.dtype(options.dtype).name, options.checks)


class NumpyQuery:
    """A compiled query.

    Inputs and outputs have the chosen precision; arithmetic is always float64. With ``float32``, inputs are
    rounded first and results last.

    Parameters
    ----------
    executable : Executable
    precision : str
        ``float32`` or ``float64``.
    checks : str
        ``nan`` or ``raise``.
    """

    def __init__(self, executable: Executable, precision: str, checks: str) -> None:
        self._executable = executable
        self._dtypes = dtypes_of(precision)
        self._checks = checks
        self._names = [name for name, _ in executable.signature.inputs]

    @property
    def schema(self) -> Schema:
        """Description of inputs and outputs."""
        return schema_of(self._executable.signature, self._dtypes)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Evaluate the query.

        Raises
        ------
        TypeError, ValueError
            Arguments that do not fit (see :mod:`flatppl.boundary`); ValueError also for a runtime check that fails.
        """
        executable, signature = self._executable, self._executable.signature
        program = executable.program
        leaves: list[Any] = []
        for (name, form), value in zip(signature.inputs, bind(self._names, args, kwargs), strict=True):
            leaves += spread(form, normalize(form, value, self._leaf, f"input {name!r}"))
        values = {param.number: leaf for param, leaf in zip(program.params, leaves, strict=True)}
        results = evaluate_nodes(program.nodes, program.results, values)
        kinds = [result.kind for result in program.results]
        count = len(results) - 2 * len(executable.flags)
        fine = self._check(results[count:])
        arrays = iter([self._result(x, kind, fine) for x, kind in zip(results[:count], kinds, strict=False)])
        outputs = tuple(assemble(form, arrays) for _, form in signature.outputs)
        return outputs if signature.multiple else outputs[0]

    def _leaf(self, value: Any, form: TensorForm, label: str) -> NDArray[Any]:
        return host_array(value, form, self._dtypes[form.kind], label).astype(_EXACT[form.kind])

    def _check(self, pairs: Sequence[Any]) -> bool:
        """Whether no check is violated; raises the first one to report."""
        for (message, category), silent in zip(self._executable.flags, pairs[1::2], strict=True):
            if not silent and (category != "parameter" or self._checks == "raise"):
                raise ValueError(message)
        return all(bool(ok) for ok in pairs[::2])

    def _result(self, x: Any, kind: str, fine: bool) -> Any:
        with np.errstate(over="ignore"):
            array = np.asarray(x).astype(self._dtypes[kind])
        if not fine and kind in ("real", "complex"):
            array = np.full_like(array, np.nan)
        return array[()]


#: The backend as a plugin offers it.
NUMPY = NumpyBackend()
