"""Samples of arrays and of representations."""

from probly.representation.sample.base import ListSample, Sample, create_sample
from probly.representation.sample.families import (
    BernoulliDistributionSample,
    CategoricalDistributionSample,
    DirichletDistributionSample,
    GaussianDistributionSample,
)
from probly.representation.sample.numpy_sample import NumpySample

__all__ = [
    "BernoulliDistributionSample",
    "CategoricalDistributionSample",
    "DirichletDistributionSample",
    "GaussianDistributionSample",
    "ListSample",
    "NumpySample",
    "Sample",
    "create_sample",
]
