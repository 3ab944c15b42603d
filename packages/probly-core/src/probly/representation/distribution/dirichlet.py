"""Dirichlet distributions (D-12 to D-14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from probly.array_math import softmax
from probly.dispatch import class_of, convert
from probly.representation._protected_axis.layout import shape_of
from probly.representation.checks import require_floating, require_rank
from probly.representation.distribution.base import Distribution
from probly.validation import check_values

__all__ = ["DirichletDistribution"]

#: Smallest concentration that arithmetic gives.
MINIMUM = 1e-10


@dataclass(frozen=True, eq=False)
class DirichletDistribution(Distribution):
    """Distributions over the simplex of K classes.

    Permits ``mean, sum, average`` of concentrations over batch axes, and ``+`` and ``-``, whose results are clamped to
    a positive minimum: the larger of 1e-10 and the smallest normal number of the dtype.

    Parameters
    ----------
    alphas : array of shape (..., K), K >= 2
        Strictly positive; integers become floating.

    Raises
    ------
    TypeError
        For another backend's array, and boolean, complex or other dtypes.
    ValueError
        For fewer than two classes, and for concentrations that are not positive.
    """

    alphas: Any
    type: ClassVar[str] = "dirichlet"
    protected_axes: ClassVar[dict[str, int]] = {"alphas": 1}
    permitted_operations: ClassVar[frozenset[str]] = frozenset({"mean", "sum", "average", "add", "subtract"})
    _generators: ClassVar[int] = 2

    def __post_init__(self) -> None:
        alphas, ops = require_floating(self, "alphas"), self._ops
        require_rank(self, "alphas", 1, 2)
        check_values(ops, lambda: ops.greater(alphas, 0), "Dirichlet concentrations must be strictly positive")

    @classmethod
    def from_array(cls, array: Any, dtype: Any = None) -> Self:
        """Make from an array or nested list, cast to ``dtype`` if given."""
        alphas = convert(array, cls._ops)
        return cls(alphas if dtype is None else cls._ops.astype(alphas, dtype))

    @property
    def num_classes(self) -> int:
        """Number K of classes."""
        return int(self.alphas.shape[-1])

    @property
    def mean(self) -> Any:
        """Expected categorical distribution: weights are the concentrations."""
        return class_of(self._ops, "probability_categorical")(self.alphas)

    def __eq__(self, other: object) -> Any:
        if type(other) is type(self):
            return self._mask(self._ops.equal(self.alphas, other.alphas), 1)
        if self._ops.is_array(other) or isinstance(other, int | float):
            return self._mask(self._ops.equal(self.alphas, other), 1)
        return NotImplemented

    def _postprocess_elementwise_result(
        self, values: dict[str, Any], *, func: Callable[..., Any], operands: tuple[Any, ...]
    ) -> dict[str, Any]:
        alphas = values["alphas"]
        least = max(MINIMUM, self._ops.smallest_normal(alphas))
        return {"alphas": self._ops.maximum(alphas, least)}

    def _entropy(self) -> Any:
        """Log B(a) + (a0 - K) psi(a0) - sum (a - 1) psi(a), with a0 = sum a."""
        ops, a = self._ops, self.alphas
        total = ops.sum(a, axis=-1)
        log_beta = ops.subtract(ops.sum(ops.gammaln(a), axis=-1), ops.gammaln(total))
        spread = ops.multiply(ops.subtract(total, self.num_classes), ops.digamma(total))
        return ops.subtract(ops.add(log_beta, spread), ops.vecdot(ops.subtract(a, 1.0), ops.digamma(a)))

    def _draw(self, num: int, sources: tuple[Any, ...]) -> Any:
        """Draw in log space: log Gamma(a) = log Gamma(a + 1) + log(U) / a, exact where Gamma(a) underflows."""
        ops, a = self._ops, self.alphas
        shape = (num, *shape_of(a))
        boosted = ops.log(ops.gamma(sources[0], shape, ops.add(a, 1.0)))
        tilt = ops.true_divide(ops.log(ops.subtract(1.0, ops.uniform(sources[1], shape, a))), a)
        return class_of(ops, "probability_categorical")(softmax(ops, ops.add(boosted, tilt)))
