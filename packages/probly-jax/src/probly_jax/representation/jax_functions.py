"""Wrappers of ``jax.numpy`` that representations override, and the protocol that they follow.

A wrapper computes what the ``jax.numpy`` function of its name computes, unless an argument's type has the classmethod
``__jax_function__``. The wrapper itself is the key: compare by identity, and list wrappers in ``permitted_functions``.
"""

from probly_jax.protocol import (
    JaxOperand,
    SupportsJaxFunction,
    handle_jax_function,
    has_jax_function,
    jax_function_dispatch,
    try_jax_function,
)
from probly_jax.wrappers.arithmetic import (
    jax_add,
    jax_divmod,
    jax_floor_divide,
    jax_matmul,
    jax_multiply,
    jax_power,
    jax_remainder,
    jax_subtract,
    jax_true_divide,
)
from probly_jax.wrappers.bitwise import (
    jax_bitwise_and,
    jax_bitwise_or,
    jax_bitwise_xor,
    jax_left_shift,
    jax_right_shift,
)
from probly_jax.wrappers.comparison import (
    jax_equal,
    jax_greater,
    jax_greater_equal,
    jax_less,
    jax_less_equal,
    jax_not_equal,
)
from probly_jax.wrappers.joins import (
    jax_astype,
    jax_concatenate,
    jax_conj,
    jax_copy,
    jax_stack,
)
from probly_jax.wrappers.reductions import (
    jax_average,
    jax_mean,
    jax_sum,
)
from probly_jax.wrappers.spread import jax_std, jax_var
from probly_jax.wrappers.structure import (
    jax_expand_dims,
    jax_matrix_transpose,
    jax_moveaxis,
    jax_reshape,
    jax_squeeze,
    jax_swapaxes,
    jax_take_along_axis,
    jax_transpose,
)
from probly_jax.wrappers.unary import (
    jax_absolute,
    jax_invert,
    jax_negative,
    jax_positive,
)

__all__ = [
    "JaxOperand",
    "SupportsJaxFunction",
    "handle_jax_function",
    "has_jax_function",
    "jax_absolute",
    "jax_add",
    "jax_astype",
    "jax_average",
    "jax_bitwise_and",
    "jax_bitwise_or",
    "jax_bitwise_xor",
    "jax_concatenate",
    "jax_conj",
    "jax_copy",
    "jax_divmod",
    "jax_equal",
    "jax_expand_dims",
    "jax_floor_divide",
    "jax_function_dispatch",
    "jax_greater",
    "jax_greater_equal",
    "jax_invert",
    "jax_left_shift",
    "jax_less",
    "jax_less_equal",
    "jax_matmul",
    "jax_matrix_transpose",
    "jax_mean",
    "jax_moveaxis",
    "jax_multiply",
    "jax_negative",
    "jax_not_equal",
    "jax_positive",
    "jax_power",
    "jax_remainder",
    "jax_reshape",
    "jax_right_shift",
    "jax_squeeze",
    "jax_stack",
    "jax_std",
    "jax_subtract",
    "jax_sum",
    "jax_swapaxes",
    "jax_take_along_axis",
    "jax_transpose",
    "jax_true_divide",
    "jax_var",
    "try_jax_function",
]
