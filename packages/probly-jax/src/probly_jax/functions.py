"""The wrappers as spellings of probly's operations."""

from __future__ import annotations

from typing import Any

from probly.array_ops import BINARY, UNARY
from probly.representation._protected_axis.operations import function_table
from probly.representation._protected_axis.spelling import Spelling, elementwise_spellings
from probly_jax.representation import jax_functions as wrappers

__all__ = ["OPERATORS", "TABLE"]


def _wrapper(name: str) -> Any:
    return getattr(wrappers, f"jax_{name}")


#: Canonical name to the parameters that a wrapper takes by position.
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "reshape": ("a", "shape", "order"),
    "transpose": ("a", "axes"),
    "matrix_transpose": ("x",),
    "moveaxis": ("a", "source", "destination"),
    "swapaxes": ("a", "axis1", "axis2"),
    "squeeze": ("a", "axis"),
    "expand_dims": ("a", "axis"),
    "concatenate": ("arrays", "axis", "dtype"),
    "stack": ("arrays", "axis", "out", "dtype"),
    "take_along_axis": ("arr", "indices", "axis"),
    "conj": ("x",),
    "copy": ("a", "order"),
    "astype": ("x", "dtype"),
    "mean": ("a", "axis", "dtype", "out", "keepdims"),
    "sum": ("a", "axis", "dtype", "out", "keepdims", "initial", "where"),
    "std": ("a", "axis", "dtype", "out", "ddof", "keepdims"),
    "var": ("a", "axis", "dtype", "out", "ddof", "keepdims"),
    "average": ("a", "axis", "weights", "returned", "keepdims"),
}

#: Canonical name of each Python operator to its wrapper.
OPERATORS: dict[str, Any] = {name: _wrapper(name) for name in (*BINARY, *UNARY)}

#: The native functions that JAX representations answer to.
TABLE = function_table(
    {
        **{_wrapper(name): Spelling(name, parameters) for name, parameters in _PARAMETERS.items()},
        **elementwise_spellings(OPERATORS),
    }
)
