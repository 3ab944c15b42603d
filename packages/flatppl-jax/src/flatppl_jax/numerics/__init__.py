"""Functions that JAX lacks, or has without the accuracy or the derivatives that a density needs."""
