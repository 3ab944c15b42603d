# mypy: disable-error-code="empty-body"
"""The door of probly: the one hook that a backend package implements, and the value that it returns.

A plugin is a module named by an entry point of group ``probly``. It implements :func:`probly_backends`, marked with
:data:`hookimpl`, and returns values; it registers nothing and changes nothing. The module is imported when the first
array is looked at, so it must not import its array library: that happens in ``Backend.load``. The NumPy backend comes
through the same door.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from probly.array_ops import ArrayOps
    from probly.representation._protected_axis.base import ProtectedAxes

__all__ = ["GROUP", "Backend", "Library", "claim_instances", "hookimpl", "hookspec", "probly_backends"]

#: Entry-point group, and pluggy's project name.
GROUP = "probly"

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


@dataclass(frozen=True, slots=True)
class Library:
    """What a backend has once it is loaded.

    Parameters
    ----------
    base : type
        The backend's protected-axis base class, such as ``NumpyAxisProtected``.
    classes : mapping of str to type
        Concrete representation classes by kind; the kinds are the keys of ``probly.representation.kinds.KINDS``, and
        each class derives from the family listed there and from ``base``. A kind may be missing: asking for it is then
        an error that names the backend.
    functions : mapping of str to callable
        The backend's public functions on arrays and on representations, with the names and parameters of NumPy's:
        ``mean, sum, average (x, axis=None)``, ``stack, concatenate (xs, axis=0)``, ``reshape``, ``squeeze``,
        ``moveaxis``, ``swapaxes``, ``expand_dims``, ``size``. The conformance kit calls them.
    extras : mapping of str to object
        Further names of this backend's test vocabulary (JAX: ``jit, vmap, grad, checkify, checked, has_error``).
    """

    base: type[ProtectedAxes]
    classes: Mapping[str, type[Any]]
    functions: Mapping[str, Callable[..., Any]]
    extras: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Backend:
    """One array library, as probly sees it.

    Parameters
    ----------
    name : str
        Such as ``"jax"``; unique among the installed backends.
    package : str
        The distribution to install for it, such as ``"probly-jax"``; error messages name it.
    claim : callable
        ``claim(value) -> bool``: whether a value is one of its arrays, tracers included. Decides on what the value
        is, not on its class, and imports nothing; see :func:`claim_instances`.
    load : callable
        ``load() -> Library``: imports the array library and the representation classes. Called once, when the first
        array of the backend is seen or the backend is asked for by name.
    ops : callable
        ``ops() -> ArrayOps``: the array vocabulary. Called once, before ``load``.
    convert : callable
        ``convert(value, like) -> array``: a number, nested list or foreign array (through ``__array__`` or DLPack) as
        an array of this backend. ``like`` is None or an array whose device is used. The kind of the dtype is kept.

    Examples
    --------
    >>> from probly.dispatch import backend_of
    >>> backend_of([0.2, 0.8]).name
    'numpy'
    """

    name: str
    package: str
    claim: Callable[[object], bool]
    load: Callable[[], Library]
    ops: Callable[[], ArrayOps]
    convert: Callable[[object, Any], Any]


def claim_instances(module: str, name: str) -> Callable[[object], bool]:
    """Claim instances of ``module.name`` without importing the module: before somebody imported it, there are none.

    A JAX tracer is an instance of ``jax.Array`` although its class is no subclass.

    Examples
    --------
    >>> claim_instances("numpy", "ndarray")(3.0)
    False
    """

    def claim(value: object) -> bool:
        loaded = sys.modules.get(module)
        kind = getattr(loaded, name, None)  # None while the module is being imported
        return kind is not None and isinstance(value, kind)

    return claim


@hookspec
def probly_backends() -> Iterable[Backend]:
    """Give backends; import no array library here."""
