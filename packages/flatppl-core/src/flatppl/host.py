"""The facade: Context, Module, Binding, and the function ``flatppl``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np

from flatppl import base
from flatppl.backend import Executable, Options
from flatppl.boundary import constant_value
from flatppl.errors import CompilationError, Refusal, nearest
from flatppl.frames import Unit
from flatppl.graph.nodes import Builtin, Call
from flatppl.integration import Integration
from flatppl.loader import Loader
from flatppl.pipeline import Elaboration, elaborate
from flatppl.registry import Registry, default_registry, quarantine_note
from flatppl.spans import Source
from flatppl.values.forms import describe
from flatppl.values.sets import Set

__all__ = ["Binding", "Context", "Module", "flatppl"]


class Context:
    """Append-only registry of named modules and immutable snapshots of source files.

    Parameters
    ----------
    registry : Registry, optional
        Plugins; those installed by default.
    """

    def __init__(self, registry: Registry | None = None) -> None:
        self._plugins = registry

    @property
    def plugins(self) -> Registry:
        """What the plugins offer."""
        if self._plugins is None:
            self._plugins = default_registry()
        return self._plugins

    @cached_property
    def base_names(self) -> frozenset[str]:
        """Every name of ``base``."""
        return base.names(self.plugins)

    @cached_property
    def loader(self) -> Loader:
        """Resolved modules by name and file."""
        return Loader(self.base_names, quarantine_note(self.plugins))

    def load(self, path: str | os.PathLike[str]) -> Module:
        """Module of a file, or of a directory's ``main.flatppl``.

        Raises
        ------
        CompilationError
            The file cannot be read, or its text is refused.
        """
        try:
            return Module(self, self.loader.file(os.fspath(path)), {})
        except Refusal as refusal:
            where = Source(os.fspath(path), "")
            raise CompilationError(refusal.code, refusal.message, None, source=where) from None

    def register(self, name: str, module: Module) -> None:
        """Make a module loadable as ``load_module(name)``; names cannot be replaced.

        Raises
        ------
        ValueError
            The name is taken, or the module belongs to another context.
        """
        if name in self.loader.named:
            raise ValueError(f"{name!r} is registered already; a context is append-only")
        if module.context is not self:
            raise ValueError("the module belongs to another context")
        self.loader.register(name, module.unit)


@dataclass(frozen=True, slots=True)
class Binding:
    """A public binding of a module.

    Attributes
    ----------
    module : Module
    name : str
    phase : str
        ``fixed``, ``parameterized`` or ``stochastic``.
    span : tuple of int
        Offsets of the statement's text.
    doc : str or None
        The doc-comment.
    """

    module: Module
    name: str
    phase: str
    span: tuple[int, int]
    doc: str | None = None

    @property
    def value_type(self) -> str:
        """What the binding is, in the words of the language."""
        return self.module._describe(self.name)


class Module:
    """An immutable FlatPPL module; see :func:`flatppl`."""

    def __init__(self, context: Context, unit: Unit, constants: Mapping[str, Callable[..., Any]]) -> None:
        self._context = context
        self._unit = unit
        self._constants = dict(constants)
        self._compiled: dict[Any, Callable[..., Any]] = {}
        self._elaborated: dict[Integration | None, Executable] = {}

    @property
    def context(self) -> Context:
        """The context that the module belongs to."""
        return self._context

    @property
    def unit(self) -> Unit:
        """The resolved graph and its dependencies."""
        return self._unit

    @property
    def source(self) -> str:
        """The text."""
        return self._unit.graph.source.text

    @property
    def source_name(self) -> str:
        """Label of the text in messages."""
        return self._unit.graph.source.name

    @cached_property
    def bindings(self) -> Mapping[str, Binding]:
        """Read-only mapping of public names to bindings."""
        return MappingProxyType({name: self._binding(name) for name in self._unit.public()})

    def _binding(self, name: str) -> Binding:
        node = self._unit.graph.bindings[name]
        return Binding(self, name, self._unit.dependencies.phase(name), (node.span.start, node.span.end), node.doc)

    def __getattr__(self, name: str) -> Binding:
        if not name.startswith("_") and name in self.bindings:
            return self.bindings[name]
        raise AttributeError(f"module {self.source_name} has no binding {name!r}")

    def __dir__(self) -> Iterator[str]:
        return iter([*super().__dir__(), *self.bindings])

    def set(self, **constants: Any) -> Module:
        """A module in which ``external`` bindings have values.

        Parameters
        ----------
        **constants
            Host values by binding name: numbers, arrays, mappings for records and tables.

        Raises
        ------
        TypeError
            The binding is no ``external``, or the value has another structure.
        ValueError
            The value does not lie in the declared set, or has another shape.
        """
        fixed = dict(self._constants)
        for name, value in constants.items():
            fixed[name] = self._checked_constant(name, value)
        return Module(self._context, self._unit, fixed)

    def _checked_constant(self, name: str, value: Any) -> Callable[..., Any]:
        binding = self._unit.graph.bindings.get(name)
        expr = binding.expr if binding is not None else None
        head = expr.head.name if isinstance(expr, Call) and isinstance(expr.head, Builtin) else ""
        if head != "external":
            what = "is no external binding" if binding is not None else "is not defined"
            raise TypeError(f"{name!r} {what}{nearest(name, self.bindings)}")
        assert isinstance(expr, Call)
        with _Reported(self):
            elaboration = self._elaboration()
            region = elaboration.value(expr.args[0])
            assert isinstance(region, Set)
            form = region.form()

            def make(builder: Any) -> Any:
                return constant_value(form, value, builder, name)

            inside = region.contains(make(elaboration.builder))
        fixed_answer = getattr(inside, "constant", inside)
        if fixed_answer is not None and not np.all(np.asarray(fixed_answer)):
            raise ValueError(f"{name}: the value does not lie in {region.describe()}")
        return make

    def query(self, inputs: Any = None, outputs: Any = None) -> Module:
        """The same model with another signature.

        Parameters
        ----------
        inputs : str or sequence of str, optional
            Names of bindings; those of the module by default.
        outputs : str or sequence of str, optional
            FlatPPL expressions over the module's bindings.
        """
        graph = self._unit.graph
        lines = [_signature("inputs", inputs), _signature("outputs", outputs)]
        replaced = [name for name, value in (("inputs", inputs), ("outputs", outputs)) if value is not None]
        text = self.source
        for name in replaced:
            if name in graph.bindings:
                span = graph.bindings[name].span
                text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
        text = "\n".join([text, *[line for line in lines if line]]) + "\n"
        source = Source(graph.source.name, text, graph.source.path)
        return Module(self._context, self._context.loader.unit(source, self._unit.chain), self._constants)

    def compile(
        self,
        *,
        backend: str = "jax",
        dtype: Any = "float32",
        checks: str = "nan",
        target: str | None = None,
        autodiff: bool | str = True,
        integration: Integration | None = None,
    ) -> Callable[..., Any]:
        """The query as a callable.

        Parameters
        ----------
        backend : str
            ``jax`` (package flatppl-jax) or ``numpy`` (built in, the reference).
        dtype : str or dtype
            ``float32`` or ``float64``; float64 on JAX needs x64 enabled at compile and call.
        checks : str
            ``nan``: a distribution parameter outside its set makes the call's floating results NaN. ``raise``: it
            is reported through checkify.
        target : str, optional
            Lowering profile, ``cpu`` or ``gpu``; from the default backend if None.
        autodiff : bool or str
            False refuses differentiation; a name chooses a derivative engine.

        integration : Integration, optional
            Allows numerical marginals and normalizers where no exact rule applies; exact rules only if None.

        Returns
        -------
        callable
            Takes the inputs by position or name; see its ``schema`` and ``stablehlo``.

        Raises
        ------
        CompilationError
            The model or the query is refused.
        ValueError
            An option has no such value.
        """
        options = Options(_dtype_name(dtype), _one_of("checks", checks, ("nan", "raise")), target, autodiff)
        if integration is not None and not isinstance(integration, Integration):
            raise TypeError(f"integration must be an Integration, got {type(integration).__name__}")
        key = (backend, options, integration)
        if key not in self._compiled:
            engine = self._backend(backend)
            with _Reported(self):
                lowerings = self._context.plugins.lowerings(backend, engine.profile(target))
                self._compiled[key] = engine.compile(self._executable(integration), options, lowerings)
        return self._compiled[key]

    def _backend(self, name: str) -> Any:
        backends = self._context.plugins.backends
        if name in backends:
            return backends[name]
        if name == "jax":
            hint = "install the package flatppl-jax, or compile(backend='numpy')"
        else:
            hint = f"installed: {', '.join(sorted(backends))}{nearest(name, backends)}"
        note = quarantine_note(self._context.plugins)
        raise CompilationError("backend", f"no backend {name!r}: {hint}{note}", None, source=self._unit.graph.source)

    def _executable(self, integration: Integration | None = None) -> Executable:
        if integration not in self._elaborated:
            with _Reported(self):
                self._elaborated[integration] = elaborate(self._elaboration(integration))
        return self._elaborated[integration]

    def _elaboration(self, integration: Integration | None = None) -> Elaboration:
        return Elaboration(self._unit, self._context.plugins, self._context.loader.find, self._constants, integration)

    def errors(self) -> list[CompilationError]:
        """Errors of all bindings, and of the query if there is one; one per place."""
        found: list[CompilationError] = []
        elaboration = self._elaboration()
        bindings = self._unit.graph.bindings
        whole = [name for name in bindings if self._unit.dependencies.reach(name) <= bindings.keys()]
        for name in whole:
            if name not in ("inputs", "outputs"):
                found += self._errors_of(partial(elaboration.binding, name))
        if "outputs" in whole and not found:
            found += self._errors_of(self._executable)
        return list({str(error): error for error in found}.values())

    def _errors_of(self, attempt: Callable[[], Any]) -> list[CompilationError]:
        try:
            with _Reported(self):
                attempt()
        except CompilationError as error:
            return [error]
        return []

    def _describe(self, name: str) -> str:
        with _Reported(self):
            return describe(self._elaboration().binding(name))


class _Reported:
    """Turn a refusal inside into a CompilationError of the module."""

    def __init__(self, module: Module) -> None:
        self.source = module.unit.graph.source
        self.chain = module.unit.chain

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Refusal):
            raise CompilationError(
                error.code, error.message, error.span, source=self.source, import_chain=self.chain, trail=error.trail
            ) from None


def _signature(name: str, entries: Any) -> str:
    if entries is None:
        return ""
    listed = [entries] if isinstance(entries, str) else list(entries)
    return (
        f"{name} = {listed[0]}" if isinstance(entries, str) or len(listed) == 1 else f"{name} = ({', '.join(listed)})"
    )


def _one_of(option: str, value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ValueError(f"{option} must be {' or '.join(map(repr, known))}, got {value!r}")
    return value


def _dtype_name(dtype: Any) -> str:
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or str(dtype)
    return _one_of("dtype", name, ("float32", "float64"))


def flatppl(
    source: str,
    *,
    context: Context | None = None,
    name: str | None = None,
    source_path: str | os.PathLike[str] | None = None,
) -> Module:
    """Parse FlatPPL text.

    Parameters
    ----------
    source : str
        The text; Python variables are never captured.
    context : Context, optional
        Registry for ``load_module``; a fresh one by default.
    name : str, optional
        Logical origin, for messages and relative registry imports.
    source_path : path, optional
        Host file that relative file imports resolve against.

    Returns
    -------
    Module

    Raises
    ------
    CompilationError
        The text has a syntax or name error.

    Examples
    --------
    >>> f = flatppl('''
    ... x = elementof(reals)
    ... inputs = x
    ... outputs = logdensityof(Normal(0.0, 1.0), x)
    ... ''').compile(backend="numpy", dtype="float64")
    >>> round(float(f(0.5)), 6)
    -1.043939
    """
    if not isinstance(source, str):
        raise TypeError(f"source must be FlatPPL text, got {type(source).__name__}")
    owner = context or Context()
    path = os.path.realpath(source_path) if source_path is not None else None
    label = name or (os.fspath(source_path) if source_path is not None else "<flatppl>")
    return Module(owner, owner.loader.unit(Source(label, source, path)), {})
