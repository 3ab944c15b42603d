"""The standard module ``generalized-linear-models``."""
