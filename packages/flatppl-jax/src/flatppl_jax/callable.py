"""A compiled query as Python sees it."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import checkify

from flatppl.backend import Executable, Options
from flatppl.boundary import array_shape, bind, check_shape, dtypes_of, has_text, host_array, normalize
from flatppl.errors import refuse
from flatppl.schema import Schema, schema_of
from flatppl.values.forms import Form, RecordForm, TableForm, TensorForm, TupleForm, leaves
from flatppl_jax.cache import ProgramKey, compiled, results_of
from flatppl_jax.context import Rule
from flatppl_jax.lower import used_primitives
from flatppl_jax.profiles import choose, rules

__all__ = ["Query", "compile_query"]


def compile_query(executable: Executable, options: Options, lowerings: Mapping[str, Rule] | None = None) -> Query:
    """The query as a JAX callable; nothing is traced before the first call.

    Parameters
    ----------
    executable : Executable
    options : Options
    lowerings : mapping of str to Rule, optional
        Rules by primitive, for the profile in question; those of this package by default.

    Raises
    ------
    ValueError
        For an unknown precision or way of checking, and for float64 while x64 is off.
    Refusal
        For an unknown target, derivative engine, or a primitive without a rule.
    """
    dtype = np.dtype(options.dtype).name
    dtypes_of(dtype)
    if options.checks not in ("nan", "raise"):
        raise ValueError(f"checks must be 'nan' or 'raise', not {options.checks!r}")
    if options.autodiff not in (True, False, "jax"):
        refuse("backend", f"no derivative engine {options.autodiff!r}, only 'jax'")
    if dtype == "float64":
        _require_x64("a float64 query")
    profile = choose(options.target)
    table = rules(profile) if lowerings is None else lowerings
    used = used_primitives(executable.program)
    kept = {name: table[name] for name in used if name in table}
    key = ProgramKey.of(executable, kept, dtype, options.checks, bool(options.autodiff))
    return Query(key)


def _require_x64(what: str) -> None:
    if not jax.config.read("jax_enable_x64"):
        raise ValueError(
            f"{what} needs 64-bit types: enable them with jax.enable_x64() (or jax.config) when it is compiled "
            "and when it is called"
        )


class Query:
    """A compiled query: a function of JAX or host values, ready for JAX's transformations.

    Without reported checks it is one jitted function, and works wherever such a function does. With them, a direct
    call raises; under a transformation, wrap the whole computation in ``jax.experimental.checkify.checkify``.

    Parameters
    ----------
    key : ProgramKey
    """

    def __init__(self, key: ProgramKey) -> None:
        program = compiled(key)
        self._key = key
        self._program = program
        self._run = program.run
        self._dtypes = dtypes_of(key.dtype)
        self._names = [name for name, _ in key.signature.inputs]
        self._fits = _matcher([form for _, form in key.signature.inputs], self._dtypes)
        self._plain = not program.checked and not any(has_text(form) for _, form in key.signature.outputs)
        self._wide = _wide(key)
        self._text: str | None = None
        self.__name__ = self.__qualname__ = "query"
        if all(name.isidentifier() and not keyword.iskeyword(name) for name in self._names):
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            self.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in self._names])

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Evaluate the query.

        Raises
        ------
        TypeError, ValueError
            Arguments that do not fit (see :mod:`flatppl.boundary`).
        jax.experimental.checkify.JaxRuntimeError
            A runtime check fails.
        """
        if self._wide is not None:
            _require_x64(self._wide)
        if kwargs or not self._fits(args):
            args = self._convert(args, kwargs)
        if self._plain:
            return self._run(*args)
        result = self._run(*args)
        if self._program.checked:
            error, result = result
            checkify.check_error(error)
        if any(has_text(form) for _, form in self._key.signature.outputs):
            result = results_of(self._key.signature, result)
        return result

    @property
    def stablehlo(self) -> str:
        """Program text of the query, without batch axes."""
        if self._text is None:
            if self._wide is not None:
                _require_x64(self._wide)
            self._text = self._program.lower().as_text()
        return self._text

    @property
    def schema(self) -> Schema:
        """Description of inputs and outputs."""
        return schema_of(self._key.signature, self._dtypes)

    def __repr__(self) -> str:
        return f"<FlatPPL query of ({', '.join(self._names)}), {self._key.dtype}>"

    def _convert(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        values = bind(self._names, args, kwargs)
        inputs = zip(self._key.signature.inputs, values, strict=True)
        return tuple(normalize(form, value, self._leaf, f"input {name!r}") for (name, form), value in inputs)

    def _leaf(self, value: Any, form: TensorForm, label: str) -> Any:
        dtype = self._dtypes[form.kind]
        if isinstance(value, (list, tuple)) and any(isinstance(x, jax.Array) for x in jax.tree.leaves(value)):
            value = _stacked(value, dtype, label)
        if not isinstance(value, jax.Array):
            return host_array(value, form, dtype, label)
        check_shape(value.shape, form, label)
        return _device_array(value, form.kind, dtype, label)


def _wide(key: ProgramKey) -> str | None:
    """What needs 64-bit types, if anything does."""
    if key.dtype == "float64":
        return "a float64 query"
    program = key.executable.program
    states = any(getattr(node.aval, "kind", None) == "rngstate" for node in (*program.params, *program.nodes))
    return "a FlatPPL random state" if states else None


def _device_array(value: Any, kind: str, dtype: np.dtype[Any], label: str) -> Any:
    """A JAX array of the declared type: reals convert, the rest has it already."""
    allowed = {"real": (np.floating, np.integer), "complex": (np.inexact, np.integer)}.get(kind)
    if allowed is None:
        if value.dtype != dtype:
            raise TypeError(f"{label} needs {dtype}, got a JAX array of {value.dtype}")
    elif not any(jnp.issubdtype(value.dtype, group) for group in allowed):
        raise TypeError(f"{label} needs {kind} entries, got a JAX array of {value.dtype}")
    return lax.convert_element_type(value, dtype)


def _stacked(value: Any, dtype: np.dtype[Any], label: str) -> Any:
    """A nested list with JAX arrays in it as one array."""
    if isinstance(value, (list, tuple)):
        parts = [_stacked(part, dtype, label) for part in value]
        if any(part.shape != parts[0].shape for part in parts):
            raise ValueError(f"{label} is no rectangular array")
        return jnp.stack(parts)
    if isinstance(value, jax.Array):
        return value
    return jnp.asarray(value, dtype if dtype.kind in "fc" else None)


def _matcher(forms: list[Form], dtypes: Mapping[str, np.dtype[Any]]) -> Callable[[tuple[Any, ...]], bool]:
    """Fast test whether arguments are JAX arrays of exactly the declared shapes and types."""
    if all(isinstance(form, TensorForm) for form in forms):
        return _flat_matcher([(array_shape(x), dtypes[x.kind]) for form in forms for x in leaves(form)])
    tests = [_test(form, dtypes) for form in forms]

    def fits(args: tuple[Any, ...]) -> bool:
        return len(args) == len(tests) and all(test(arg) for test, arg in zip(tests, args, strict=True))

    return fits


def _flat_matcher(specs: list[tuple[tuple[int, ...], np.dtype[Any]]]) -> Callable[[Any], bool]:
    known: set[type] = set()  # types of JAX arrays and tracers met so far: cheaper to ask than isinstance

    def fits(args: Any) -> bool:
        if len(args) != len(specs):
            return False
        for x, (shape, dtype) in zip(args, specs, strict=True):
            kind = type(x)
            if kind not in known:
                if not isinstance(x, jax.Array):
                    return False
                known.add(kind)
            if x.shape != shape or x.dtype != dtype or x.weak_type:
                return False
        return True

    return fits


def _test(form: Form, dtypes: Mapping[str, np.dtype[Any]]) -> Callable[[Any], bool]:
    match form:
        case TensorForm(kind=kind):
            fits = _flat_matcher([(array_shape(form), dtypes[kind])])
            return lambda x: fits((x,))
        case RecordForm(items) | TableForm(items, _):
            parts = {name: _test(part, dtypes) for name, part in items}
            return lambda x: type(x) is dict and x.keys() == parts.keys() and all(t(x[n]) for n, t in parts.items())
        case TupleForm(items):
            tests = [_test(part, dtypes) for part in items]
            return lambda x: (
                type(x) is tuple and len(x) == len(tests) and all(t(y) for t, y in zip(tests, x, strict=True))
            )
    return lambda x: False
