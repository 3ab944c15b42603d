"""How a backend's native functions map to the operations that probly defines once.

An *operation* is a canonical name, such as ``"mean"``, with one implementation in this package. A *spelling* is a
native function that means it: ``numpy.mean``, ``jax_mean``, ``torch.mean``, ``torch.Tensor.mean``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from probly.errors import NotPermittedError

__all__ = ["KEEP", "FunctionTable", "Operation", "Spelling", "Step", "bind", "elementwise_spellings"]

#: ``operation(func, *arguments)`` returns a result or ``NotImplemented``; ``func`` is the native function.
Operation = Callable[..., Any]

#: What an operation did to the batch axes, for objects that track one: ``("transpose", (1, 0))``. The kinds are the
#: keys of ``probly.representation.sample.tracking.RULES``.
Step = tuple[str, Any]

#: An operation, how many leading arguments it takes as a native call gives them, and canonical names of keywords.
_Route = tuple[Operation, int, Mapping[str, str]]

#: The step of an operation that leaves every batch axis as it is.
KEEP: Step = ("keep", None)


@dataclass(frozen=True, slots=True)
class Spelling:
    """One native function that means an operation.

    Parameters
    ----------
    name : str
        Canonical name of the operation, a key of ``probly.representation._protected_axis.operations.OPERATIONS``.
    parameters : tuple of str
        Canonical names of the native function's positional parameters, in its own order.
    keywords : mapping of str to str
        Native keyword to canonical name, where they differ (Torch: ``{"dim": "axis", "input": "a"}``).
    defaults : mapping of str to object
        Canonical arguments that the native function assumes and the operation does not (Torch's ``std``: ``ddof=1``).
    positional : bool
        The operation takes its operands by position (all operators).
    """

    name: str
    parameters: tuple[str, ...]
    keywords: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    positional: bool = False


def bind(spelling: Spelling, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a native call by canonical name.

    Examples
    --------
    >>> bind(Spelling("mean", ("a", "axis"), {"dim": "axis"}), ("x",), {"dim": 0})
    {'a': 'x', 'axis': 0}
    """
    if len(args) > len(spelling.parameters):
        raise TypeError(f"{spelling.name} takes {len(spelling.parameters)} positional arguments, not {len(args)}")
    bound = {**spelling.defaults, **dict(zip(spelling.parameters, args, strict=False))}
    given = spelling.parameters[: len(args)]
    for keyword, value in kwargs.items():
        name = spelling.keywords.get(keyword, keyword)
        if name in given:
            raise TypeError(f"{spelling.name} got several values for {keyword!r}")
        bound[name] = value
    return bound


@dataclass(frozen=True, slots=True, eq=False)
class FunctionTable:
    """All native functions of a backend that representations answer to.

    Parameters
    ----------
    spellings : mapping of callable to Spelling
        The first spelling of a name is the backend's preferred one; operators and methods use it as their key.
    operations : mapping of str to operation
        What each canonical name does.
    structural : frozenset of str
        Names that need no permission.

    Attributes
    ----------
    natives : mapping of str to callable
        Preferred native function of each name; the operation itself where the library has no such function.
    names : mapping of callable to str
        The reverse, for all spellings.
    """

    spellings: Mapping[Callable[..., Any], Spelling]
    operations: Mapping[str, Operation]
    structural: frozenset[str]
    natives: Mapping[str, Callable[..., Any]] = field(init=False)
    names: Mapping[Callable[..., Any], str] = field(init=False)
    _routes: Mapping[Callable[..., Any], _Route] = field(init=False)

    def __post_init__(self) -> None:
        natives: dict[str, Callable[..., Any]] = {}
        names: dict[Callable[..., Any], str] = {operation: name for name, operation in self.operations.items()}
        for func, spelling in self.spellings.items():
            if spelling.name not in self.operations:
                raise TypeError(f"{func!r} is a spelling of {spelling.name!r}, which is no operation")
            if not spelling.positional:
                _check_parameters(spelling, self.operations[spelling.name])
            natives.setdefault(spelling.name, func)
            names[func] = spelling.name
        object.__setattr__(self, "natives", {**self.operations, **natives})
        object.__setattr__(self, "names", names)
        routes = {func: _route(spelling, self.operations[spelling.name]) for func, spelling in self.spellings.items()}
        object.__setattr__(self, "_routes", routes)

    def name_of(self, func: object) -> str | None:
        """Canonical name of a native function, or None."""
        return self.names.get(func) if callable(func) else None

    def call(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None) -> Any:
        """Answer a native call; ``NotImplemented`` if it is unknown or an operand declines."""
        route = self._routes.get(func)
        if route is None:
            return NotImplemented
        operation, direct, keywords = route
        if len(args) <= direct:
            if not kwargs:
                return operation(func, *args)
            named = {}
            for key, value in kwargs.items():
                named[keywords.get(key, key)] = value
            return operation(func, *args, **named)
        return operation(func, **bind(self.spellings[func], args, kwargs or {}))

    def run(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Run an operation by its canonical name, keyed by the preferred native function.

        Raises
        ------
        NotPermittedError
            If an operand declines.
        """
        result = self.operations[name](self.natives[name], *args, **kwargs)
        if result is NotImplemented:
            raise NotPermittedError(f"{name} is not permitted on {', '.join(type(arg).__name__ for arg in args)}")
        return result


def _route(spelling: Spelling, operation: Operation) -> _Route:
    """How calls reach an operation; decided once, because calls are short."""
    if spelling.positional:
        return operation, sys.maxsize, {}
    if spelling.defaults:
        return operation, -1, {}
    names = tuple(inspect.signature(operation).parameters)[1:]
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(names, spelling.parameters, strict=False))
    return operation, sum(1 for _ in shared), spelling.keywords


def _check_parameters(spelling: Spelling, operation: Operation) -> None:
    """Refuse names that an operation would not take."""
    parameters = inspect.signature(operation).parameters.values()
    known = {parameter.name for parameter in parameters}
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return
    unknown = {*spelling.parameters, *spelling.keywords.values(), *spelling.defaults} - known
    if unknown:
        listing = ", ".join(parameter.name for parameter in parameters)
        raise TypeError(f"{spelling.name} has no parameters {', '.join(sorted(unknown))}, only: {listing}")


def elementwise_spellings(functions: Mapping[str, Callable[..., Any]]) -> dict[Callable[..., Any], Spelling]:
    """Spellings of operators by canonical name; all operands are positional."""
    return {func: Spelling(name, ("x1", "x2"), positional=True) for name, func in functions.items()}
