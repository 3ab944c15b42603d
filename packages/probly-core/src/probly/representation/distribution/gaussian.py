"""Gaussian distributions of scalars (D-15 to D-18)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from probly.dispatch import convert
from probly.errors import LayoutError
from probly.representation._protected_axis.layout import shape_of
from probly.representation.checks import require_floating, require_same_shape
from probly.representation.distribution.base import Distribution
from probly.validation import check_values

__all__ = ["GaussianDistribution"]


@dataclass(frozen=True, eq=False)
class GaussianDistribution(Distribution):
    """Independent normal distributions, one per element.

    Permits ``+`` and ``-``: a constant shifts the mean and keeps the variance, two Gaussians are taken as independent,
    so that their variances add for sums and differences, ``g - g`` included.

    Parameters
    ----------
    mean, var : arrays of one shape
        Mean and variance; the variance is positive. Integers become floating.

    Raises
    ------
    TypeError
        For another backend's array, and boolean, complex or other dtypes.
    ValueError
        For different shapes, and for a variance that is not positive.
    """

    mean: Any
    var: Any
    type: ClassVar[str] = "gaussian"
    protected_axes: ClassVar[dict[str, int]] = {"mean": 0, "var": 0}
    permitted_operations: ClassVar[frozenset[str]] = frozenset({"add", "subtract"})

    def __post_init__(self) -> None:
        require_floating(self, "mean")
        var, ops = require_floating(self, "var"), self._ops
        require_same_shape(self, "mean", "var")
        check_values(ops, lambda: ops.greater(var, 0), "Variance must be positive")

    @property
    def std(self) -> Any:
        """Standard deviation."""
        return self._ops.sqrt(self.var)

    def quantile(self, q: Any) -> Any:
        """Return mean + std * ndtri(q).

        Parameters
        ----------
        q : number, or array of shape (Q,)
            Levels; NaN outside [0, 1], infinite at 0 and 1.

        Returns
        -------
        array
            Of the batch shape for one level, else with a last axis of size Q.
        """
        ops = self._ops
        levels = ops.astype(convert(q, ops, self.mean), self.mean.dtype)
        rank = len(shape_of(levels))
        if rank > 1:
            raise LayoutError(f"levels are a number or one-dimensional, not of shape {shape_of(levels)}")
        mean, std = (ops.expand_dims(x, self.ndim) if rank else x for x in (self.mean, self.std))
        return ops.add(mean, ops.multiply(std, ops.ndtri(levels)))

    def __eq__(self, other: object) -> Any:
        if type(other) is not type(self):
            return NotImplemented
        same = (self._ops.equal(self.mean, other.mean), self._ops.equal(self.var, other.var))
        return self._ops.logical_and(*same)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Mean and variance on a new last axis."""
        import numpy as np

        pair = [self._ops.to_numpy(self.mean), self._ops.to_numpy(self.var)]
        return np.stack(pair, axis=-1).astype(dtype or pair[0].dtype, copy=False)

    def _postprocess_elementwise_result(
        self, values: dict[str, Any], *, func: Callable[..., Any], operands: tuple[Any, ...]
    ) -> dict[str, Any]:
        ops = self._ops
        variances = [operand.var for operand in operands if isinstance(operand, GaussianDistribution)]
        total = variances[0] if len(variances) == 1 else ops.add(*variances)
        return {"mean": values["mean"], "var": ops.broadcast_to(total, shape_of(values["mean"]))}

    def _entropy(self) -> Any:
        """0.5 log(2 pi e var)."""
        return self._ops.multiply(self._ops.log(self._ops.multiply(self.var, 2 * math.pi * math.e)), 0.5)

    def _draw(self, num: int, sources: tuple[Any, ...]) -> Any:
        noise = self._ops.normal(sources[0], (num, *self.shape), self.mean)
        return self._ops.add(self.mean, self._ops.multiply(self.std, noise))
