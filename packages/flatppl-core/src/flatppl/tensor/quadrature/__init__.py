"""Adaptive Gauss-Kronrod quadrature in log space, written once for NumPy and any array library with its names."""
