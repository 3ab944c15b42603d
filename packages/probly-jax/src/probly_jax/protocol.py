"""The JAX function protocol: how a type overrides probly's wrappers of ``jax.numpy`` (J-1 to J-5).

``jax.numpy`` has no hook for foreign types. The wrappers of :mod:`probly_jax.representation.jax_functions` have one:
a type with a classmethod ``__jax_function__`` is asked before the native implementation runs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import jax
import numpy as np
from jax.typing import ArrayLike

from probly.errors import NoImplementationError

__all__ = [
    "JaxOperand",
    "SupportsJaxFunction",
    "handle_jax_function",
    "has_jax_function",
    "jax_function_dispatch",
    "try_jax_function",
]

F = TypeVar("F", bound=Callable[..., Any])


@runtime_checkable
class SupportsJaxFunction(Protocol):
    """A type that takes part in the protocol."""

    @classmethod
    def __jax_function__(
        cls,
        func: Callable[..., Any],
        types: tuple[type[Any], ...],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        """Answer a call of a wrapper, or return ``NotImplemented``.

        Parameters
        ----------
        func : callable
            The exported wrapper, such as ``jax_add``; compare by identity.
        types : tuple of type
            Participating types, in the order in which they are asked.
        args, kwargs
            Exactly what the caller passed: positional stays positional, defaults are not filled in.
        """


#: What operators of the wrappers accept.
JaxOperand: TypeAlias = ArrayLike | SupportsJaxFunction


def has_jax_function(args: Iterable[object]) -> bool:
    """Whether any of some arguments takes part in the protocol; its type decides, not the instance.

    Examples
    --------
    >>> has_jax_function([1.0, None])
    False
    """
    return any(_implementation(type(argument)) is not None for argument in args)


def try_jax_function(
    public_api: Callable[..., Any], relevant_args: Iterable[object], /, *args: Any, **kwargs: Any
) -> Any:
    """Ask participating arguments; the first answer counts.

    Types are asked from left to right, each once, a subclass before its base class. What an implementation raises
    propagates.

    Parameters
    ----------
    public_api : callable
        The exported wrapper, passed on as ``func``.
    relevant_args : iterable
        Arguments that may take part.
    *args, **kwargs
        The call as it was made.

    Returns
    -------
    object
        The answer; ``NotImplemented`` if all decline or none takes part.
    """
    types = _types(relevant_args)
    for kind in types:
        result = kind.__jax_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def handle_jax_function(
    public_api: Callable[..., Any], relevant_args: Iterable[object], /, *args: Any, **kwargs: Any
) -> Any:
    """Ask participating arguments as :func:`try_jax_function` does.

    Raises
    ------
    NoImplementationError
        A TypeError, if every one declines.
    """
    relevant = list(relevant_args)
    result = try_jax_function(public_api, relevant, *args, **kwargs)
    if result is NotImplemented:
        kinds = ", ".join(kind.__name__ for kind in _types(relevant))
        raise NoImplementationError(
            f"no implementation found for {public_api.__name__} on {kinds}: each declined it or does not permit it"
        )
    return result


def jax_function_dispatch(*names: str, unpack: Sequence[str] = ()) -> Callable[[F], F]:
    """Turn a native implementation into a wrapper that participating arguments override.

    Parameters
    ----------
    *names : str
        Parameters whose argument takes part.
    unpack : sequence of str
        Parameters whose elements take part.

    Returns
    -------
    callable
        A decorator. The wrapper keeps name, signature and docstring, and is itself the key that implementations get.

    Raises
    ------
    ValueError
        When decorating: no selector, a repeated or unknown one, or a variadic parameter.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> @jax_function_dispatch("x1", "x2")
    ... def jax_hypot(x1, x2, /):
    ...     return jnp.hypot(x1, x2)
    >>> float(jax_hypot(3.0, 4.0))
    5.0
    """

    def decorate(native: F) -> F:
        signature = inspect.signature(native)
        _check_selectors(signature, names, tuple(unpack))
        select = _selector(signature, names, tuple(unpack))

        @functools.wraps(native)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            relevant = select(args, kwargs)
            if has_jax_function(relevant):
                return handle_jax_function(wrapper, relevant, *args, **kwargs)
            return native(*args, **kwargs)

        return wrapper  # type: ignore[return-value]

    return decorate


def _implementation(kind: type[Any]) -> Any:
    return getattr(kind, "__jax_function__", None)


def _types(arguments: Iterable[object]) -> tuple[type[Any], ...]:
    """Participating types in the order in which they are asked."""
    types: list[type[Any]] = []
    for argument in arguments:
        kind = type(argument)
        if kind in types or _implementation(kind) is None:
            continue
        bases = (place for place, other in enumerate(types) if issubclass(kind, other))
        types.insert(next(bases, len(types)), kind)
    return tuple(types)


def _check_selectors(signature: inspect.Signature, names: tuple[str, ...], unpack: tuple[str, ...]) -> None:
    selectors = (*names, *unpack)
    if not selectors:
        raise ValueError("Dispatch selector missing: name the parameters that take part")
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for name in selectors:
        if selectors.count(name) > 1:
            raise ValueError(f"Dispatch selector {name!r} is repeated")
        if name not in signature.parameters:
            raise ValueError(f"Dispatch selector {name!r} is no parameter of {signature}")
        if signature.parameters[name].kind in variadic:
            raise ValueError(f"Dispatch selector {name!r} is a variadic parameter")


def _selector(
    signature: inspect.Signature, names: tuple[str, ...], unpack: tuple[str, ...]
) -> Callable[[tuple[Any, ...], dict[str, Any]], list[object]]:
    """Function from a call to its relevant arguments, in the order of the parameters; refuses calls that do not fit."""
    chosen = [name for name in signature.parameters if name in names or name in unpack]
    positional = [name for name, each in signature.parameters.items() if each.kind <= each.POSITIONAL_OR_KEYWORD]
    places = [positional.index(name) if name in positional else -1 for name in chosen]
    full = len(positional) == len(signature.parameters) and not unpack

    def select(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[object]:
        if full and not kwargs and len(args) == len(positional):
            return [args[place] for place in places]
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        relevant: list[object] = []
        for name in chosen:
            relevant.extend(_elements(bound.arguments[name]) if name in unpack else (bound.arguments[name],))
        return relevant

    return select


def _elements(value: object) -> Iterable[object]:
    """Elements of a container that can be iterated again; an array has arrays only."""
    if isinstance(value, jax.Array | np.ndarray | Iterator) or not isinstance(value, Iterable):
        return ()
    return value
