"""Every error that probly raises of its own.

Each one derives from the built-in class that the rules name, so that ``except ValueError`` and ``except TypeError``
work as they do for arrays.
"""

from __future__ import annotations

__all__ = [
    "BackendNotFoundError",
    "InvalidValueError",
    "LayoutError",
    "NoImplementationError",
    "NotPermittedError",
    "PluginError",
]


class InvalidValueError(ValueError):
    """The numbers in an array are outside the domain of what they should mean."""


class LayoutError(ValueError):
    """Shapes, axes or batch dimensions do not fit together."""


class NotPermittedError(TypeError):
    """A representation has not enabled the operation."""


class NoImplementationError(TypeError):
    """No operand implements the call."""


class BackendNotFoundError(NotImplementedError, TypeError):
    """No installed backend handles a value, or the one that does cannot be loaded."""


class PluginError(Exception):
    """A plugin is at fault: not the user's data, and not probly."""
