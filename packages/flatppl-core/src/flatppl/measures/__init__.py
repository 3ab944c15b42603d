"""Measures are objects: density, mass, support and domain side by side; one file per operation."""
