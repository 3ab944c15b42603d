"""Reading predictions, labels and targets: the decision table of section 6.1.

Types and dtypes decide what an argument means; shapes only validate the number of classes and broadcast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from probly.array_ops import ArrayOps
from probly.dispatch import convert, ops_of
from probly.errors import InvalidValueError, LayoutError
from probly.representation._protected_axis.base import ProtectedAxes
from probly.representation._protected_axis.layout import broadcast_shapes, shape_of
from probly.representation.distribution.categorical import CategoricalDistribution
from probly.representation.distribution.dirichlet import DirichletDistribution
from probly.representation.sample.base import Sample

__all__ = ["Labels", "pick", "read_labels", "read_members", "read_prediction", "read_target"]

Array = Any


@dataclass(frozen=True, slots=True)
class Labels:
    """Class labels in 0..K-1, and where they were out of range while being traced (None: nowhere)."""

    ids: Array
    invalid: Array | None

    def mark(self, ops: ArrayOps, score: Array) -> Array:
        """NaN for the scores of invalid labels."""
        return score if self.invalid is None else ops.where(self.invalid, float("nan"), score)


def read_prediction(pred: object) -> tuple[ArrayOps, Array]:
    """Probabilities of shape (..., K); the members of a sample come first.

    Raises
    ------
    TypeError
        For boolean, complex and other dtypes, and for other representations.
    LayoutError
        For rank 0.
    """
    return _read(pred, CategoricalDistribution, "probabilities")


def read_members(pred: object) -> tuple[ArrayOps, Array]:
    """Real numbers of any rank; the members of a sample of arrays come first."""
    return _read(pred, DirichletDistribution, "alphas", least=0)


def _read(pred: object, family: type[Any], attribute: str, least: int = 1) -> tuple[ArrayOps, Array]:
    ops = ops_of(pred)
    value = pred.samples if isinstance(pred, Sample) else pred
    if isinstance(value, family):
        return ops, getattr(value, attribute)
    if isinstance(value, ProtectedAxes):
        raise TypeError(f"predictions are arrays, {family.__name__}s or samples of them, not {type(value).__name__}")
    array = convert(value, ops)
    if ops.kind(array) not in ("integer", "floating"):
        raise TypeError(f"predictions are real numbers, not of dtype {array.dtype}")
    if len(shape_of(array)) < least:
        raise LayoutError("predictions need a class axis, they have rank 0")
    return ops, ops.to_floating(array)


def read_target(ops: ArrayOps, p: Array, target: object) -> Array | Labels:
    """Target probabilities of shape (..., K) in the prediction's dtype, or class labels.

    Raises
    ------
    TypeError
        For boolean, complex and other dtypes, for samples, credal sets and other distributions.
    ValueError
        If the target is missing, has another number of classes, does not broadcast, or holds labels out of range.
    """
    if target is None:
        raise InvalidValueError("a target is needed: class labels, probabilities or a categorical distribution")
    classes = int(p.shape[-1])
    if isinstance(target, CategoricalDistribution):
        return _probabilities(ops, p, target.dense_probabilities(classes))
    if isinstance(target, ProtectedAxes):
        raise TypeError(f"Targets must be arrays or categorical distributions, not {type(target).__name__}")
    array = convert(target, ops, p)
    kind = ops.kind(array)
    if kind == "integer":
        return _labels(ops, p, array)
    if kind == "floating":
        return _probabilities(ops, p, array)
    raise TypeError(f"Targets must be integer labels or floating probabilities, not of dtype {array.dtype}")


def read_labels(ops: ArrayOps, p: Array, y: object, members: bool = False) -> Labels:
    """Labels for a classification score: integers of the prediction's batch shape.

    With ``members``, the prediction's first axis enumerates members, and labels may lack it.

    Raises
    ------
    TypeError
        For another kind of dtype.
    LayoutError
        For another shape.
    """
    array = convert(y, ops, p)
    if ops.kind(array) != "integer":
        raise TypeError(f"class labels are integers, not of dtype {array.dtype}")
    shape, batch = shape_of(array), shape_of(p)[:-1]
    if shape != batch and not (members and shape == batch[1:]):
        raise LayoutError(f"labels of shape {shape} for predictions of batch shape {batch}")
    return _labels(ops, p, array)


def pick(ops: ArrayOps, values: Array, ids: Array) -> Array:
    """``values[..., y]`` by labels that broadcast to the batch; makes no one-hot array."""
    rank = max(len(shape_of(values)) - 1, len(shape_of(ids)))
    wide = _padded(ops, values, rank + 1)
    index = ops.expand_dims(_padded(ops, ids, rank), rank)
    return ops.squeeze(ops.take_along_axis(wide, index, rank), (rank,))


def _padded(ops: ArrayOps, array: Array, rank: int) -> Array:
    shape = shape_of(array)
    return array if len(shape) == rank else ops.reshape(array, (1,) * (rank - len(shape)) + shape)


def _probabilities(ops: ArrayOps, p: Array, target: Array) -> Array:
    target = convert(target, ops, p)
    shape, classes = shape_of(target), int(p.shape[-1])
    if not shape or shape[-1] != classes:
        raise LayoutError(f"Target probabilities of shape {shape} need a last axis of the {classes} classes")
    broadcast_shapes([shape_of(p)[:-1], shape[:-1]], "batch shapes of predictions and targets")
    return target if target.dtype == p.dtype else ops.astype(target, p.dtype)


def _labels(ops: ArrayOps, p: Array, labels: Array) -> Labels:
    broadcast_shapes([shape_of(p)[:-1], shape_of(labels)], "batch shapes of predictions and labels")
    classes = int(p.shape[-1])
    ids = ops.astype(labels, ops.arange(1, p).dtype)
    invalid = ops.logical_or(ops.less(ids, 0), ops.greater_equal(ids, classes))
    if not ops.is_concrete(ids):
        return Labels(ops.where(invalid, 0, ids), invalid)
    if bool(ops.any(invalid)):
        raise InvalidValueError(f"class labels must be in 0..{classes - 1}")
    return Labels(ids, None)
