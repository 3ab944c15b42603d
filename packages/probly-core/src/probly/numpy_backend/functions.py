"""NumPy's functions as spellings of probly's operations (N-1, N-2)."""

from __future__ import annotations

import numpy as np

from probly.array_ops import BINARY, UNARY
from probly.representation._protected_axis.elementwise import FUNCTIONS
from probly.representation._protected_axis.operations import function_table
from probly.representation._protected_axis.spelling import Spelling, elementwise_spellings

__all__ = ["TABLE"]

#: Canonical name to the parameters of the NumPy function of that name.
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "reshape": ("a", "shape", "order"),
    "ravel": ("a", "order"),
    "transpose": ("a", "axes"),
    "matrix_transpose": ("x",),
    "moveaxis": ("a", "source", "destination"),
    "rollaxis": ("a", "axis", "start"),
    "swapaxes": ("a", "axis1", "axis2"),
    "expand_dims": ("a", "axis"),
    "squeeze": ("a", "axis"),
    "broadcast_to": ("array", "shape"),
    "copy": ("a", "order", "subok"),
    "astype": ("x", "dtype"),
    "take": ("a", "indices", "axis"),
    "take_along_axis": ("arr", "indices", "axis"),
    "flip": ("m", "axis"),
    "roll": ("a", "shift", "axis"),
    "repeat": ("a", "repeats", "axis"),
    "tile": ("A", "reps"),
    "split": ("ary", "indices_or_sections", "axis"),
    "array_split": ("ary", "indices_or_sections", "axis"),
    "where": ("condition", "x", "y"),
    "size": ("a", "axis"),
    "shape": ("a",),
    "ndim": ("a",),
    "stack": ("arrays", "axis", "out"),
    "concatenate": ("arrays", "axis", "out"),
    "mean": ("a", "axis", "dtype", "out", "keepdims"),
    "sum": ("a", "axis", "dtype", "out", "keepdims", "initial", "where"),
    "prod": ("a", "axis", "dtype", "out", "keepdims", "initial", "where"),
    "std": ("a", "axis", "dtype", "out", "ddof", "keepdims"),
    "var": ("a", "axis", "dtype", "out", "ddof", "keepdims"),
    "min": ("a", "axis", "out", "keepdims", "initial", "where"),
    "max": ("a", "axis", "out", "keepdims", "initial", "where"),
    "any": ("a", "axis", "out", "keepdims"),
    "all": ("a", "axis", "out", "keepdims"),
    "average": ("a", "axis", "weights", "returned"),
}

_UFUNCS = {name: getattr(np, name) for name in (*BINARY, *UNARY, *FUNCTIONS)}

#: The native functions that NumPy representations answer to.
TABLE = function_table(
    {
        **{getattr(np, name): Spelling(name, _PARAMETERS[name]) for name in _PARAMETERS if hasattr(np, name)},
        **elementwise_spellings(_UFUNCS),
        np.conj: Spelling("conj", ("x",)),
    }
)
