"""Categorical distributions by logits of a few classes (D-11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from probly.array_math import exp_shifted
from probly.dispatch import class_of
from probly.errors import InvalidValueError
from probly.representation.checks import require_array, require_rank, require_same_shape
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.validation import check_values

__all__ = ["SparseLogCategorical"]


@dataclass(frozen=True, eq=False)
class SparseLogCategorical(CategoricalDistribution):
    """Categorical distributions by S entries per row: class id and logit; entries of one class add their masses.

    The mass of class c is proportional to the sum of exp(logit) over the entries with id c.

    Parameters
    ----------
    group_ids : integer array of shape (..., S), S >= 1
        Not negative.
    entry_logits : floating array of the same shape
        No NaN, no +inf, a finite logit in every row.

    Raises
    ------
    TypeError
        For other kinds of arrays.
    ValueError
        For different shapes and for values outside the domain.
    """

    group_ids: Any
    entry_logits: Any
    protected_axes: ClassVar[dict[str, int]] = {"group_ids": 1, "entry_logits": 1}

    def __post_init__(self) -> None:
        ids, ops = require_array(self, "group_ids", ("integer",)), self._ops
        logits = require_array(self, "entry_logits", ("floating",))
        require_rank(self, "group_ids", 1)
        require_same_shape(self, "group_ids", "entry_logits")
        check_values(ops, lambda: ops.greater_equal(ids, 0), "group ids must be non-negative")
        check_values(ops, lambda: ops.less(logits, float("inf")), "entry logits must be neither NaN nor +inf")
        check_values(
            ops,
            lambda: ops.greater(ops.max(logits, axis=-1), float("-inf")),
            "entry logits need a finite entry in every row",
        )

    @property
    def num_classes(self) -> int:
        """Largest id plus one; ValueError while tracing, where ``to_dense`` takes the number."""
        if not self._ops.is_concrete(self.group_ids):
            raise InvalidValueError("the number of classes is unknown while tracing: use to_dense(num_classes)")
        return int(self._ops.max(self.group_ids)) + 1 if 0 not in self.group_ids.shape else 1

    def to_dense(self, num_classes: int | None = None) -> Any:
        """The same distributions by weights of all classes.

        Raises
        ------
        InvalidValueError
            If an id is ``num_classes`` or more, or ``num_classes`` is missing while tracing.
        """
        ops = self._ops
        classes = self.num_classes if num_classes is None else num_classes
        if ops.is_concrete(self.group_ids) and self.num_classes > classes:
            raise InvalidValueError(f"{classes} classes are too few: the largest id is {self.num_classes - 1}")
        hit = ops.equal(ops.expand_dims(self.group_ids, len(self.shape) + 1), ops.arange(classes, self.group_ids))
        mass = ops.expand_dims(exp_shifted(ops, self.entry_logits), len(self.shape) + 1)
        return class_of(ops, "probability_categorical")(ops.sum(ops.where(hit, mass, 0.0), axis=len(self.shape)))

    def dense_probabilities(self, classes: int) -> Any:
        """Probabilities of ``classes`` classes; errors as for :meth:`to_dense`."""
        return self.to_dense(classes).probabilities

    def _equals_array(self, other: object) -> Any:
        return NotImplemented

    @property
    def unnormalized_probabilities(self) -> Any:
        """Weights of all classes, the largest entry of each row being 1 or more."""
        return self.to_dense().array
