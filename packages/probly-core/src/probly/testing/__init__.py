"""The conformance kit: case files, their vocabulary, and checks that any backend runs."""

from probly.testing.cases import evaluate, failure, load, selected
from probly.testing.probes import check_backend
from probly.testing.vocabulary import test_representations, vocabulary

__all__ = ["check_backend", "evaluate", "failure", "load", "selected", "test_representations", "vocabulary"]
