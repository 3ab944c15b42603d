"""The array vocabulary: every primitive that probly asks of an array library.

All mathematics in probly is written once over :class:`ArrayOps`. Each primitive has the name, the arguments and the
meaning of NumPy's function of that name unless its line says otherwise; axes are given as non-negative integers, or
tuples of them where NumPy allows that, or as -1. Results have the backend's own array type, stay on the device of
their operands and follow the backend's own promotion; a floating dtype is never widened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any

__all__ = ["BINARY", "COMPARISONS", "OPERATORS", "UNARY", "ArrayOps", "direct", "from_namespace"]

F = Callable[..., Any]

#: Comparison operators; on representations they give masks of the batch shape.
COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})

#: Canonical names of the binary operators, in the order of the Python data model.
BINARY = (
    *("add", "subtract", "multiply", "true_divide", "floor_divide", "remainder", "power", "divmod", "matmul"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"),
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
)

#: Canonical names of the unary operators.
UNARY = ("positive", "negative", "absolute", "invert")

#: All 24 operators.
OPERATORS = frozenset({*BINARY, *UNARY})


def direct(kernel: F, ops: ArrayOps, *arrays: Any) -> Any:
    """Run a kernel on whole arrays."""
    return kernel(ops, *arrays)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ArrayOps:
    """One array library's primitives; every field is a function but ``name``.

    Only ``rowwise`` has a default. A missing or misspelled primitive is a TypeError when the value is built, not when a user meets it.
    """

    name: str  # of the backend

    # -- what an array is -------------------------------------------------------------------------------------------
    is_array: F  # (value) -> bool: an array of this library, tracers included; no Python numbers, no representations
    kind: F  # (a) -> "bool" | "integer" | "floating" | "complex" | "other", by the library's own dtype tests
    is_concrete: F  # (a) -> bool: its numbers can be read now (False for a tracer)
    check: F  # (predicate, message): predicate is a boolean array, all of it must hold; else InvalidValueError (JAX:
    #           checkify.check). Messages contain no braces. Called only while value checks are on.
    to_numpy: F  # (a) -> numpy.ndarray on the host, detached from derivatives
    device: F  # (a) -> the library's device of a

    # -- making and casting -----------------------------------------------------------------------------------------
    asarray: F  # (value, dtype=None): nested lists, numbers, NumPy arrays and own arrays
    to_floating: F  # (a): integers and booleans become the default floating dtype, floating stays as it is
    smallest_normal: F  # (a) -> float: smallest positive normal number of a's floating dtype
    full: F  # (shape, value, like): filled with a Python number, dtype and device of like
    arange: F  # (n, like): integers 0..n-1 on like's device
    astype: F  # (a, dtype)
    copy: F  # (a)
    detach: F  # (a): constant for derivatives (stop_gradient)

    # -- structure --------------------------------------------------------------------------------------------------
    reshape: F  # (a, shape): shape is a tuple without -1; C order
    transpose: F  # (a, axes): axes is a full permutation
    moveaxis: F  # (a, source, destination): integers or equally long tuples
    swapaxes: F  # (a, axis1, axis2)
    expand_dims: F  # (a, axis): an integer or a tuple of positions in the result
    squeeze: F  # (a, axis): a tuple of axes
    broadcast_to: F  # (a, shape)
    concatenate: F  # (arrays, axis)
    stack: F  # (arrays, axis)
    take: F  # (a, indices, axis): integer indices of any shape
    take_along_axis: F  # (a, indices, axis): equal ranks, other axes broadcast
    flip: F  # (a, axis): a tuple
    roll: F  # (a, shift, axis)
    repeat: F  # (a, repeats, axis)
    tile: F  # (a, reps): one repetition count per axis
    index: F  # (a, key): a[key], never a Python scalar; key holds integers, slices, None, integer and boolean arrays
    assign: F  # (a, key, value): a[key] = value in place; TypeError for immutable arrays
    conj: F  # (a)

    # -- elementwise ------------------------------------------------------------------------------------------------
    add: F
    subtract: F
    multiply: F
    true_divide: F
    floor_divide: F
    remainder: F
    power: F
    divmod: F  # -> pair
    matmul: F
    bitwise_and: F
    bitwise_or: F
    bitwise_xor: F
    left_shift: F
    right_shift: F
    equal: F
    not_equal: F
    less: F
    less_equal: F
    greater: F
    greater_equal: F
    positive: F
    negative: F
    absolute: F
    invert: F
    maximum: F  # (x1, x2): either may be a Python number; NaN propagates
    minimum: F  # as maximum
    logical_and: F
    logical_or: F
    logical_not: F
    exp: F
    log: F  # log(0) is -inf without a warning
    sqrt: F
    isnan: F
    digamma: F
    gammaln: F
    ndtri: F  # quantile of the standard normal: NaN outside [0, 1], -inf at 0, +inf at 1
    where: F  # (condition, x1, x2): one of x1, x2 may be a Python number

    # -- reductions: (a, axis=None, keepdims=False, **what the library's own function takes) ------------------------
    sum: F
    mean: F
    std: F  # ddof=0
    var: F  # ddof=0
    min: F
    max: F
    prod: F
    any: F
    all: F
    argmax: F  # (a, axis): first maximum
    cumsum: F  # (a, axis)
    sort: F  # (a, axis): ascending, NaN last
    argsort: F  # (a, axis): ascending and stable
    vecdot: F  # (x1, x2): sum of products over the last axis, others broadcast; makes no temporary if it can
    rowwise: F = direct  # (kernel, ops, *arrays) -> kernel(ops, *arrays); the kernel, a module's function, reduces the
    #                      last axis, the others broadcast. May run block by block or compiled, to spare temporaries.

    # -- random -----------------------------------------------------------------------------------------------------
    generators: F  # (rng, count, like) -> tuple: count independent sources from rng; None = fresh from the operating
    #                system, a ValueError if like is being traced (V-11); TypeError for a wrong kind of rng
    uniform: F  # (generator, shape, like): [0, 1), floating dtype and device of like
    normal: F  # (generator, shape, like)
    gamma: F  # (generator, shape, alphas): rate 1, alphas broadcast to shape
    categorical: F  # (generator, num, logits): class ids of shape (num, *batch); a class of logit -inf is never drawn


def from_namespace(name: str, namespace: object, **own: F) -> ArrayOps:
    """Take every primitive that is not given from a namespace such as ``numpy`` or ``jax.numpy``.

    Raises
    ------
    AttributeError
        If the namespace lacks a primitive that is not given.
    TypeError
        If something is given that is no primitive.
    """
    wanted = [field.name for field in fields(ArrayOps) if field.name != "name" and field.default is MISSING]
    taken = {key: getattr(namespace, key) for key in wanted if key not in own}
    return ArrayOps(name=name, **taken, **own)
