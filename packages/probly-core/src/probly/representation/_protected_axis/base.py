"""The protected-axis representation, for every backend (requirements P-1 to P-16).

A *field* is one stored array. Its *protected axes* are a fixed number of trailing axes that belong to the object
(classes, bounds, components); the leading *batch axes* are shared by all fields and are all that a user sees.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

from probly.array_ops import ArrayOps
from probly.errors import LayoutError
from probly.representation._protected_axis import indexing, validate
from probly.representation._protected_axis.layout import shape_of
from probly.representation._protected_axis.marker import Representation
from probly.representation._protected_axis.operators import OperatorsMixin
from probly.representation._protected_axis.spelling import FunctionTable, Step

__all__ = ["ProtectedAxes"]


class ProtectedAxes(OperatorsMixin, Representation):
    """Base of all representations.

    A concrete representation is a frozen dataclass (``@dataclass(frozen=True, eq=False)``) that derives from its
    backend's base class and declares:

    ``protected_axes``
        Field name to number of protected trailing axes. The first is the *primary* field: it defines shape and dtype.
    ``permitted_functions``
        Native functions outside the structural group that may run. Empty by default.
    ``permitted_operations``
        The same by canonical name (``"mean"``, ``"add"``), for classes that exist on every backend.

    **What a backend's base class supplies**: ``_ops`` (its :class:`~probly.array_ops.ArrayOps`), ``_functions`` (its
    :class:`~probly.representation._protected_axis.spelling.FunctionTable`, made with ``operations.function_table``),
    and the library's own hook (``__array_function__``, ``__torch_function__``, ``__jax_function__``) whose body is
    ``cls._functions.call(func, args, kwargs)``. It may override ``_operate`` so that operators travel the library's
    protocol.

    Laws: every operation gives, for each field, what it gives for the raw array with the protected axes held fixed;
    an operation that would change a protected shape, or leave fields with different batch shapes, is refused.
    """

    protected_axes: ClassVar[dict[str, int]] = {}
    permitted_functions: ClassVar[set[Callable[..., Any]]] = set()
    permitted_operations: ClassVar[frozenset[str]] = frozenset()
    _ops: ClassVar[ArrayOps]
    _functions: ClassVar[FunctionTable]
    _permitted: ClassVar[frozenset[Callable[..., Any]]] = frozenset()
    _axes: ClassVar[tuple[tuple[str, int], ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        validate.complete_equality(cls)
        validate.prepare(cls)

    # -- shape ------------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch shape."""
        name, count = self._axes[0]
        shape = shape_of(getattr(self, name))
        return shape[: len(shape) - count]

    @property
    def protected_shape(self) -> tuple[int, ...]:
        """Protected trailing shape of the primary field."""
        name, count = self._axes[0]
        shape = shape_of(getattr(self, name))
        return shape[len(shape) - count :]

    @property
    def ndim(self) -> int:
        """Batch rank."""
        name, count = self._axes[0]
        rank = getattr(getattr(self, name), "ndim", None)
        return len(self.shape) if rank is None else rank - count

    @property
    def size(self) -> int:
        """Number of batch elements; 1 for rank 0."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> Any:
        """Dtype of the primary field."""
        return self.protected_value().dtype

    @property
    def device(self) -> Any:
        """Device of the primary field."""
        primary = self.protected_value()
        return primary.device if isinstance(primary, ProtectedAxes) else self._ops.device(primary)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"len() of a {type(self).__name__} without batch axes")
        return self.shape[0]

    def __iter__(self) -> Iterator[Self]:
        return (self[position] for position in range(len(self)))

    def __bool__(self) -> bool:
        raise TypeError(f"the truth value of a {type(self).__name__} is ambiguous; compare it and use .all() or .any()")

    # -- fields -----------------------------------------------------------------------------------------------------

    def permits(self, func: Callable[..., Any], method: str | None = None) -> bool:
        """Whether a native function may run; structural functions always may.

        Every spelling of a permitted function is permitted. A backend whose functions have methods (NumPy's ufuncs)
        passes the method's name.
        """
        return func in self._permitted

    def protected_value(self) -> Any:
        """The primary field."""
        return getattr(self, self._axes[0][0])

    def protected_values(
        self, func: Callable[..., Any] | None = None, method: str | None = None
    ) -> dict[str, Any] | None:
        """Fields in the order of their declaration, or None to decline ``func``.

        An instance may override this to veto a function.

        Raises
        ------
        LayoutError
            If a field has too few axes, or batch shapes differ.
        """
        if func is not None and not self.permits(func, method):
            return None
        if len(self._axes) == 1:
            name, count = self._axes[0]
            value = getattr(self, name)
            values = {name: value}
            if getattr(value, "ndim", 0) < count:
                self._check_batch(values)
        else:
            values = {name: getattr(self, name) for name, _ in self._axes}
            self._check_batch(values)
        return values if func is None else self._postprocess_protected_values(values, func)

    def with_protected_values(self, values: Mapping[str, Any], func: Callable[..., Any] | None = None) -> Any:
        """Return a new object with these fields; others, and the constructor's checks, are as before.

        Parameters
        ----------
        values : mapping of str to array
            Fields to replace.
        func : callable, optional
            The native function that caused it; an override may return another class.
        """
        cls = type(self)
        names = _init_fields(cls)  # type: ignore[arg-type]  # a class is hashable, whatever its instances are
        if len(values) == len(names):
            return cls(**values)
        return cls(**{name: values[name] if name in values else getattr(self, name) for name in names})

    def with_protected_value(self, value: Any) -> Any:
        """As :meth:`with_protected_values` for the only field; TypeError if there are several."""
        return self.with_protected_values({self._single_field(): value})

    def _postprocess_protected_values(self, values: dict[str, Any], func: Callable[..., Any]) -> dict[str, Any]:
        """Replace the inputs of ``func``; a categorical gives normalized probabilities to ``mean``."""
        return values

    def _postprocess_elementwise_result(
        self, values: dict[str, Any], *, func: Callable[..., Any], operands: tuple[Any, ...]
    ) -> dict[str, Any]:
        """Replace the fieldwise results of an operator; operands are in the order of the expression."""
        return values

    def _rebuild(self, values: Mapping[str, Any], func: Callable[..., Any], step: Step) -> Any:
        """Make the result of a structural function or reduction; a sample uses the step to track its axis."""
        return self.with_protected_values(values, func)

    def _check_batch(self, values: Mapping[str, Any]) -> None:
        batch: tuple[int, ...] | None = None
        for name, count in self._axes:
            shape = shape_of(values[name])
            rank = len(shape) - count
            if rank < 0:
                raise LayoutError(f"{type(self).__name__}.{name} of shape {shape} needs {count} protected axes")
            if batch is not None and shape[:rank] != batch:
                raise LayoutError(f"{type(self).__name__}: inconsistent batch-shapes, {batch} and {shape[:rank]}")
            batch = shape[:rank]

    def _single_field(self) -> str:
        if len(self.protected_axes) != 1:
            raise TypeError(f"{type(self).__name__} has several fields: {', '.join(self.protected_axes)}")
        return next(iter(self.protected_axes))

    # -- operators, indexing, methods -------------------------------------------------------------------------------

    def _operate(self, name: str, operands: tuple[Any, ...]) -> Any:
        return self._functions.operations[name](self._functions.natives[name], *operands)

    def __getitem__(self, key: Any) -> Any:
        return indexing.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        indexing.put(self, key, value)

    def reshape(self, *shape: Any) -> Any:
        """Batch shape replaced; -1 is allowed once."""
        return self._functions.run("reshape", self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Any:
        """Batch axes permuted, reversed if none are given."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return self._functions.run("transpose", self, order)

    def squeeze(self, axis: Any = None) -> Any:
        """Batch axes of size 1 removed."""
        return self._functions.run("squeeze", self, axis)

    def ravel(self) -> Any:
        """All batch axes joined."""
        return self._functions.run("reshape", self, (-1,))

    flatten = ravel

    def copy(self) -> Any:
        """Fields copied."""
        return self._functions.run("copy", self)

    @property
    def T(self) -> Any:  # noqa: N802
        """Batch axes reversed."""
        return self._functions.run("transpose", self)

    @property
    def mT(self) -> Any:  # noqa: N802
        """Last two batch axes swapped; LayoutError below rank 2."""
        return self._functions.run("matrix_transpose", self)

    @property
    def mH(self) -> Any:  # noqa: N802
        """Last two batch axes swapped, fields conjugated."""
        return self._functions.run("conj", self.mT)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np

        value = self.protected_value() if self._single_field() else None
        array = np.asarray(value) if isinstance(value, ProtectedAxes) else self._ops.to_numpy(value)
        return np.array(array, dtype=dtype, copy=copy)


@functools.cache
def _init_fields(cls: type[Any]) -> tuple[str, ...]:
    """Names of the constructor's arguments."""
    return tuple(field.name for field in dataclasses.fields(cls) if field.init)
