"""Jitted programs, shared by equal queries of the whole process."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jax.experimental import checkify

from flatppl.backend import Executable, Signature
from flatppl.boundary import array_shape, assemble, dtypes_of, has_text, spread
from flatppl.tensor.canonical import program_key
from flatppl.values.forms import Form, leaves
from flatppl_jax.checks import apply_checks, needs_checkify
from flatppl_jax.context import Rule
from flatppl_jax.lower import Lowered, lower

__all__ = ["CACHE_SIZE", "Compiled", "ProgramKey", "compiled", "results_of"]

#: Programs that are kept; the least recently used goes first.
CACHE_SIZE = 256


@dataclass(frozen=True, slots=True)
class ProgramKey:
    """Everything that a jitted program depends on; the executable itself does not take part in comparisons."""

    digest: str
    signature: Signature
    flags: tuple[tuple[str, str], ...]
    dtype: str
    checks: str
    autodiff: bool
    rules: frozenset[tuple[str, Rule]]
    executable: Executable = field(compare=False, repr=False)

    @classmethod
    def of(cls, executable: Executable, rules: dict[str, Rule], dtype: str, checks: str, autodiff: bool) -> ProgramKey:
        """Key of an executable, with the rules that it uses."""
        digest = program_key(executable.program)
        used = frozenset(rules.items())
        return cls(digest, executable.signature, executable.flags, dtype, checks, autodiff, used, executable)


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A jitted program.

    Attributes
    ----------
    run : callable
        Takes the inputs as arrays, dicts and tuples of arrays; returns the outputs in the same way, as a flat tuple
        if strings are among them; with ``checked``, the pair of a checkify error and that.
    checked : bool
    lower : callable
        Lowers for the declared shapes and types.
    """

    run: Callable[..., Any]
    checked: bool
    lower: Callable[[], Any]


@functools.lru_cache(maxsize=CACHE_SIZE)
def compiled(key: ProgramKey) -> Compiled:
    """The jitted program of a key."""
    dtypes = dtypes_of(key.dtype)
    lowered = lower(key.executable.program, dict(key.rules), dtypes)
    query = _query(key, lowered)
    checked = needs_checkify(key.flags, key.checks)
    jitted = jax.jit(checkify.checkify(query) if checked else query)
    with jax.ensure_compile_time_eval():
        operands = tuple(jax.device_put(array) for array in lowered.operands)
    run = functools.partial(jitted, operands) if operands else jitted

    def lower_declared() -> Any:
        return (jitted.lower if not operands else functools.partial(jitted.lower, operands))(*_declared(key, dtypes))

    return Compiled(run, checked, lower_declared)


def _query(key: ProgramKey, lowered: Lowered) -> Callable[..., Any]:
    """The function to jit: structured inputs and outputs, checks, large constants first if there are any."""
    signature = key.signature
    flat = lowered.function if key.autodiff else _forward_only(lowered.function)

    def evaluate(operands: Any, args: Any) -> Any:
        arrays = [leaf for (_, form), arg in zip(signature.inputs, args, strict=True) for leaf in spread(form, arg)]
        outputs = apply_checks(flat(operands, arrays), key.flags, key.checks)
        if any(has_text(form) for _, form in signature.outputs):
            return outputs
        return results_of(signature, outputs)

    def query(*args: Any) -> Any:
        return evaluate((), args)

    def query_with_operands(operands: Any, *args: Any) -> Any:
        return evaluate(operands, args)

    query_with_operands.__name__ = query_with_operands.__qualname__ = "query"
    return query_with_operands if lowered.operands else query


def results_of(signature: Signature, arrays: Any) -> Any:
    """Structured outputs of flat ones."""
    flat = iter(arrays)
    outputs = tuple(assemble(form, flat) for _, form in signature.outputs)
    return outputs if signature.multiple else outputs[0]


def _forward_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which refuses to be differentiated."""
    forward = jax.custom_jvp(function)

    @forward.defjvp
    def refuse(primals: Any, tangents: Any) -> Any:
        raise TypeError("the query was compiled with autodiff=False and has no derivatives; compile with autodiff=True")

    return forward


def _declared(key: ProgramKey, dtypes: dict[str, np.dtype[Any]]) -> list[Any]:
    def arguments(form: Form) -> Any:
        return assemble(form, iter([jax.ShapeDtypeStruct(array_shape(x), dtypes[x.kind]) for x in leaves(form)]))

    return [arguments(form) for _, form in key.signature.inputs]
